public import ApplePayPrimitives
public import ApplePayWire

/// A JSON value in a gateway's answer; `null` counts as missing.
///
/// A member that is present with another type than the gateway documents is an error, never missing: otherwise an amount
/// that cannot be read would agree with every order.
public struct AnswerValue: Sendable {
    /// The limits of an answer: 1 MiB, and 32 levels.
    package static let limits = JSONIndex.Limits(textLength: 1 << 20, depth: 32)

    /// The most bytes of a string or a number that is read as a text: 64 KiB.
    package static let textLimit = 1 << 16

    private let text: [UInt8]
    private let index: JSONIndex
    private let value: JSONValue

    /// Reads a text; unknown members are kept.
    package init(_ text: [UInt8], limits: JSONIndex.Limits = limits) throws(JSONError) {
        let index = try JSONIndex(text.span, limits: limits)
        self.init(text, index, index.root)
    }

    /// Creates the value at a position of a text that was read.
    private init(_ text: [UInt8], _ index: JSONIndex, _ value: JSONValue) {
        self.text = text
        self.index = index
        self.value = value
    }

    /// Whether the value is an object.
    public var isObject: Bool { value.kind == .object }

    package var isArray: Bool { value.kind == .array }
    package var isString: Bool { value.kind == .string }

    package var kind: JSONValue.Kind { value.kind }

    /// Returns the member of this object, also one that is `null`; nil if it is missing.
    package func member(orNull name: String) -> AnswerValue? {
        index.member(name, of: value, in: text.span).map { AnswerValue(text, index, $0) }
    }

    /// Returns the member of this object; nil if it is missing or `null`.
    package func member(_ name: String) -> AnswerValue? {
        member(orNull: name).flatMap { $0.kind == .null ? nil : $0 }
    }

    /// The members of this object in the order of the text, also those that are `null`.
    package var members: [(name: ExactText, value: AnswerValue)] {
        index.members(of: value).map {
            (
                ExactText(utf8: JSONIndex.characters(of: $0.name, in: text.span)),
                AnswerValue(text, index, $0.value)
            )
        }
    }

    /// The value of a whole number without a decimal point, because 5.00 may be meant as 500 minor units; not of a string of
    /// digits.
    package var wholeNumber: Int64? {
        text[value.range].contains(UInt8(ascii: ".")) ? nil : index.integer(value, in: text.span)
    }

    /// The value of `true` or `false`, but not of a string.
    package var truth: Bool? { isString ? nil : boolean }

    /// Returns the member at a path of names: `value["a", "b"]` is the member `b` of the member `a`; nil if any of
    /// them is missing, and also if one on the way is not an object.
    public subscript(_ names: String...) -> AnswerValue? {
        var value = self
        for name in names {
            guard let member = value.member(name) else { return nil }
            value = member
        }
        return value
    }

    /// The elements of this array; empty for any other value.
    public var elements: [AnswerValue] {
        index.elements(of: value).map { AnswerValue(text, index, $0) }
    }

    /// The characters of a string, or the digits of a number, at most 64 KiB: many gateways mix the two.
    public var string: ExactText? {
        switch value.kind {
        case .string, .number: isTooLong ? nil : ExactText(utf8: characters)
        default: nil
        }
    }

    /// Whether the value has more bytes than a text that is read.
    package var isTooLong: Bool {
        JSONIndex.unescapedCount(of: value, in: text.span) > Self.textLimit
    }

    /// The number of characters (Unicode scalars) of a string.
    package var characterCount: Int { JSONIndex.characterCount(of: value, in: text.span) }

    /// The characters of a string; nil for any other value.
    package var quoted: ExactText? { isString ? string : nil }

    /// The value as it is written, with a string's quotation marks and escapes; never wiped.
    package var raw: [UInt8] { Array(text[value.range]) }

    /// The bytes of a string's characters, or the text of another value; never wiped.
    package var characters: [UInt8] {
        isString ? JSONIndex.characters(of: value, in: text.span) : raw
    }

    /// The characters of a string that is secret, at most 64 KiB.
    public var secret: SensitiveBytes? {
        guard value.kind == .string, !isTooLong else { return nil }
        return SensitiveBytes(
            SecretBytes(capacity: JSONIndex.unescapedCount(of: value, in: text.span)) { output in
                JSONIndex.unescape(value, in: text.span, into: &output)
            })
    }

    /// The value of an integer, or of a string of digits.
    package var integer: Int64? {
        index.integer(value, in: text.span) ?? string.flatMap { Int64($0.description) }
    }

    /// The value of `true` or `false`, also of a string that contains one of them.
    package var boolean: Bool? {
        switch value.kind {
        case .true: true
        case .false: false
        case .string: string.flatMap { Bool($0.description) }
        default: nil
        }
    }
}
