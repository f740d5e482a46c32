internal import ApplePayPrimitives
internal import ApplePayWire

/// The token's version and the members of its header, with their lengths checked.
struct TokenHeader {
    /// The length in bytes of a SHA-256 and of a transaction identifier.
    static let hashCount = 32

    /// The length of an RSA-2048 ciphertext in bytes.
    private static let wrappedKeyCount = 256

    let version: PaymentToken.Version

    /// `ephemeralPublicKey` or `wrappedKey`.
    let key: EncodedField

    let transactionId: EncodedField

    /// `applicationData`, if there is one.
    let applicationData: EncodedField?

    private let publicKeyHashField: EncodedField

    init(in document: TokenDocument) throws(PaymentTokenError) {
        version = try Self.version(in: document)
        guard let header = document.member("header", of: document.paymentData) else {
            throw PaymentTokenError(.missingMember, member: "header")
        }
        guard case .object = header.kind else {
            throw PaymentTokenError(.wrongType, member: "header")
        }
        let ephemeralPublicKey = document.member("ephemeralPublicKey", of: header)
        let wrappedKey = document.member("wrappedKey", of: header)
        switch version {
        case .ecV1:
            key = try EncodedField(
                "header.ephemeralPublicKey", ephemeralPublicKey, .base64, in: document)
            guard wrappedKey == nil else {
                throw PaymentTokenError(.unexpectedMember, member: "header.wrappedKey")
            }
            try key.requireCount(P256PublicKey.encodedCount)
        case .rsaV1:
            key = try EncodedField("header.wrappedKey", wrappedKey, .base64, in: document)
            guard ephemeralPublicKey == nil else {
                throw PaymentTokenError(.unexpectedMember, member: "header.ephemeralPublicKey")
            }
            try key.requireCount(Self.wrappedKeyCount)
        }
        publicKeyHashField = try EncodedField(
            "header.publicKeyHash", document.member("publicKeyHash", of: header), .base64,
            in: document)
        try publicKeyHashField.requireCount(Self.hashCount)
        transactionId = try EncodedField(
            "header.transactionId", document.member("transactionId", of: header), .hexadecimal,
            in: document)
        try transactionId.requireCount(Self.hashCount)
        if let value = document.member("applicationData", of: header) {
            let field = try EncodedField(
                "header.applicationData", value, .hexadecimal, in: document)
            try field.requireCount(Self.hashCount)
            applicationData = field
        } else {
            applicationData = nil
        }
    }

    /// `publicKeyHash`, decoded.
    func publicKeyHash(in document: TokenDocument) throws(PaymentTokenError) -> Octets32 {
        try Octets32.appended { output throws(PaymentTokenError) in
            try publicKeyHashField.decode(from: document, into: &output)
        }
    }

    private static func version(in document: TokenDocument) throws(PaymentTokenError)
        -> PaymentToken.Version
    {
        guard let value = document.member("version", of: document.paymentData) else {
            throw PaymentTokenError(.missingMember, member: "version")
        }
        guard case .string = value.kind else {
            throw PaymentTokenError(.wrongType, member: "version")
        }
        if document.equals(value, PaymentToken.Version.ecV1.rawValue) { return .ecV1 }
        if document.equals(value, PaymentToken.Version.rsaV1.rawValue) { return .rsaV1 }
        let isEmpty = document.equals(value, "")
        throw PaymentTokenError(isEmpty ? .emptyToken : .unsupportedVersion, member: "version")
    }
}
