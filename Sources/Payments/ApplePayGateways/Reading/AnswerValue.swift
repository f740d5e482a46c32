public import ApplePayPrimitives
package import ApplePayWire

/// A JSON value in a gateway's answer; `null` counts as missing.
///
/// A member that is present with another type than the gateway documents is an error, never missing: otherwise an amount
/// that cannot be read would agree with every order.
public struct AnswerValue: Sendable {
    private static let limits = JSONIndex.Limits(textLength: 1 << 20, depth: 32)

    private let text: [UInt8]
    private let index: JSONIndex
    private let value: JSONValue

    /// Reads a text of at most 1 MiB; unknown members are kept.
    package init(_ text: [UInt8]) throws(JSONError) {
        let index = try JSONIndex(text.span, limits: Self.limits)
        self.init(text, index, index.root)
    }

    /// Reads an answer that is an object.
    ///
    /// - Parameter text: UTF-8, at most 1 MiB and 32 levels deep.
    /// - Throws: ``UnreadableJSONError`` with code `not-json`, then `wrong-type`.
    public init(object text: [UInt8]) throws(UnreadableJSONError) {
        do {
            try self.init(text)
        } catch {
            throw UnreadableJSONError(.notJSON, field: "")
        }
        guard isObject else { throw UnreadableJSONError(.wrongType, field: "") }
    }

    /// Creates the value at a position of a text that was read.
    package init(_ text: [UInt8], _ index: JSONIndex, _ value: JSONValue) {
        self.text = text
        self.index = index
        self.value = value
    }

    /// Whether the value is an object.
    public var isObject: Bool { value.kind == .object }

    package var isArray: Bool { value.kind == .array }
    package var isString: Bool { value.kind == .string }

    /// The members of this object in the order of the text, also those that are `null`.
    package var members: [(name: String, value: AnswerValue)] {
        index.members(of: value).map {
            (index.string($0.name, in: text.span), AnswerValue(text, index, $0.value))
        }
    }

    /// The value of a whole number, but not of a string of digits.
    package var wholeNumber: Int64? { index.integer(value, in: text.span) }

    /// The value of `true` or `false`, but not of a string.
    package var truth: Bool? { isString ? nil : boolean }

    /// Returns the member at a path of names: `value["a", "b"]` is the member `b` of the member `a`.
    ///
    /// - Parameter names: The names.
    /// - Returns: Nil if any of them is missing, and also if one on the way is not an object.
    public subscript(_ names: String...) -> AnswerValue? { try? member(names) }

    /// The elements of this array; empty for any other value.
    public var elements: [AnswerValue] {
        index.elements(of: value).map { AnswerValue(text, index, $0) }
    }

    /// The characters of a string, or the digits of a number: many gateways mix the two.
    public var string: String? {
        switch value.kind {
        case .string, .number: index.string(value, in: text.span)
        default: nil
        }
    }

    /// The characters of a string that is secret.
    public var secret: SensitiveBytes? {
        guard value.kind == .string else { return nil }
        return SensitiveBytes(
            SecretBytes(capacity: JSONIndex.unescapedCount(of: value, in: text.span)) { output in
                JSONIndex.unescape(value, in: text.span, into: &output)
            })
    }

    private var integer: Int64? {
        index.integer(value, in: text.span) ?? string.flatMap { Int64($0) }
    }

    private var boolean: Bool? {
        switch value.kind {
        case .true: true
        case .false: false
        case .string: string.flatMap { Bool($0) }
        default: nil
        }
    }

    private func member(_ names: [String]) throws(UnreadableJSONError) -> AnswerValue? {
        var value = value
        for (position, name) in names.enumerated() {
            guard value.kind == .object else {
                throw Self.wrongType(Array(names.prefix(position)))
            }
            guard let member = index.member(name, of: value, in: text.span),
                member.kind != .null
            else { return nil }
            value = member
        }
        return AnswerValue(text, index, value)
    }

    private static func wrongType(_ names: [String]) -> UnreadableJSONError {
        UnreadableJSONError(.wrongType, field: names.joined(separator: "."))
    }
}

/// Members by their paths.
extension AnswerValue {
    /// Returns an object; nil if it is missing.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`.
    public func object(_ names: String...) throws(UnreadableJSONError) -> AnswerValue? {
        guard let member = try member(names) else { return nil }
        guard member.isObject else { throw Self.wrongType(names) }
        return member
    }

    /// Returns the elements of an array; empty if it is missing.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`, also for an element that is not an object.
    public func objects(_ names: String...) throws(UnreadableJSONError) -> [AnswerValue] {
        guard let member = try member(names) else { return [] }
        let elements = member.elements
        guard member.isArray, elements.allSatisfy(\.isObject) else { throw Self.wrongType(names) }
        return elements
    }

    /// Returns a string, or a number as it is written; nil if it is missing.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`.
    public func text(_ names: String...) throws(UnreadableJSONError) -> String? {
        guard let member = try member(names) else { return nil }
        guard let text = member.string else { throw Self.wrongType(names) }
        return text
    }

    /// Returns an integer, or the value of a string of digits; nil if it is missing.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`.
    public func integer(_ names: String...) throws(UnreadableJSONError) -> Int64? {
        guard let member = try member(names) else { return nil }
        guard let integer = member.integer else { throw Self.wrongType(names) }
        return integer
    }

    /// Returns `true` or `false`, also of a string that contains one of them; nil if it is missing.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `wrong-type`.
    public func boolean(_ names: String...) throws(UnreadableJSONError) -> Bool? {
        guard let member = try member(names) else { return nil }
        guard let boolean = member.boolean else { throw Self.wrongType(names) }
        return boolean
    }

    /// Returns a string, or a number as it is written.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `missing-member`, then `wrong-type`.
    public func mandatoryText(_ names: String...) throws(UnreadableJSONError) -> String {
        guard let member = try member(names) else {
            throw UnreadableJSONError(.missingMember, field: names.joined(separator: "."))
        }
        guard let text = member.string else { throw Self.wrongType(names) }
        return text
    }

    /// Returns a secret string.
    ///
    /// - Parameter names: The path.
    /// - Returns: The value.
    /// - Throws: ``UnreadableJSONError`` with code `missing-member`, then `wrong-type`.
    public func mandatorySecret(_ names: String...) throws(UnreadableJSONError) -> SensitiveBytes {
        guard let member = try member(names) else {
            throw UnreadableJSONError(.missingMember, field: names.joined(separator: "."))
        }
        guard let secret = member.secret else { throw Self.wrongType(names) }
        return secret
    }
}
