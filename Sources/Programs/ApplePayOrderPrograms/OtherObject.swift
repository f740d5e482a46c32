internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire

/// JSON that is not a token: somebody else's object with a token in it, the token of another kind, or bytes as numbers.
///
/// A token that is found is never used: the sender must pass it on by itself, because what is around it decides where it belongs.
struct OtherObject {
    /// What the text contains, to be read after its name.
    let contents: String

    /// What its sender should do; nil leaves the advice for the refusal's code.
    let advice: String?

    /// The most values that are searched.
    private static let limit = 4096

    /// The most texts inside each other that are searched.
    private static let textDepth = 4

    /// The most characters of a name that are repeated, and the most names.
    private static let (nameLength, nameCount) = (64, 8)

    /// A value that is searched, and the place of the one that contains it.
    private struct Place {
        let value: AnswerValue
        let name: String
        let container: Int?
        let textDepth: Int
    }

    /// What a value is that explains the refusal.
    private enum Kind {
        case token, googlePay, bytes
    }

    /// Searches a text that was refused; nil if it is neither JSON nor base64 of it, or nothing can be said of it.
    init?(_ text: [UInt8], _ refusal: PaymentTokenError) {
        guard let whole = (try? AnswerValue(text)) ?? Self.decoded(text) else { return nil }
        let missing = ExactText(refusal.members.first ?? "")
        let token = Self.unwrapped(whole)
        if refusal.code == .wrongType {
            guard let value = token.member(String(missing)), value.isString,
                (try? AnswerValue(value.characters))?.isObject == true
            else { return nil }
            contents = "has JSON in a string as \(missing)"
            advice =
                "Pass on the token exactly as the client sent it: something encoded \(missing) twice."
            return
        }
        guard let (kind, path) = Self.search(whole), missing == "version" || missing == "" else {
            if let other = WrongFile.object(whole), other != .token {
                contents = "is \(other.rawValue), not a payment token"
                advice = "Give the payment object as the browser or app sent it."
                return
            }
            let object = missing.hasPrefix("header.") ? token.member("header") : token
            let names = (object?.members ?? []).map { Self.shown($0.name) }
            guard refusal.code == .missingMember, !names.isEmpty else { return nil }
            let more = names.count > Self.nameCount ? " and others" : ""
            contents =
                "lacks \(missing); it has \(names.prefix(Self.nameCount).joined(separator: ", "))\(more)"
            advice = nil
            return
        }
        let place = path.isEmpty ? "" : " in \(path)"
        switch kind {
        case .token:
            contents = "is another object, with a payment token\(place)"
            advice =
                "Pass on that value alone: the object with version, data, signature and header, or a text of it."
        case .googlePay:
            contents = "has a Google Pay token\(place), which is none of Apple Pay"
            advice =
                "Give it to the part of your shop that handles Google Pay; Apple's token has version, data, signature and "
                + "header."
        case .bytes:
            contents = "has bytes as numbers\(place), as Node.js writes a Buffer"
            advice = "Send the text that they encode, for example with the Buffer's toString."
        }
    }

    /// Returns the first value that explains the refusal, and where it is: names outermost first, with `string` and `base64` for a
    /// text that is decoded, as `inspect` shows wrappers.
    ///
    /// Each value is looked at once, and a text inside a text is shorter than what contains it, so the time is linear.
    private static func search(_ whole: AnswerValue) -> (kind: Kind, path: String)? {
        var places = [Place(value: whole, name: "", container: nil, textDepth: 0)]
        var position = 0
        while position < places.count {
            let place = places[position]
            if let kind = kind(of: place.value) {
                var (names, next) = ([String](), place as Place?)
                while let place = next {
                    if let container = place.container {
                        names.append(place.name)
                        next = places[container]
                    } else {
                        next = nil
                    }
                }
                return (kind, names.reversed().joined(separator: " > "))
            }
            let isText = place.value.isString
            let rest = limit - places.count
            for (name, value) in rest > 0 ? contents(of: place).prefix(rest) : [] {
                places.append(
                    Place(
                        value: value, name: name, container: position,
                        textDepth: place.textDepth + (isText ? 1 : 0)))
            }
            position += 1
        }
        return nil
    }

    /// Returns what a value contains: the members of an object, the elements of an array, or the JSON in a string.
    private static func contents(of place: Place) -> [(name: String, value: AnswerValue)] {
        let value = place.value
        guard value.isString else {
            return value.members.map { (shown($0.name), $0.value) }
                + value.elements.enumerated().map { ("[\($0.offset)]", $0.element) }
        }
        guard place.textDepth < textDepth else { return [] }
        let text = value.characters
        if let first = text.first(where: { !$0.isWhiteSpace }), "{[\"".utf8.contains(first) {
            return (try? AnswerValue(text)).map { [("string", $0)] } ?? []
        }
        return decoded(text).map { [("base64", $0)] } ?? []
    }

    /// Returns the JSON that base64 encodes; nil for any other text.
    private static func decoded(_ base64: [UInt8]) -> AnswerValue? {
        let characters = base64.filter { !$0.isWhiteSpace }
        return Base64.decoded(characters.span).flatMap { try? AnswerValue($0) }
    }

    private static func kind(of value: AnswerValue) -> Kind? {
        func has(_ names: String...) -> Bool { names.allSatisfy { value.member($0) != nil } }
        if has("version", "data", "signature", "header") { return .token }
        if has("protocolVersion", "signedMessage") { return .googlePay }
        let bytes = value["type"]?.string == "Buffer" ? value["data"] : value
        // A token's text begins with {, which is 123.
        return bytes?.isArray == true && bytes?.elements.first?.integer == 123 ? .bytes : nil
    }

    /// Returns the object in which the library looks for the members of a token.
    private static func unwrapped(_ whole: AnswerValue) -> AnswerValue {
        var value = whole
        for _ in 0..<textDepth where value.member("version") == nil {
            let names = ["payment", "details", "token", "paymentData"]
            guard let inner = names.lazy.compactMap({ value.member($0) }).first else { break }
            value = inner
        }
        return value
    }

    private static func shown(_ name: ExactText) -> String {
        String(
            String.UnicodeScalarView(
                name.withoutCardNumbers.printable.unicodeScalars.prefix(nameLength)))
    }
}
