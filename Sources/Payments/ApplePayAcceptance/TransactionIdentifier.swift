package import ApplePayPrimitives
internal import ApplePayWire

/// The identifier of a transaction: the 32 bytes of the transactionId that Apple signed.
public struct TransactionIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The bytes.
    package let octets: Octets32

    /// Creates an identifier from its bytes.
    package init(_ octets: Octets32) {
        self.octets = octets
    }

    /// Reads an identifier; nil unless the text has the given form.
    ///
    /// - Parameter hexadecimal: 64 hexadecimal digits in uppercase or lowercase, as in a token or in a ledger's list.
    public init?(hexadecimal: String) {
        guard let bytes = Hexadecimal.decoded(hexadecimal.utf8.span),
            let octets = Octets32(bytes.span)
        else { return nil }
        self.octets = octets
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { octets.bytes }

    /// 64 lowercase hexadecimal digits.
    public var description: String { octets.withSpan(Hexadecimal.text) }
}
