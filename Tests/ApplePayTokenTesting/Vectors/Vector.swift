import Foundation

/// A check a token goes through; the checks are made in this order.
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

/// What a verifier must say.
enum Expectation: String {
    case accept
    case reject
    /// Careful verifiers may differ.
    case either
}

/// How bad it is to accept what must be rejected.
enum Severity: String {
    /// Somebody could gain by it.
    case security
    /// The form is wrong, and nobody gains.
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

    /// The line of cases.jsonl, without its end.
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
            // A shorter text could stand in an answer by chance.
            if accountNumber.count >= 12 {
                object["sensitive"] = .array([.string(accountNumber)])
            }
        } else {
            // Wrappers are a convenience of this project: a verifier need not know them.
            if id.hasPrefix("wrapper/") { object["optional"] = .raw("true") }
            object["plaintext"] = .object(token.payload.members)
        }
        return JSONValue.object(object).text()
    }

    /// Whether the very text of the token is the case, so that it must travel as a string.
    private var isText: Bool { token.isTextEdited || id.hasPrefix("json/") }

    /// The text as a JSON string; bytes that are no UTF-8 are written as lone surrogates.
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
