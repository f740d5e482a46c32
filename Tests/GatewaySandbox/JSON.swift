import ApplePayWire

/// A JSON value of a request or an answer; the members of objects keep their order.
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

    /// A number that is whole and fits; all money is one of these.
    case integer(Int64)

    /// Any other number, as it is written.
    case number(String)

    /// A string.
    case string(String)

    /// The elements of an array.
    case array([JSON])

    /// The members of an object; a name occurs once in what was parsed.
    case object([Member])

    /// Reads a text of at most 1 MiB and 16 levels; nil if it is not JSON (RFC 8259).
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

    /// Returns the value at a path such as `order.amount` or `purchase_units.0.amount`; `null` is nil.
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

    /// A string's characters; nil for any other value.
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// A whole number, or a string of digits, which some vendors write in its place.
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

    /// The digits of a decimal such as `30.00` without its point: the amount in minor units.
    var minorUnits: Int64? {
        let text: String
        switch self {
        case .string(let string): text = string
        case .number(let number): text = number
        case .integer(let value): return value < 0 ? nil : value
        default: return nil
        }
        let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }
        guard text.utf8.count - digits.count <= 1, text.utf8.first != UInt8(ascii: "."),
            text.utf8.last != UInt8(ascii: "."), digits.allSatisfy(Self.isDigit)
        else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    /// An object; members whose value is nil are left out.
    init(dictionaryLiteral elements: (String, JSON?)...) {
        self = .object(
            elements.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// An array.
    init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// A string.
    init(stringLiteral text: String) { self = .string(text) }

    /// A whole number.
    init(integerLiteral value: Int64) { self = .integer(value) }

    /// `true` or `false`.
    init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// A string; nil for no string.
    static func optional(_ text: String?) -> JSON? { text.map(JSON.string) }

    /// Returns the object with more members at its end.
    func adding(_ more: JSON) -> JSON {
        guard case .object(let members) = self, case .object(let others) = more else { return self }
        return .object(members + others)
    }
}

extension JSON {
    /// Compact UTF-8 text.
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
