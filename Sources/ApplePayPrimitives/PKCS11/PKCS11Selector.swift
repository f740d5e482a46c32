/// Which private key is meant, in which module: what a `pkcs11:` URI says (RFC 7512 §2.3, §2.4).
package struct PKCS11Selector: Sendable {
    /// The module's file.
    package var modulePath = ""

    /// What must fit of a token: what is nil fits any.
    package var tokenLabel: String?

    /// The token's manufacturer.
    package var manufacturer: String?

    /// The token's model.
    package var model: String?

    /// The token's serial number.
    package var serialNumber: String?

    /// The slot's number.
    package var slot: UInt?

    /// The private key's label (CKA_LABEL).
    package var objectLabel: String?

    /// The private key's identifier (CKA_ID).
    package var objectIdentifier: [UInt8]?

    /// The user's PIN; nil when none was named.
    package var pin: SensitiveBytes?

    /// Selects nothing yet.
    package init() {}
}
