internal import ApplePayPrimitives
internal import ApplePayWire

/// One object of a decrypted payload, read member by member without copying what it holds.
struct PayloadObject {
    private let payload: SensitiveBytes
    private let index: JSONIndex
    private let object: JSONValue

    /// Where the object stands, as a prefix for its members' names.
    private let path: String

    /// Reads the whole payload, which must be one object.
    init(_ payload: SensitiveBytes) throws(PaymentTokenError) {
        do throws(JSONError) {
            index = try payload.withRevealedBytes { text throws(JSONError) in try JSONIndex(text) }
        } catch {
            throw PaymentTokenError(.payloadNotJSON)
        }
        guard index.root.kind == .object else { throw PaymentTokenError(.payloadWrongType) }
        self.payload = payload
        object = index.root
        path = ""
    }

    private init(_ object: JSONValue, in parent: PayloadObject, path: String) {
        payload = parent.payload
        index = parent.index
        self.object = object
        self.path = path
    }

    // MARK: Members that must be there

    /// The value that `make` reads from a string; it answers nil for what is not allowed.
    func value<Value>(
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentTokenError) -> Value {
        try value(mandatory(name), name, make)
    }

    /// As ``value(_:_:)`` for what keeps nothing of the string's bytes.
    func reading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentTokenError) -> Value {
        try reading(mandatory(name), name, make)
    }

    /// A whole number from 0 to the largest `Int64`, exactly; if `allowingText`, a string of decimal digits
    /// and nothing else is one as well.
    func amount(_ name: String, allowingText: Bool = false) throws(PaymentTokenError) -> Int64 {
        let number = try mandatory(name)
        if allowingText, number.kind == .string { return try reading(number, name, Self.amount) }
        guard number.kind == .number else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        let amount = payload.withRevealedBytes { text in
            // -0 is a JSON number and equal to 0, but an amount is never negative.
            text[number.range.lowerBound] == UInt8(ascii: "-")
                ? nil : index.integer(number, in: text)
        }
        guard let amount else { throw PaymentTokenError(.payloadInvalidValue, member: path + name) }
        return amount
    }

    /// An object inside this one.
    func object(_ name: String) throws(PaymentTokenError) -> PayloadObject {
        try object(mandatory(name), name)
    }

    // MARK: Members that may be missing, or null, which is the same

    /// As ``value(_:_:)``; nil when the member is missing.
    func optionalValue<Value>(
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentTokenError) -> Value? {
        guard let string = optional(name) else { return nil }
        return try value(string, name, make)
    }

    /// As ``optionalValue(_:_:)`` for what keeps nothing of the string's bytes.
    func optionalReading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentTokenError) -> Value? {
        guard let string = optional(name) else { return nil }
        return try reading(string, name, make)
    }

    /// A string that is no secret; nil when the member is missing.
    func optionalText(_ name: String) throws(PaymentTokenError) -> String? {
        try optionalValue(name) { $0.revealText() }
    }

    /// As ``object(_:)``; nil when the member is missing.
    func optionalObject(_ name: String) throws(PaymentTokenError) -> PayloadObject? {
        guard let object = optional(name) else { return nil }
        return try self.object(object, name)
    }

    /// The elements of an array, each an object or the error that it is none; empty when the member is
    /// missing.
    func objects(
        _ name: String
    ) throws(PaymentTokenError) -> [Result<PayloadObject, PaymentTokenError>] {
        guard let array = optional(name) else { return [] }
        guard array.kind == .array else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        return index.elements(of: array).enumerated().map { position, element in
            Result { () throws(PaymentTokenError) in try object(element, "\(name)[\(position)]") }
        }
    }

    // MARK: Questions

    /// Whether the object has the member, be it null.
    func contains(_ name: String) -> Bool { member(name) != nil }

    /// Whether the member is a string without characters.
    func isEmptyString(_ name: String) -> Bool {
        member(name).map { $0.kind == .string && $0.contentRange.isEmpty } ?? false
    }

    // MARK: Values

    private func member(_ name: String) -> JSONValue? {
        payload.withRevealedBytes { index.member(name, of: object, in: $0) }
    }

    private func mandatory(_ name: String) throws(PaymentTokenError) -> JSONValue {
        guard let value = member(name) else {
            throw PaymentTokenError(.payloadMemberMissing, member: path + name)
        }
        return value
    }

    private func optional(_ name: String) -> JSONValue? {
        guard let value = member(name), value.kind != .null else { return nil }
        return value
    }

    private func value<Value>(
        _ string: JSONValue,
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentTokenError) -> Value {
        guard string.kind == .string else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        guard let value = text(string).flatMap(make) else {
            throw PaymentTokenError(.payloadInvalidValue, member: path + name)
        }
        return value
    }

    private func reading<Value>(
        _ string: JSONValue,
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentTokenError) -> Value {
        guard string.kind == .string else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        let value =
            if string.hasEscapes {
                text(string).flatMap { $0.withRevealedBytes(make) }
            } else {
                payload.withRevealedBytes { make($0.extracting(string.contentRange)) }
            }
        guard let value else { throw PaymentTokenError(.payloadInvalidValue, member: path + name) }
        return value
    }

    private func object(
        _ object: JSONValue,
        _ name: String
    ) throws(PaymentTokenError) -> PayloadObject {
        guard object.kind == .object else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        return PayloadObject(object, in: self, path: path + name + ".")
    }

    private static func amount(_ digits: Span<UInt8>) -> Int64? { DecimalDigits.integer(digits) }

    /// A string's text: a part of the payload, or a copy with its escapes undone.
    private func text(_ string: JSONValue) -> SensitiveBytes? {
        guard string.hasEscapes else { return payload.slice(string.contentRange) }
        return payload.withRevealedBytes { text in
            SensitiveBytes(
                SecretBytes(capacity: index.unescapedCount(of: string, in: text)) { output in
                    index.unescape(string, in: text, into: &output)
                })
        }
    }
}
