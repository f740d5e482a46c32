internal import ApplePayWire

/// One layer of JSON around a token: the outermost text, or a text that a wrapper contains.
struct JSONLayer: Sendable {
    /// The names by which client libraries wrap a token, outermost first.
    private static let wrappers = ["payment", "details", "token", "paymentData"]

    let text: [UInt8]
    let index: JSONIndex

    init(_ text: [UInt8]) throws(JSONError) {
        index = try JSONIndex(text.span)
        self.text = text
    }

    /// Returns a member of an object in the text; nil when the object does not contain it.
    func member(_ name: String, of object: JSONValue) -> JSONValue? {
        index.member(name, of: object, in: text.span)
    }

    /// Returns whether a value is a string with exactly these characters.
    func equals(_ value: JSONValue, _ characters: String) -> Bool {
        index.equals(value, characters, in: text.span)
    }

    /// Calls `body` with a string's characters as UTF-8: a part of the text, or a copy without escapes.
    func withCharacters<Result>(of string: JSONValue, _ body: (Span<UInt8>) -> Result) -> Result {
        guard string.hasEscapes else { return body(text.span.extracting(string.contentRange)) }
        let characters = JSONIndex.characters(of: string, in: text.span)
        return body(characters.span)
    }

    /// Returns the first of the wrapper names in an object, with its value.
    ///
    /// Returns nil when the object is itself a token or contains none of the names.
    func wrapped(in object: JSONValue) -> (name: String, value: JSONValue)? {
        guard member("version", of: object) == nil else { return nil }
        for name in Self.wrappers {
            if let value = member(name, of: object) { return (name, value) }
        }
        return nil
    }

    /// Returns the `transactionIdentifier` of a wrapper or a token; nil if there is none.
    ///
    /// - Throws: `field/wrong-type` if it is not a string.
    func transactionIdentifier(of object: JSONValue) throws(PaymentTokenError) -> ExactText? {
        guard let identifier = member("transactionIdentifier", of: object) else { return nil }
        guard identifier.kind == .string else {
            throw PaymentTokenError(.wrongType, member: "transactionIdentifier")
        }
        return ExactText(index.string(identifier, in: text.span))
    }

    /// Reads the other members of a wrapper, such as PassKit's payment token.
    func unsignedMembers(of wrapper: JSONValue) throws(PaymentTokenError) -> UnsignedMembers {
        let method = member("paymentMethod", of: wrapper)
        let text = { (value: JSONValue?) -> ExactText? in
            guard let value, value.kind == .string else { return nil }
            return ExactText(index.string(value, in: self.text.span))
        }
        return UnsignedMembers(
            transactionIdentifier: try transactionIdentifier(of: wrapper),
            displayName: text(method.flatMap { member("displayName", of: $0) }),
            network: text(method.flatMap { member("network", of: $0) }),
            type: text(method.flatMap { member("type", of: $0) })
        )
    }

    /// Returns whether the object is a payment token from PassKit in a simulator, which is always empty.
    func isSimulated(_ object: JSONValue) -> Bool {
        guard let identifier = member("transactionIdentifier", of: object) else { return false }
        return equals(identifier, "Simulated Identifier")
    }
}
