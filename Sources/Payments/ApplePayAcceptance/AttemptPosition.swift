public import ApplePayWire
public import FoundationEssentials

/// The position of an attempt in the list of open attempts, after which the list can be read on.
///
/// Its text is three parts with full stops between them: the listing, when the attempt began in seconds since 1970, and
/// its serial.
public struct AttemptPosition: Hashable, Sendable, LosslessStringConvertible {
    /// How the attempt was listed.
    public let listing: AttemptRecord.Listing
    /// When the attempt began, to the second.
    public let beginning: Date
    /// The serial of the attempt.
    public let serial: ExactText

    /// Creates the position of an attempt as it was read.
    public init(_ record: AttemptRecord) {
        self.init(
            listing: record.listing, beginning: AttemptRecord.second(record.beginning),
            serial: record.serial)
    }

    package init(listing: AttemptRecord.Listing, beginning: Date, serial: ExactText) {
        self.listing = listing
        self.beginning = beginning
        self.serial = serial
    }

    /// Reads the text of a position; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int(parts[0]),
            let listing = AttemptRecord.Listing(rawValue: number), let second = Int64(parts[1]),
            parts[2].utf8.count == 32, parts[2].allSatisfy("0123456789abcdef".contains)
        else { return nil }
        self.init(
            listing: listing, beginning: Date(timeIntervalSince1970: Double(second)),
            serial: ExactText(parts[2]))
        guard ExactText(description) == ExactText(text) else { return nil }
    }

    /// The text.
    public var description: String {
        "\(listing.rawValue).\(beginning.secondsSince1970).\(serial)"
    }
}
