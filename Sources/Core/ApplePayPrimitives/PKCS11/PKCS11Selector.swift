/// Selects a private key in a module, as a `pkcs11:` URI does (RFC 7512 §2.3, §2.4).
package struct PKCS11Selector: Sendable {
    /// The path of the module's file.
    package var modulePath = ""

    /// The token's label in UTF-8; nil here or in the other properties of the token matches any token.
    package var tokenLabel: [UInt8]?

    /// The token's manufacturer in UTF-8.
    package var manufacturer: [UInt8]?

    /// The token's model in UTF-8.
    package var model: [UInt8]?

    /// The token's serial number in UTF-8.
    package var serialNumber: [UInt8]?

    /// The slot's number.
    package var slot: UInt?

    /// The private key's label (CKA_LABEL) in UTF-8.
    package var objectLabel: [UInt8]?

    /// The private key's identifier (CKA_ID).
    package var objectIdentifier: [UInt8]?

    /// The user's PIN; nil if none was given.
    package var pin: SensitiveBytes?

    /// Creates an empty selector.
    package init() {}
}
