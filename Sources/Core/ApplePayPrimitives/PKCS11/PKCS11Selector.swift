/// Selects a private key in a module, as a `pkcs11:` URI does (RFC 7512 §2.3, §2.4).
package struct PKCS11Selector: Sendable {
    /// The path of the module's file.
    package var modulePath = ""

    /// The token's label; nil here or in the other properties of the token matches any token.
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

    /// The user's PIN; nil if none was given.
    package var pin: SensitiveBytes?

    /// Creates an empty selector.
    package init() {}
}
