internal import ApplePayWire

/// The text of a token, indexed, with the way that leads through its wrappers to `paymentData`.
struct TokenDocument: Sendable {
    /// How many objects may stand around `paymentData`.
    private static let wrapperDepth = 4

    /// The names by which client libraries wrap a token, outermost first.
    private static let wrappers = ["payment", "details", "token", "paymentData"]

    /// The whole text as it came.
    let text: [UInt8]

    /// The object with version, data, signature and header.
    let paymentData: JSONValue

    /// The object around `paymentData`, if there is one: PassKit's payment token.
    let passKitToken: JSONValue?

    /// The names that were gone through, outermost first.
    let unwrapped: [String]

    private let index: JSONIndex

    /// Indexes a text.
    init(_ text: [UInt8], isWrapped: Bool) throws(PaymentTokenError) {
        do throws(JSONError) {
            index = try JSONIndex(text.span)
        } catch {
            throw .json(error)
        }
        self.text = text
        var object = index.root
        var outer: JSONValue?
        var names: [String] = []
        while isWrapped, names.count < Self.wrapperDepth,
            let (name, inner) = Self.wrapped(in: object, index, text)
        {
            names.append(name)
            outer = object
            object = inner
        }
        guard object.kind == .object else { throw .field(FieldError(.notAToken)) }
        paymentData = object
        passKitToken = names.last == "paymentData" ? outer : nil
        unwrapped = names
    }

    /// The first wrapper's value in an object that is not itself a token.
    private static func wrapped(
        in object: JSONValue,
        _ index: JSONIndex,
        _ text: [UInt8]
    ) -> (String, JSONValue)? {
        guard index.member("version", of: object, in: text.span) == nil else { return nil }
        for name in wrappers {
            guard let inner = index.member(name, of: object, in: text.span) else { continue }
            return (name, inner)
        }
        return nil
    }

    /// A member of an object of the text.
    func member(_ name: String, of object: JSONValue) -> JSONValue? {
        index.member(name, of: object, in: text.span)
    }

    /// A string's characters as UTF-8: a part of the text, or a copy with its escapes undone.
    func characters(of string: JSONValue) -> ArraySlice<UInt8> {
        guard string.hasEscapes else { return text[string.contentRange] }
        let count = index.unescapedCount(of: string, in: text.span)
        return [UInt8](capacity: count) { output in
            index.unescape(string, in: text.span, into: &output)
        }[...]
    }
}
