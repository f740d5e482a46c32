package import ApplePayPrimitives
package import ApplePayWire

/// An Apple Pay payment token as it arrived: well-formed, and nothing proven of it yet.
///
/// Source: Apple, *Payment token format reference*.
public struct PaymentToken: Sendable {
    /// The token's versions, which differ in how the content key travels.
    public enum Version: String, Hashable, Sendable {
        /// An ephemeral P-256 key; AES-256.
        case ecV1 = "EC_v1"

        /// A key wrapped by RSA-OAEP; AES-128.
        case rsaV1 = "RSA_v1"

        /// The kind of key that signs tokens of this version, and of the merchant's key that opens them.
        package var keyKind: KeyKind { self == .ecV1 ? .p256 : .rsa2048 }
    }

    /// The most bytes that `data` and `signature` may have, each; real ones have hundreds and two thousand.
    private static var fieldLimit: Int { 65_536 }

    /// `version`.
    public let version: Version

    /// The names of the wrappers that stood around `paymentData`, outermost first.
    public var unwrapped: [String] { document.unwrapped }

    /// `header.transactionId`: 64 lower-case hexadecimal digits.
    ///
    /// Proven only once the token is decrypted: see ``VerifiedToken``.
    public var transactionId: String { Self.hexadecimal(transactionIdOctets) }

    /// What Apple signs: key, data, transactionId and applicationData, decoded, one after the other.
    ///
    /// There are no separators, and `data` has no fixed length: see ``VerifiedToken``.
    package let signedMessage: [UInt8]

    /// `signature`, decoded: a CMS SignedData.
    package let signature: [UInt8]

    /// `header.publicKeyHash`, decoded.
    package let publicKeyHash: Octets32

    /// The text as it came, indexed.
    let document: TokenDocument

    /// `header.transactionId`, decoded: what a transaction is known by.
    package let transactionIdOctets: Octets32

    private let keyCount: Int
    private let dataCount: Int

    /// What the wrappers contain beside the token, signed by nobody; nil for a token without a wrapper.
    ///
    /// If a member is in several wrappers, the innermost counts.
    public var unsignedMembers: UnsignedMembers? { document.unsignedMembers }

    /// Reads a token in one of the forms in which tokens arrive.
    ///
    /// Members that Apple does not document are ignored, and kept for handing on.
    ///
    /// - Parameters:
    ///   - text: UTF-8, at most 256 KiB, in an array, `Data` or the like: the token's JSON, or what ``TokenForm``
    ///     allows around it.
    ///   - form: The forms that are accepted.
    /// - Throws: ``PaymentTokenError``: `json` or `field`, first of each wrapper, then of the token.
    ///
    /// Source: Apple, *Payment token format reference*, "payment token structure".
    public init(
        parsing text: some Sequence<UInt8>,
        form: TokenForm = .any
    ) throws(PaymentTokenError) {
        // An array is shared; contiguous bytes of another type are copied once, since the token keeps its text.
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
        // Not `init(capacity:)`, which asks the runtime for the array's type each time: 0.07 µs.
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

        // Last: a value that is whole before its last check would be copied out of the initializer.
        self.document = document
        version = header.version
        keyCount = header.key.count
        dataCount = data.count
        self.signedMessage = signedMessage
        self.signature = signatureOctets
        self.publicKeyHash = publicKeyHash
        self.transactionIdOctets = transactionIdOctets
    }

    /// Where `ephemeralPublicKey` or `wrappedKey` lies in the signed message.
    package var keyRange: Range<Int> { 0..<keyCount }

    /// Where `data` lies in the signed message: ciphertext, then 16 bytes of tag.
    package var dataRange: Range<Int> { keyCount..<keyCount + dataCount }

    /// `header.applicationData`, decoded: the SHA-256 of the request's application data, 32 bytes; nil
    /// when the token has none.
    ///
    /// Proven only once the token is decrypted: see ``VerifiedToken``.
    public var applicationData: [UInt8]? {
        let bytes = signedMessage[(dataRange.upperBound + TokenHeader.hashCount)...]
        return bytes.isEmpty ? nil : Array(bytes)
    }

    /// Writes `paymentData` for a gateway: every member in the order in which it came, the unknown ones
    /// too, without white space.
    ///
    /// - Parameters:
    ///   - json: The writer, where a value is due.
    ///   - sink: What it writes into.
    package func writePaymentData(
        to json: inout JSONWriter,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        document.writePaymentData(to: &json, into: &sink)
    }

    /// PassKit repeats the identifier outside of what is signed, in capitals; wrappers may repeat it again.
    private static func checkTransactionIdentifier(
        _ document: TokenDocument,
        _ transactionId: Octets32
    ) throws(PaymentTokenError) {
        for identifier in document.transactionIdentifiers
        where identifier.lowercased() != hexadecimal(transactionId) {
            throw PaymentTokenError(.transactionIdentifierMismatch, member: "transactionIdentifier")
        }
    }

    private static func hexadecimal(_ octets: Octets32) -> String {
        var sink = ByteArraySink(capacity: 64)
        octets.withSpan { Hexadecimal.encode($0, into: &sink) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }
}

extension PaymentToken: CustomStringConvertible, CustomReflectable {
    /// The version alone: a token's bytes do not belong into logs.
    public var description: String { "PaymentToken(\(version.rawValue))" }

    /// A mirror without children, so that dumps show no bytes of the token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// In which form a token's text is accepted.
public enum TokenForm: Hashable, Sendable {
    /// In every form in which client libraries send tokens: `paymentData` itself, objects around it
    /// (`paymentData`, `token`, `payment` or `details`), JSON in a JSON string, base64 of JSON, and
    /// bePaid's prefix before that. At most four wrappers are looked through.
    case any

    /// Only `paymentData` itself.
    case paymentData

    /// Hexadecimal of a text in any form.
    case hexadecimal
}

/// What PassKit puts beside `paymentData`: shown to people, signed by nobody.
///
/// Decide nothing by it. The network that charges the card follows from the account number.
public struct UnsignedMembers: Hashable, Sendable {
    /// `transactionIdentifier`, as it was written; in every wrapper it names the same transaction as the
    /// signed transactionId, or the token is refused.
    public let transactionIdentifier: String?

    /// `paymentMethod.displayName`, such as `Visa 0492`.
    public let displayName: String?

    /// `paymentMethod.network` in PassKit's spelling, such as `MasterCard`.
    public let network: String?

    /// `paymentMethod.type`, such as `debit`.
    public let type: String?

    /// Returns these members, with those of the wrapper around them where one is missing.
    func completed(by outer: UnsignedMembers?) -> UnsignedMembers {
        UnsignedMembers(
            transactionIdentifier: transactionIdentifier ?? outer?.transactionIdentifier,
            displayName: displayName ?? outer?.displayName,
            network: network ?? outer?.network,
            type: type ?? outer?.type
        )
    }
}
