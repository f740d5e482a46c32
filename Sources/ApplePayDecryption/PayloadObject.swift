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

    /// A whole number from 0 to the largest `Int64`, exactly.
    func amount(_ name: String) throws(PaymentDataError) -> Int64 {
        guard let number = member(name) else { throw PaymentDataError(.missingMember, path + name) }
        guard number.kind == .number else { throw PaymentDataError(.wrongType, path + name) }
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
        guard let string = member(name) else { return nil }
        guard string.kind == .string else { throw PaymentDataError(.wrongType, path + name) }
        guard let value = text(string).flatMap(make) else {
            throw PaymentDataError(.invalidValue, path + name)
        }
        return value
    }

    /// A string that is no secret; nil when the member is missing.
    func optionalText(_ name: String) throws(PaymentDataError) -> String? {
        try optionalValue(name) { $0.revealText() }
    }

    /// As ``object(_:)``; nil when the member is missing.
    func optionalObject(_ name: String) throws(PaymentDataError) -> PayloadObject? {
        guard let object = member(name) else { return nil }
        guard object.kind == .object else { throw PaymentDataError(.wrongType, path + name) }
        return PayloadObject(object, in: self, path: path + name + ".")
    }

    /// The objects of an array; empty when the member is missing.
    func objects(_ name: String) throws(PaymentDataError) -> [PayloadObject] {
        guard let array = member(name) else { return [] }
        guard array.kind == .array else { throw PaymentDataError(.wrongType, path + name) }
        var objects: [PayloadObject] = []
        for (position, object) in index.elements(of: array).enumerated() {
            let path = "\(path)\(name)[\(position)]"
            guard object.kind == .object else { throw PaymentDataError(.wrongType, path) }
            objects.append(PayloadObject(object, in: self, path: "\(path)."))
        }
        return objects
    }

    private func member(_ name: String) -> JSONValue? {
        payload.withRevealedBytes { index.member(name, of: object, in: $0) }
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
