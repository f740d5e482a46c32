public import ApplePayWire

/// Attempts whose outcomes changed, and where to read on.
public struct AttemptChanges: Hashable, Sendable {
    /// The attempts with their newest records, in the order of their changes.
    public let attempts: [AttemptRecord]
    /// The cursor after the last of them.
    public let cursor: ChangeCursor

    /// Creates a page, for a ledger that you write.
    public init(attempts: [AttemptRecord], cursor: ChangeCursor) {
        self.attempts = attempts
        self.cursor = cursor
    }
}

/// How far the changes of a ledger were read.
///
/// Its text is the number of the last change and the ledger's generation, with a full stop between them.
public struct ChangeCursor: Hashable, Sendable, LosslessStringConvertible {
    /// The number of the last change; 0 before the first one.
    public let number: Int64
    /// The random text that the ledger got when it was created or restored: 32 lowercase hexadecimal digits.
    public let generation: ExactText

    /// Creates a cursor, for a ledger that you write.
    public init(number: Int64, generation: ExactText) {
        self.number = number
        self.generation = generation
    }

    /// Reads the text of a cursor; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0,
            parts[1].utf8.count == 32, parts[1].allSatisfy("0123456789abcdef".contains)
        else { return nil }
        self.init(number: number, generation: ExactText(parts[1]))
        guard ExactText(description) == ExactText(text) else { return nil }
    }

    /// The text.
    public var description: String { "\(number).\(generation)" }

    /// Returns the number after which changes are read; nil if the cursor is of another generation, or ahead of the
    /// newest number.
    package static func start(
        after cursor: ChangeCursor?, generation: ExactText, newest: Int64
    ) -> Int64? {
        guard let cursor else { return 0 }
        return cursor.generation == generation && cursor.number <= newest ? cursor.number : nil
    }

    /// The greatest number of changes in a page.
    package static let pageCount = 1_000
}
