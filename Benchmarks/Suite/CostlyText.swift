import Foundation

/// A text of up to 256 KiB that is meant to take as long as possible to read or to refuse.
struct CostlyText {
    /// What the text consists of, for the table.
    let name: String

    let bytes: [UInt8]

    /// The maximum length of a token's text in bytes.
    private static let limit = 256 * 1024

    private init(_ name: String, _ text: String) {
        precondition(text.utf8.count <= Self.limit, "\(name): \(text.utf8.count) bytes")
        self.name = "JSON, " + name
        bytes = Array(text.utf8)
    }

    /// Creates texts around the JSON of a token.
    static func all(around token: [UInt8]) -> [CostlyText] {
        let token = String(decoding: token, as: UTF8.self)
        return names(token) + values(token) + wrappers(token)
    }

    /// Returns texts with many, long or escaped names.
    private static func names(_ token: String) -> [CostlyText] {
        let start = token.dropLast() + ","
        let known = escaped("paymentDat")
        func inToken(_ name: String, end: String = "", _ member: (String) -> String) -> CostlyText {
            CostlyText(name, filled(start, end + "}", member))
        }
        func beforeToken(_ name: String, _ member: (String) -> String) -> CostlyText {
            CostlyText(name, filled("{", ",\"token\":\(token)}", member))
        }
        return [
            inToken("17 escaped names") { "\"\(long("\\u0061", 15_000))\($0)\":0" },
            inToken("16 long names") { "\"\(long("a", 15_900))\($0)\":0" },
            inToken("a name of letters and escapes") { "\"\(long("é\\n", 250_000))\($0)\":0" },
            inToken("short names") { "\"\($0)\":0" },
            inToken("names, the first twice", end: ",\"0\":0") { "\"\($0)\":0" },
            inToken("short escaped names") { "\"\\u0061\($0)\":0" },
            inToken("names with an escape") { "\"\\n\($0)\":0" },
            beforeToken("names before a wrapped token") { "\"\($0)\":0" },
            beforeToken("escaped names before it") { "\"\(known)\($0)\":0" },
            inToken("objects with a name", end: "]") { ($0 == "0" ? "\"a\":[" : "") + "{\"\":0}" },
            inToken("objects with an escape", end: "]") {
                ($0 == "0" ? "\"a\":[" : "") + "{\"\\n\":0}"
            },
        ]
    }

    /// Returns texts with many or long values.
    private static func values(_ token: String) -> [CostlyText] {
        let start = token.dropLast() + ",\"a\":"
        return [
            CostlyText("numbers", start + "[0" + long(",0", 250_000) + "]}"),
            CostlyText("strings", start + "[0" + long(",\"\"", 250_000) + "]}"),
            CostlyText("objects", start + "[0" + long(",{}", 250_000) + "]}"),
            CostlyText("letters of two bytes", start + "\"" + long("é", 250_000) + "\"}"),
            CostlyText("white space", start + long(" ", 250_000) + "0}"),
            CostlyText("numbers, not closed", start + "[0" + long(",0", 250_000) + "}"),
        ]
    }

    /// Returns texts around a token.
    private static func wrappers(_ token: String) -> [CostlyText] {
        func identified(_ identifier: String, count: Int) -> String {
            (0..<count).reduce(token) { inner, _ in
                "{\"transactionIdentifier\":\"\(identifier)\",\"token\":\(inner)}"
            }
        }
        let start = token.dropLast() + ",\"a\":[0"
        let strings = quoted(start + long(",\"\"", 85_000) + "]}")
        let numbers = quoted(start + long(",0", 160_000) + "]}")
        let card = "{\"displayName\":\"\(long("\\u0061", 250_000))\"}"
        return [
            CostlyText("an escaped identifier", identified(long("\\u0061", 250_000), count: 1)),
            CostlyText("4 identifiers of letters", identified(long("É", 60_000), count: 4)),
            CostlyText("4 escaped identifiers", identified(long("\\u0130", 60_000), count: 4)),
            CostlyText("an escaped card", "{\"paymentMethod\":\(card),\"token\":\(token)}"),
            CostlyText("strings in 2 strings", quoted(strings)),
            CostlyText("numbers in 4 strings", quoted(quoted(quoted(numbers)))),
            CostlyText("base64", Data(long("{", 196_000).utf8).base64EncodedString()),
        ]
    }

    /// Returns a text with as many different parts as the limit permits; each is made from a number in base 36.
    private static func filled(
        _ start: some StringProtocol,
        _ end: String,
        _ part: (String) -> String
    ) -> String {
        var text = String(start)
        var number = 0
        while true {
            let next = (number == 0 ? "" : ",") + part(String(number, radix: 36))
            guard text.utf8.count + next.utf8.count + end.utf8.count <= limit else { break }
            text += next
            number += 1
        }
        return text + end
    }

    /// Returns a repeated text of up to `count` bytes.
    private static func long(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count / text.utf8.count)
    }

    private static func escaped(_ text: String) -> String {
        text.utf16.map { String(format: "\\u%04x", $0) }.joined()
    }

    /// Returns a JSON string.
    private static func quoted(_ text: some StringProtocol) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
        return "\"" + escaped.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
