import FoundationEssentials

/// A check of a token; the checks run in this order.
enum Stage: String {
    case json
    case field
    case cms
    case chain
    case signature
    case signingTime = "signing-time"
    case keySelection = "key-selection"
    case keyAgreement = "key-agreement"
    case decrypt
    case paymentData = "payment-data"
}

/// The required verdict.
enum Expectation: String {
    case accept
    case reject
    /// Either verdict is acceptable.
    case either
}

/// The severity of accepting a token that must be rejected.
enum Severity: String {
    /// An attacker could benefit.
    case security
    /// The form is wrong, but an attacker does not benefit.
    case form
}

/// One case of the corpus.
struct Vector {
    let id: String
    let comment: String
    let token: TestToken
    let now: Date
    let expectation: Expectation
    let stages: [Stage]
    let severity: Severity

    /// The line of cases.jsonl, without its line feed.
    var line: String {
        var object: JSONObject = [
            "id": .string(id),
            "group": .string(String(id.prefix { $0 != "/" })),
            "comment": .string(comment),
            "token": isText ? .raw(quotedText) : .raw(token.text),
            "now": .string(CivilTime.text(now)),
            "expect": .string(expectation.rawValue),
        ]
        if stages.count == 1 { object["stage"] = .string(stages[0].rawValue) }
        if stages.count > 1 { object["stages"] = .array(stages.map { .string($0.rawValue) }) }
        if expectation == .reject {
            object["severity"] = .string(severity.rawValue)
            let accountNumber = token.payload.accountNumber
            // A shorter text could occur in an answer by chance.
            if accountNumber.count >= 12 {
                object["sensitive"] = .array([.string(accountNumber)])
            }
        } else {
            // Wrappers are an optional feature of this project; a verifier need not support them.
            if id.hasPrefix("wrapper/") { object["optional"] = .raw("true") }
            object["plaintext"] = .object(token.payload.members)
        }
        return JSONValue.object(object).text()
    }

    /// Whether the exact text of the token matters, so that it must be stored as a string.
    private var isText: Bool { token.isTextEdited || id.hasPrefix("json/") }

    /// The text as a JSON string; bytes that are not UTF-8 are written as lone surrogates.
    private var quotedText: String {
        if let text = String(validating: token.json, as: UTF8.self) {
            return JSONValue.string(text).text()
        }
        return "\""
            + token.json.map { byte in
                guard byte < 0x80 else { return "\\udc" + Hexadecimal.text([byte]) }
                let quoted = JSONValue.string(String(decoding: [byte], as: UTF8.self)).text()
                return String(quoted.dropFirst().dropLast())
            }.joined() + "\""
    }
}
