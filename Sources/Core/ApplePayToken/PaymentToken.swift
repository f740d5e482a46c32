package import ApplePayPrimitives
public import ApplePayWire
internal import FoundationEssentials

/// An Apple Pay payment token that is well-formed, but not yet verified.
///
/// Source: Apple, *Payment token format reference*.
public struct PaymentToken: Sendable {
    /// The versions of tokens, which differ in how they transport the content key.
    public enum Version: String, Hashable, Sendable {
        /// The content key is agreed with an ephemeral P-256 key, and the data is encrypted with AES-256.
        case ecV1 = "EC_v1"

        /// The content key is encrypted with RSA-OAEP, and the data is encrypted with AES-128.
        case rsaV1 = "RSA_v1"

        /// The kind of both Apple's signing key and the merchant's key for tokens of this version.
        package var keyKind: KeyKind { self == .ecV1 ? .p256 : .rsa2048 }
    }

    /// The maximum length of `data` and of `signature` in bytes.
    ///
    /// In practice, `data` has a few hundred bytes and `signature` about two thousand.
    private static var fieldLimit: Int { 65_536 }

    /// `version`.
    public let version: Version

    /// The names of the wrappers around `paymentData`, outermost first.
    public var unwrapped: [String] { document.unwrapped }

    /// `header.transactionId`: 64 lower-case hexadecimal digits.
    ///
    /// Proven only once the token is decrypted: see ``VerifiedToken``.
    public var transactionId: String { transactionIdOctets.withSpan(Hexadecimal.text) }

    /// Returns what names the token in logs.
    func identity(signedAt time: Date) -> TokenIdentity {
        TokenIdentity(
            publicKeyHash: MerchantKeyring.base64(publicKeyHash), transactionId: transactionId,
            signingTime: time)
    }

    /// The message that Apple signs: the key, data, transactionId and applicationData, all decoded.
    ///
    /// They are concatenated without separators, and the length of `data` varies: see ``VerifiedToken``.
    package let signedMessage: [UInt8]

    /// `signature`, decoded: a CMS SignedData.
    package let signature: [UInt8]

    /// `header.publicKeyHash`, decoded.
    package let publicKeyHash: Octets32

    /// The indexed text of the token.
    let document: TokenDocument

    /// `header.transactionId`, decoded: the identifier of the transaction.
    package let transactionIdOctets: Octets32

    private let keyCount: Int
    private let dataCount: Int

    /// The other members of the wrappers, which are not signed; nil for a token without a wrapper.
    ///
    /// If several wrappers contain the same member, the innermost one is used.
    public var unsignedMembers: UnsignedMembers? { document.unsignedMembers }

    /// Reads a token in one of the forms that clients send.
    ///
    /// Members that Apple does not document are ignored, but kept for the gateway.
    ///
    /// - Parameters:
    ///   - text: The token's JSON in UTF-8, with the wrappers that ``TokenForm`` allows: at most 256 KiB, in an
    ///     array, `Data` or another sequence of bytes.
    ///   - form: The forms that are accepted.
    /// - Throws: ``PaymentTokenError`` of the stage `json` or `field`. Wrappers are checked before the token.
    ///
    /// Source: Apple, *Payment token format reference*, "payment token structure".
    public init(
        parsing text: some Sequence<UInt8>,
        form: TokenForm = .any
    ) throws(PaymentTokenError) {
        // The token keeps its text. An array is shared; other contiguous bytes are copied once.
        let document = try TokenDocument(text as? [UInt8] ?? [UInt8](text), form: form)
        let header = try TokenHeader(in: document)
        let data = try EncodedField(
            "data", document.member("data", of: document.paymentData), .base64, in: document)
        try data.requireCount(upTo: Self.fieldLimit)
        let signature = try EncodedField(
            "signature", document.member("signature", of: document.paymentData), .base64,
            in: document)
        try signature.requireCount(upTo: Self.fieldLimit)

        let transactionIdStart = header.key.count + data.count
        let transactionIdEnd = transactionIdStart + TokenHeader.hashCount
        let messageCount = transactionIdEnd + (header.applicationData?.count ?? 0)
        // Not `init(capacity:)`, which looks up the array's type at run time on every call.
        var signedMessage: [UInt8] = []
        try signedMessage.append(addingCapacity: messageCount) { output throws(PaymentTokenError) in
            try header.key.decode(from: document, into: &output)
            try data.decode(from: document, into: &output)
            try header.transactionId.decode(from: document, into: &output)
            try header.applicationData?.decode(from: document, into: &output)
        }
        var signatureOctets: [UInt8] = []
        try signatureOctets.append(addingCapacity: signature.count) {
            output throws(PaymentTokenError) in
            try signature.decode(from: document, into: &output)
        }
        let publicKeyHash = try header.publicKeyHash(in: document)
        let transactionId = signedMessage.span.extracting(transactionIdStart..<transactionIdEnd)
        guard let transactionIdOctets = Octets32(transactionId) else {
            throw PaymentTokenError(.wrongLength, member: "\(header.transactionId.name)")
        }
        let key = signedMessage.span.extracting(0..<header.key.count)
        if header.version == .ecV1, !P256PublicKey.hasUncompressedForm(key) {
            throw PaymentTokenError(.unsupportedPublicKey, member: "\(header.key.name)")
        }
        try Self.checkTransactionIdentifier(document, transactionIdOctets)

        // Assign last: if all properties were set before a check that can throw, the compiler would
        // copy the whole value.
        self.document = document
        version = header.version
        keyCount = header.key.count
        dataCount = data.count
        self.signedMessage = signedMessage
        self.signature = signatureOctets
        self.publicKeyHash = publicKeyHash
        self.transactionIdOctets = transactionIdOctets
    }

    /// The range of `ephemeralPublicKey` or `wrappedKey` in the signed message.
    package var keyRange: Range<Int> { 0..<keyCount }

    /// The range of `data` in the signed message: the ciphertext, then a tag of 16 bytes.
    package var dataRange: Range<Int> { keyCount..<keyCount + dataCount }

    /// `header.applicationData`, decoded: the SHA-256 of the request's application data, 32 bytes.
    ///
    /// It is nil when the token does not contain this member.
    ///
    /// Proven only once the token is decrypted: see ``VerifiedToken``.
    public var applicationData: [UInt8]? {
        let bytes = signedMessage[(dataRange.upperBound + TokenHeader.hashCount)...]
        return bytes.isEmpty ? nil : Array(bytes)
    }

    /// Writes `paymentData` for a gateway, with all members in their original order.
    ///
    /// Unknown members are written too; white space is not.
    ///
    /// - Parameters:
    ///   - json: The writer, at a position where a value is expected.
    ///   - sink: The sink that receives the bytes.
    package func writePaymentData(
        to json: inout JSONWriter,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        document.writePaymentData(to: &json, into: &sink)
    }

    /// Refuses a token if a wrapper contains another transaction identifier than the signed one.
    ///
    /// PassKit repeats the identifier in capitals outside the signed data; wrappers may repeat it again.
    private static func checkTransactionIdentifier(
        _ document: TokenDocument,
        _ transactionId: Octets32
    ) throws(PaymentTokenError) {
        guard !document.transactionIdentifiers.isEmpty else { return }
        let expected = ExactText(transactionId.withSpan(Hexadecimal.text))
        for identifier in document.transactionIdentifiers
        where identifier.utf8.count != expected.utf8.count || identifier.lowercasedASCII != expected
        {
            throw PaymentTokenError(.transactionIdentifierMismatch, member: "transactionIdentifier")
        }
    }
}

extension PaymentToken: CustomStringConvertible, CustomReflectable {
    /// The version only, because a token's bytes must not appear in logs.
    public var description: String { "PaymentToken(\(version.rawValue))" }

    /// A mirror without children, so that dumps do not show the token's bytes either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The accepted forms of a token's text.
public enum TokenForm: Hashable, Sendable {
    /// Every form in which client libraries send tokens: `paymentData` alone, or in up to four wrappers.
    ///
    /// A wrapper is an object with the member `paymentData`, `token`, `payment` or `details`, a JSON
    /// string that contains JSON, base64 of JSON, or bePaid's prefix before such base64.
    case any

    /// Only `paymentData` itself.
    case paymentData

    /// The hexadecimal digits of a text in any of these forms.
    case hexadecimal
}

/// The members that PassKit puts next to `paymentData` for display; they are not signed.
///
/// Do not base decisions on them. The account number determines the network that charges the card.
public struct UnsignedMembers: Hashable, Sendable {
    /// `transactionIdentifier`, in the spelling of the wrapper.
    ///
    /// A token is refused if any wrapper's identifier differs from the signed transactionId; upper and
    /// lower case are equal.
    public let transactionIdentifier: ExactText?

    /// `paymentMethod.displayName`, such as `Visa 0492`.
    public let displayName: ExactText?

    /// `paymentMethod.network` in PassKit's spelling, such as `MasterCard`.
    public let network: ExactText?

    /// `paymentMethod.type`, such as `debit`.
    public let type: ExactText?

    /// Returns these members, and takes missing ones from the outer wrapper.
    func completed(by outer: UnsignedMembers?) -> UnsignedMembers {
        UnsignedMembers(
            transactionIdentifier: transactionIdentifier ?? outer?.transactionIdentifier,
            displayName: displayName ?? outer?.displayName,
            network: network ?? outer?.network,
            type: type ?? outer?.type
        )
    }
}
