internal import ApplePayPrimitives
internal import ApplePayWire

/// A JSON value in a gateway's answer; `null` counts as missing.
struct ResponseValue {
    private static let limits = JSONIndex.Limits(textLength: 1 << 20, depth: 32)

    private let text: [UInt8]
    private let index: JSONIndex
    private let value: JSONValue

    /// Reads the whole answer.
    init(_ text: [UInt8]) throws(JSONError) {
        let index = try JSONIndex(text.span, limits: Self.limits)
        self.init(text, index, index.root)
    }

    /// Reads an answer that is an object.
    ///
    /// - Throws: ``UnreadableJSONError`` with code `not-json`, then `wrong-type`.
    init(object text: [UInt8]) throws(UnreadableJSONError) {
        do {
            try self.init(text)
        } catch {
            throw UnreadableJSONError(.notJSON, field: "")
        }
        guard isObject else { throw UnreadableJSONError(.wrongType, field: "") }
    }

    private init(_ text: [UInt8], _ index: JSONIndex, _ value: JSONValue) {
        self.text = text
        self.index = index
        self.value = value
    }

    var isObject: Bool { value.kind == .object }
    var isArray: Bool { value.kind == .array }
    var isString: Bool { value.kind == .string }

    /// The member at a path of names: `value["a", "b"]` is the member `b` of the member `a`.
    subscript(_ names: String...) -> ResponseValue? {
        var value = value
        for name in names {
            guard let member = index.member(name, of: value, in: text.span) else { return nil }
            value = member
        }
        return value.kind == .null ? nil : ResponseValue(text, index, value)
    }

    /// The members of this object, with their names.
    var members: [(name: String, value: ResponseValue)] {
        index.members(of: value).map {
            (index.string($0.name, in: text.span), ResponseValue(text, index, $0.value))
        }
    }

    /// The elements of this array; empty for any other value.
    var elements: [ResponseValue] {
        index.elements(of: value).map { ResponseValue(text, index, $0) }
    }

    /// The characters of a string, or the digits of a number: many gateways mix the two.
    var string: String? {
        switch value.kind {
        case .string, .number: index.string(value, in: text.span)
        default: nil
        }
    }

    /// The characters of a string that is card data.
    var secret: SensitiveBytes? {
        guard value.kind == .string else { return nil }
        return SensitiveBytes(
            SecretBytes(capacity: index.unescapedCount(of: value, in: text.span)) { output in
                index.unescape(value, in: text.span, into: &output)
            })
    }

    /// The value of an integer, or of a string of digits.
    var integer: Int64? { index.integer(value, in: text.span) ?? string.flatMap { Int64($0) } }

    /// The value of `true` or `false`, or of a string that contains one of them.
    var boolean: Bool? {
        switch value.kind {
        case .true: true
        case .false: false
        case .string: string.flatMap { Bool($0) }
        default: nil
        }
    }
}

/// Members that an answer must have.
extension ResponseValue {
    /// Returns a string, or a number as it is written.
    ///
    /// - Throws: Code `missing-member`, then `wrong-type`.
    func mandatoryText(_ names: String...) throws(UnreadableJSONError) -> String {
        guard let text = try mandatory(names).string else {
            throw UnreadableJSONError(.wrongType, field: names.joined(separator: "."))
        }
        return text
    }

    /// Returns a secret string.
    ///
    /// - Throws: Code `missing-member`, then `wrong-type`.
    func mandatorySecret(_ names: String...) throws(UnreadableJSONError) -> SensitiveBytes {
        guard let secret = try mandatory(names).secret else {
            throw UnreadableJSONError(.wrongType, field: names.joined(separator: "."))
        }
        return secret
    }

    /// Returns an integer, or a string of digits, that decides about money; nil if the member is missing.
    ///
    /// - Throws: Code `wrong-type` for any other value, which must not count as missing.
    func optionalInteger(_ names: String...) throws(UnreadableJSONError) -> Int64? {
        guard let value = try? mandatory(names) else { return nil }
        guard let integer = value.integer else {
            throw UnreadableJSONError(.wrongType, field: names.joined(separator: "."))
        }
        return integer
    }

    /// Returns a string, or a number as it is written, that decides about money; nil if the member is missing.
    ///
    /// - Throws: Code `wrong-type` for any other value, which must not count as missing.
    func optionalText(_ names: String...) throws(UnreadableJSONError) -> String? {
        guard let value = try? mandatory(names) else { return nil }
        guard let text = value.string else {
            throw UnreadableJSONError(.wrongType, field: names.joined(separator: "."))
        }
        return text
    }

    private func mandatory(_ names: [String]) throws(UnreadableJSONError) -> ResponseValue {
        var value = self
        for name in names {
            guard let member = value[name] else {
                throw UnreadableJSONError(.missingMember, field: names.joined(separator: "."))
            }
            value = member
        }
        return value
    }
}
