internal import ApplePayPrimitives
internal import ApplePayWire

/// One object of a decrypted payload, whose members are read without copying the object.
struct PayloadObject {
    private let payload: SensitiveBytes
    private let index: JSONIndex
    private let object: JSONValue

    /// The object's path in the payload, as a prefix for the names of its members.
    private let path: String

    /// Reads the whole payload, which must be one object.
    init(_ payload: SensitiveBytes) throws(PaymentTokenError) {
        do {
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

    // MARK: Mandatory members

    /// Returns the value that `make` creates from a string; `make` returns nil for an invalid string.
    func value<Value>(
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentTokenError) -> Value {
        try value(mandatory(name), name, make)
    }

    /// Does the same as ``value(_:_:)``, for values that do not refer to the string's bytes afterwards.
    func reading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentTokenError) -> Value {
        try reading(mandatory(name), name, make)
    }

    /// Returns a whole number from 0 to the largest `Int64`, without rounding.
    ///
    /// If `allowingText`, a string that consists of decimal digits is accepted as well.
    func amount(_ name: String, allowingText: Bool = false) throws(PaymentTokenError) -> Int64 {
        let number = try mandatory(name)
        if allowingText, number.kind == .string { return try reading(number, name, Self.amount) }
        guard number.kind == .number else {
            throw PaymentTokenError(.payloadWrongType, member: path + name)
        }
        let amount = payload.withRevealedBytes { text in
            // -0 is a JSON number equal to 0, but an amount is never negative.
            text[number.range.lowerBound] == UInt8(ascii: "-")
                ? nil : index.integer(number, in: text)
        }
        guard let amount else { throw PaymentTokenError(.payloadInvalidValue, member: path + name) }
        return amount
    }

    /// Returns an object inside this one.
    func object(_ name: String) throws(PaymentTokenError) -> PayloadObject {
        try object(mandatory(name), name)
    }

    // MARK: Optional members; null counts as missing

    /// Does the same as ``value(_:_:)``, but returns nil when the member is missing.
    func optionalValue<Value>(
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentTokenError) -> Value? {
        guard let string = optional(name) else { return nil }
        return try value(string, name, make)
    }

    /// Does the same as ``optionalValue(_:_:)``, for values that do not refer to the string's bytes afterwards.
    func optionalReading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentTokenError) -> Value? {
        guard let string = optional(name) else { return nil }
        return try reading(string, name, make)
    }

    /// Returns a string that is not secret; nil when the member is missing.
    func optionalText(_ name: String) throws(PaymentTokenError) -> ExactText? {
        try optionalValue(name) { ExactText($0.revealText()) }
    }

    /// Does the same as ``object(_:)``, but returns nil when the member is missing.
    func optionalObject(_ name: String) throws(PaymentTokenError) -> PayloadObject? {
        guard let object = optional(name) else { return nil }
        return try self.object(object, name)
    }

    /// Returns the elements of an array; none when the member is missing.
    ///
    /// An element that is not an object is returned as an error.
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

    // MARK: Presence

    /// Returns whether the object contains the member, even with the value null.
    func contains(_ name: String) -> Bool { member(name) != nil }

    /// Returns whether the member is an empty string.
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

    /// Returns a string's text: a part of the payload, or a copy without escapes.
    private func text(_ string: JSONValue) -> SensitiveBytes? {
        guard string.hasEscapes else { return payload.slice(string.contentRange) }
        return payload.withRevealedBytes { text in
            SensitiveBytes(
                SecretBytes(capacity: JSONIndex.unescapedCount(of: string, in: text)) { output in
                    JSONIndex.unescape(string, in: text, into: &output)
                })
        }
    }
}
