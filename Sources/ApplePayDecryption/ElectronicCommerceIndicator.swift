/// The electronic commerce indicator that goes with a cryptogram, in the forms processors want.
///
/// It may be missing, and is then left out; when it is there it must reach the processor
/// (Apple, *Payment token format reference*, "detailed payment data keys (3-D Secure)").
public struct ElectronicCommerceIndicator: Hashable, Sendable, CustomStringConvertible {
    /// The text as Apple wrote it: one or two digits, such as `7` or `05`.
    public let text: String

    /// The number, 0 to 99.
    public let integer: Int

    /// Takes one or two ASCII digits; nil for anything else.
    init?(_ bytes: Span<UInt8>) {
        guard (1...2).contains(bytes.count) else { return nil }
        var number = 0
        var copy = ""
        for index in bytes.indices {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index]) - 0x30
            copy.append(Character(Unicode.Scalar(bytes[index])))
        }
        text = copy
        integer = number
    }

    /// Two digits, such as `07`.
    public var twoDigits: String { text.utf8.count == 1 ? "0\(text)" : text }

    /// The text as Apple wrote it.
    public var description: String { text }
}
