internal import ApplePayWire

/// The electronic commerce indicator of a cryptogram, in the forms that processors expect.
///
/// It is optional: without it, the request to the processor does not contain one either. If it is present, it must be
/// passed on (Apple, *Payment token format reference*, "detailed payment data keys (3-D Secure)").
public struct ElectronicCommerceIndicator: Hashable, Sendable, CustomStringConvertible {
    /// The number, 0 to 99.
    public let integer: Int

    private let digitCount: Int

    /// Creates an indicator from one or two ASCII digits; returns nil for anything else.
    init?(_ bytes: Span<UInt8>) {
        guard (1...2).contains(bytes.count), let number = DecimalDigits.integer(bytes) else {
            return nil
        }
        integer = Int(number)
        digitCount = bytes.count
    }

    /// The text as Apple wrote it: one or two digits, such as `7` or `05`.
    public var text: String { digitCount == 2 ? twoDigits : "\(integer)" }

    /// Two digits, such as `07`.
    public var twoDigits: String { integer < 10 ? "0\(integer)" : "\(integer)" }

    /// The text as Apple wrote it.
    public var description: String { text }
}
