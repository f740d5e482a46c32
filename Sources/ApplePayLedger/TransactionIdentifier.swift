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
        let text = Array(hexadecimal.utf8)
        guard text.count == 64 else { return nil }
        var isWhole = false
        let bytes = [UInt8](capacity: 32) { output in
            isWhole = Hexadecimal.decode(text.span, into: &output)
        }
        guard isWhole, let octets = Octets32(bytes.span) else { return nil }
        self.octets = octets
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { octets.bytes }

    /// 64 lowercase hexadecimal digits.
    public var description: String {
        var sink = ByteArraySink(capacity: 64)
        octets.withSpan { Hexadecimal.encode($0, into: &sink) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }
}
