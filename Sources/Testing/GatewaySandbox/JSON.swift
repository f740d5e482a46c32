import ApplePayWire

/// A JSON value of a request or an answer; objects keep the order of their members.
indirect enum JSON: Equatable, Sendable {
    /// A member of an object.
    struct Member: Equatable, Sendable {
        /// The name.
        let name: String

        /// The value.
        let value: JSON
    }

    /// `null`.
    case null

    /// `true` or `false`.
    case boolean(Bool)

    /// A number that is an integer and fits into Int64; all amounts are integers.
    case integer(Int64)

    /// Any other number, as it is written.
    case number(String)

    /// A string.
    case string(String)

    /// The elements of an array.
    case array([JSON])

    /// The members of an object; after parsing, each name occurs once.
    case object([Member])

    /// Parses a text of at most 1 MiB and 16 levels; nil if it is not JSON (RFC 8259).
    init?(parsing text: [UInt8]) {
        let limits = JSONIndex.Limits(textLength: SandboxRequest.longestBody, depth: 16)
        guard let index = try? JSONIndex(text.span, limits: limits) else { return nil }
        self = Self.value(index.root, index, text)
    }

    private static func value(_ value: JSONValue, _ index: JSONIndex, _ text: [UInt8]) -> JSON {
        switch value.kind {
        case .null: .null
        case .true: .boolean(true)
        case .false: .boolean(false)
        case .string: .string(index.string(value, in: text.span))
        case .number:
            index.integer(value, in: text.span).map(JSON.integer)
                ?? .number(index.string(value, in: text.span))
        case .array: .array(index.elements(of: value).map { Self.value($0, index, text) })
        case .object:
            .object(
                index.members(of: value).map {
                    Member(
                        name: index.string($0.name, in: text.span),
                        value: Self.value($0.value, index, text))
                })
        }
    }

    /// The value at a path such as `order.amount` or `purchase_units.0.amount`; nil for `null`.
    subscript(_ path: String) -> JSON? {
        var value = self
        for part in path.split(separator: ".") {
            switch value {
            case .object(let members):
                guard let member = members.first(where: { $0.name == part }) else { return nil }
                value = member.value
            case .array(let elements):
                guard let position = Int(part), elements.indices.contains(position) else {
                    return nil
                }
                value = elements[position]
            default: return nil
            }
        }
        return value == .null ? nil : value
    }

    /// The string; nil for any other value.
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer, or the value of a string of digits, which some vendors use instead.
    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .string(let text) where !text.isEmpty && text.utf8.allSatisfy(Self.isDigit):
            Int64(text)
        default: nil
        }
    }

    /// `true` or `false`; nil for any other value.
    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// Returns the minor units of a decimal such as `30.00` or `30`; nil for other values and for more decimals.
    func units(decimals: Int) -> Int64? {
        let text: String
        switch self {
        case .string(let string): text = string
        case .number(let number): text = number
        case .integer(let value): text = String(value)
        default: return nil
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard isDecimal, fraction.count <= decimals else { return nil }
        let padding = String(repeating: "0", count: decimals - fraction.count)
        return Int64(parts[0] + fraction + padding)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    /// Creates an object; members whose value is nil are omitted.
    init(dictionaryLiteral elements: (String, JSON?)...) {
        self = .object(
            elements.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// Creates an array.
    init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Creates a string.
    init(stringLiteral text: String) { self = .string(text) }

    /// Creates an integer.
    init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates `true` or `false`.
    init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Returns a JSON string; nil for nil.
    static func optional(_ text: String?) -> JSON? { text.map(JSON.string) }

    /// Returns a JSON integer; nil for nil.
    static func optional(_ value: Int64?) -> JSON? { value.map(JSON.integer) }

    /// Returns the object with members appended.
    func adding(_ more: JSON) -> JSON {
        guard case .object(let members) = self, case .object(let others) = more else { return self }
        return .object(members + others)
    }
}

extension JSON {
    /// The value as compact UTF-8 text.
    var bytes: [UInt8] {
        var sink = ByteArraySink()
        var writer = JSONWriter()
        write(into: &sink, &writer)
        return sink.bytes
    }

    private func write(into sink: inout ByteArraySink, _ writer: inout JSONWriter) {
        switch self {
        case .null: writer.null(into: &sink)
        case .boolean(let value): writer.boolean(value, into: &sink)
        case .integer(let value): writer.integer(value, into: &sink)
        case .number(let text): writer.raw(text.utf8.span, into: &sink)
        case .string(let text): writer.string(text, into: &sink)
        case .array(let elements):
            writer.beginArray(into: &sink)
            for element in elements { element.write(into: &sink, &writer) }
            writer.endArray(into: &sink)
        case .object(let members):
            writer.beginObject(into: &sink)
            for member in members {
                writer.name(member.name, into: &sink)
                member.value.write(into: &sink, &writer)
            }
            writer.endObject(into: &sink)
        }
    }
}
