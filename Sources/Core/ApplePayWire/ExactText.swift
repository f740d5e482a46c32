/// A text as the bytes that somebody wrote: two are equal only if all their bytes are.
///
/// Swift's `String` takes `K` and U+212A (Kelvin sign) as equal, and both forms of an accented letter, in a time
/// that grows with the square of a run of combining marks. Ledgers, gateways and keys compare bytes; so do references, names and
/// identifiers here. A literal is one already; `ExactText(text)` makes one from a `String`, and `String(text)` is the way back.
public struct ExactText: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The text in UTF-8.
    public let utf8: [UInt8]

    /// Creates a text from the bytes of a `String`.
    public init(_ text: some StringProtocol) { utf8 = Array(text.utf8) }

    /// Creates a text from a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates a text from bytes that were read as UTF-8.
    @inlinable package init(utf8: some Sequence<UInt8>) { self.utf8 = Array(utf8) }

    /// Whether the text has no bytes.
    public var isEmpty: Bool { utf8.isEmpty }

    /// The number of characters (Unicode scalars).
    package var characterCount: Int { Self.characterCount(ofUTF8: utf8.span) }

    /// Returns the number of characters of UTF-8.
    package static func characterCount(ofUTF8 bytes: Span<UInt8>) -> Int {
        var counter = CharacterCounter()
        counter.append(bytes)
        return counter.count
    }

    /// Returns whether the text begins with the bytes of another.
    package func hasPrefix(_ prefix: ExactText) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Returns whether the text ends with the bytes of another.
    package func hasSuffix(_ suffix: ExactText) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Returns whether the bytes of another text are somewhere in this one.
    package func contains(_ part: ExactText) -> Bool { utf8.contains(part.utf8) }

    /// The text with the letters A to Z as a to z.
    package var lowercasedASCII: ExactText {
        ExactText(utf8: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    }

    /// The text with the letters a to z as A to Z.
    package var uppercasedASCII: ExactText {
        ExactText(utf8: utf8.map { (0x61...0x7A).contains($0) ? $0 & ~0x20 : $0 })
    }
}

extension ExactText: Comparable {
    /// Orders by the bytes, which is the order of the code points.
    public static func < (first: ExactText, second: ExactText) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}

extension ExactText: LosslessStringConvertible {
    /// The text for people.
    public var description: String { String(decoding: utf8, as: UTF8.self) }
}

extension ExactText: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// Creates the case whose raw value has these bytes; `init(rawValue:)` compares as `String` does.
    package init?(_ text: ExactText) {
        guard let value = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) })
        else {
            return nil
        }
        self = value
    }
}

extension Sequence<ExactText> {
    /// Returns the texts for people, with a separator between them.
    package func joined(separator: String) -> String {
        map(\.description).joined(separator: separator)
    }
}
