internal import ApplePayPrimitives
internal import ApplePayWire

/// The indexed text of a token, and the position of `paymentData` inside its wrappers.
///
/// This is a class, so that passing on a token counts one reference instead of ten.
final class TokenDocument: Sendable {
    /// The maximum number of wrappers around `paymentData`; a payment with a token in a string has four.
    private static let wrapperDepth = 4

    /// The object with version, data, signature and header.
    let paymentData: JSONValue

    /// The other members of the wrappers, with the innermost value of each; nil for a token without a wrapper.
    let unsignedMembers: UnsignedMembers?

    /// Every `transactionIdentifier` in the wrappers and in `paymentData`, outermost first.
    let transactionIdentifiers: [ExactText]

    /// The names of the wrappers, outermost first.
    let unwrapped: [String]

    /// The innermost JSON text, which contains `paymentData`.
    private let layer: JSONLayer

    /// Indexes a text, and then every text that is wrapped in it.
    init(_ text: [UInt8], form: TokenForm) throws(PaymentTokenError) {
        let wrapperDepth = form == .paymentData ? 0 : Self.wrapperDepth
        var text = form == .hexadecimal ? try TextWrapper.text(ofHexadecimal: text) : text
        var names: [String] = []
        var unsignedMembers: UnsignedMembers?
        var transactionIdentifiers: [ExactText] = []
        var isInString = false
        while true {
            let layer: JSONLayer
            do {
                layer = try JSONLayer(text)
            } catch {
                guard names.count < wrapperDepth else { throw PaymentTokenError(error) }
                let (name, inner) = try TextWrapper.unwrap(text, error)
                names.append(name)
                text = inner
                isInString = false
                continue
            }
            if isInString { names.append("string") }
            var value = layer.index.root
            while names.count < wrapperDepth, let (name, inner) = layer.wrapped(in: value) {
                names.append(name)
                let members = try layer.unsignedMembers(of: value)
                if let identifier = members.transactionIdentifier {
                    transactionIdentifiers.append(identifier)
                }
                unsignedMembers = members.completed(by: unsignedMembers)
                value = inner
            }
            guard case .string = value.kind, names.count < wrapperDepth else {
                paymentData = try Self.token(value, layer, isWrapped: !names.isEmpty)
                self.layer = layer
                self.unsignedMembers = unsignedMembers
                if let identifier = try layer.transactionIdentifier(of: value) {
                    transactionIdentifiers.append(identifier)
                }
                self.transactionIdentifiers = transactionIdentifiers
                unwrapped = names
                return
            }
            text = JSONIndex.characters(of: value, in: text.span)
            guard !text.isEmpty else { throw PaymentTokenError(.emptyToken) }
            isInString = true
        }
    }

    /// Returns a member of an object in the text; nil when the object does not contain it.
    func member(_ name: String, of object: JSONValue) -> JSONValue? {
        layer.member(name, of: object)
    }

    /// Calls `body` with a string's characters as UTF-8.
    func withCharacters<Result>(of string: JSONValue, _ body: (Span<UInt8>) -> Result) -> Result {
        layer.withCharacters(of: string, body)
    }

    /// Returns whether a value is a string with exactly these characters.
    func equals(_ value: JSONValue, _ characters: String) -> Bool {
        layer.equals(value, characters)
    }

    /// Writes the object with version, data, signature and header, without white space.
    func writePaymentData(
        to json: inout JSONWriter,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        let text = layer.text
        json.compact(paymentData, in: text.span, into: &sink)
    }

    /// Returns `value` if it is an object that can be a token.
    ///
    /// An empty wrapped object and a simulator's token are refused as empty tokens.
    private static func token(
        _ value: JSONValue,
        _ layer: JSONLayer,
        isWrapped: Bool
    ) throws(PaymentTokenError) -> JSONValue {
        guard case .object = value.kind else { throw PaymentTokenError(.notAToken) }
        guard !(isWrapped && layer.index.isEmpty(value)), !layer.isSimulated(value) else {
            throw PaymentTokenError(.emptyToken)
        }
        return value
    }
}
