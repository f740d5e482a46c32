internal import ApplePayWire

/// One JSON text on the way to a token: the outermost, or one that stood in a wrapper.
struct JSONLayer: Sendable {
    /// The names by which client libraries wrap a token, outermost first.
    private static let wrappers = ["payment", "details", "token", "paymentData"]

    let text: [UInt8]
    let index: JSONIndex

    init(_ text: [UInt8]) throws(JSONError) {
        index = try JSONIndex(text.span)
        self.text = text
    }

    /// A member of an object of the text.
    func member(_ name: String, of object: JSONValue) -> JSONValue? {
        index.member(name, of: object, in: text.span)
    }

    /// Whether a value is a string with exactly these characters.
    func equals(_ value: JSONValue, _ characters: String) -> Bool {
        index.equals(value, characters, in: text.span)
    }

    /// Lends a string's characters as UTF-8: a part of the text, or a copy with its escapes undone.
    func withCharacters<Result>(of string: JSONValue, _ body: (Span<UInt8>) -> Result) -> Result {
        guard string.hasEscapes else { return body(text.span.extracting(string.contentRange)) }
        let characters = characters(of: string)
        return body(characters.span)
    }

    /// A copy of a string's characters as UTF-8.
    func characters(of string: JSONValue) -> [UInt8] {
        [UInt8](capacity: index.unescapedCount(of: string, in: text.span)) { output in
            index.unescape(string, in: text.span, into: &output)
        }
    }

    /// Writes a value as it stands in the text, without white space.
    func write(
        _ value: JSONValue,
        to json: inout JSONWriter,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        json.compact(value, in: text.span, into: &sink)
    }

    /// The first wrapper's value in an object that is not itself a token.
    func wrapped(in object: JSONValue) -> (name: String, value: JSONValue)? {
        guard member("version", of: object) == nil else { return nil }
        for name in Self.wrappers {
            if let value = member(name, of: object) { return (name, value) }
        }
        return nil
    }

    /// Reads what a wrapper, such as PassKit's payment token, contains beside the token.
    func unsignedMembers(of wrapper: JSONValue) throws(PaymentTokenError) -> UnsignedMembers {
        let identifier = member("transactionIdentifier", of: wrapper)
        guard identifier.map({ $0.kind == .string }) ?? true else {
            throw PaymentTokenError(.wrongType, member: "transactionIdentifier")
        }
        let method = member("paymentMethod", of: wrapper)
        let text = { (value: JSONValue?) -> String? in
            guard let value, value.kind == .string else { return nil }
            return index.string(value, in: self.text.span)
        }
        return UnsignedMembers(
            transactionIdentifier: text(identifier),
            displayName: text(method.flatMap { member("displayName", of: $0) }),
            network: text(method.flatMap { member("network", of: $0) }),
            type: text(method.flatMap { member("type", of: $0) })
        )
    }

    /// Whether the object is what a simulator's PassKit makes, which has nothing in it.
    func isSimulated(_ object: JSONValue) -> Bool {
        guard let identifier = member("transactionIdentifier", of: object) else { return false }
        return equals(identifier, "Simulated Identifier")
    }
}
