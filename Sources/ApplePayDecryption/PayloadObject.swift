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
    init(_ payload: SensitiveBytes) throws(PaymentDataError) {
        do throws(JSONError) {
            index = try payload.withRevealedBytes { text throws(JSONError) in try JSONIndex(text) }
        } catch {
            throw PaymentDataError(.invalidJSON)
        }
        guard index.root.kind == .object else { throw PaymentDataError(.wrongType) }
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
    ) throws(PaymentDataError) -> Value {
        guard let value = try optionalValue(name, make) else {
            throw PaymentDataError(.missingMember, path + name)
        }
        return value
    }

    /// As ``value(_:_:)`` for what keeps nothing of the string's bytes.
    func reading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentDataError) -> Value {
        guard let value = try optionalReading(name, make) else {
            throw PaymentDataError(.missingMember, path + name)
        }
        return value
    }

    /// A whole number from 0 to the largest `Int64`, exactly.
    func amount(_ name: String) throws(PaymentDataError) -> Int64 {
        guard let number = member(name) else { throw PaymentDataError(.missingMember, path + name) }
        guard case .number = number.kind else { throw PaymentDataError(.wrongType, path + name) }
        let amount = payload.withRevealedBytes { text in
            // Minus zero is equal to zero, but no amount of money is written so.
            text[number.range.lowerBound] == UInt8(ascii: "-")
                ? nil : index.integer(number, in: text)
        }
        guard let amount else { throw PaymentDataError(.invalidValue, path + name) }
        return amount
    }

    /// An object inside this one.
    func object(_ name: String) throws(PaymentDataError) -> PayloadObject {
        guard let object = try optionalObject(name) else {
            throw PaymentDataError(.missingMember, path + name)
        }
        return object
    }

    // MARK: Members that may be missing

    /// As ``value(_:_:)``; nil when the member is missing, an error when it is anything but a string.
    func optionalValue<Value>(
        _ name: String,
        _ make: (SensitiveBytes) -> Value?
    ) throws(PaymentDataError) -> Value? {
        guard let string = try string(name) else { return nil }
        guard let value = text(string).flatMap(make) else {
            throw PaymentDataError(.invalidValue, path + name)
        }
        return value
    }

    /// As ``optionalValue(_:_:)`` for what keeps nothing of the string's bytes.
    func optionalReading<Value>(
        _ name: String,
        _ make: (Span<UInt8>) -> Value?
    ) throws(PaymentDataError) -> Value? {
        guard let string = try string(name) else { return nil }
        let value =
            if string.hasEscapes {
                text(string).flatMap { $0.withRevealedBytes(make) }
            } else {
                payload.withRevealedBytes { make($0.extracting(string.contentRange)) }
            }
        guard let value else { throw PaymentDataError(.invalidValue, path + name) }
        return value
    }

    /// A string that is no secret; nil when the member is missing.
    func optionalText(_ name: String) throws(PaymentDataError) -> String? {
        try optionalValue(name) { $0.revealText() }
    }

    /// As ``object(_:)``; nil when the member is missing.
    func optionalObject(_ name: String) throws(PaymentDataError) -> PayloadObject? {
        guard let object = member(name) else { return nil }
        guard case .object = object.kind else { throw PaymentDataError(.wrongType, path + name) }
        return PayloadObject(object, in: self, path: path + name + ".")
    }

    /// The objects of an array; empty when the member is missing.
    func objects(_ name: String) throws(PaymentDataError) -> [PayloadObject] {
        guard let array = member(name) else { return [] }
        guard case .array = array.kind else { throw PaymentDataError(.wrongType, path + name) }
        var objects: [PayloadObject] = []
        for (position, object) in index.elements(of: array).enumerated() {
            let path = "\(path)\(name)[\(position)]"
            guard case .object = object.kind else { throw PaymentDataError(.wrongType, path) }
            objects.append(PayloadObject(object, in: self, path: "\(path)."))
        }
        return objects
    }

    private func member(_ name: String) -> JSONValue? {
        payload.withRevealedBytes { index.member(name, of: object, in: $0) }
    }

    /// The member if there is one, which must be a string.
    private func string(_ name: String) throws(PaymentDataError) -> JSONValue? {
        guard let string = member(name) else { return nil }
        guard case .string = string.kind else { throw PaymentDataError(.wrongType, path + name) }
        return string
    }

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
