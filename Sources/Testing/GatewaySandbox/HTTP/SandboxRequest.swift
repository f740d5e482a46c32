import FoundationEssentials

/// A request as the sandbox received it (RFC 9112).
struct SandboxRequest: Sendable {
    /// The maximum length of the request line and the headers together, in bytes.
    static let longestHead = 32 * 1024

    /// The maximum length of the body, in bytes.
    static let longestBody = 1 << 20

    /// The state of a request while its bytes are received.
    enum Arrival {
        /// More bytes are required; if `expectsContinue` is true, the client sends the body after `100 Continue`.
        case incomplete(expectsContinue: Bool)

        /// The request is complete.
        case complete(SandboxRequest)

        /// The bytes are refused with this HTTP status.
        case refused(Int)
    }

    /// The method, such as `POST`.
    let method: String

    /// The path and the query as they were received.
    let target: String

    /// The headers in order.
    let headers: [(name: String, value: String)]

    /// The body.
    let body: [UInt8]

    /// The path, percent-encoded.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The decoded parameters of the query; of several with the same name, the last counts.
    var query: [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        return FormFields.parse(target[target.index(after: mark)...]) ?? [:]
    }

    /// Returns the value of a header; nil if the header is missing or occurs more than once.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }
        return values.count == 1 ? values[0].value : nil
    }

    /// Returns the state of a request after the bytes received so far.
    static func arrival(_ bytes: [UInt8]) -> Arrival {
        guard let end = bytes.prefix(longestHead).firstRange(of: Array("\r\n\r\n".utf8)) else {
            return bytes.count < longestHead ? .incomplete(expectsContinue: false) : .refused(431)
        }
        guard let head = String(validating: bytes[..<end.lowerBound], as: UTF8.self) else {
            return .refused(400)
        }
        // The text is not split by `Character`, because a Character can contain both CR and LF.
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(
            String.init)
        guard words.count == 3, words[2] == "HTTP/1.1", words[1].hasPrefix("/") else {
            return .refused(words.last == "HTTP/1.1" || words.count != 3 ? 400 : 505)
        }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                return .refused(400)
            }
            let value = line[line.index(after: colon)...]
            headers.append(
                (
                    String(line[..<colon]),
                    value.trimming(" \t")
                )
            )
        }
        return arrival(words, headers, Array(bytes[end.upperBound...]))
    }

    private static func arrival(
        _ words: [String],
        _ headers: [(name: String, value: String)],
        _ rest: [UInt8]
    ) -> Arrival {
        let request = SandboxRequest(method: words[0], target: words[1], headers: headers, body: [])
        let names = Set(headers.map { $0.name.lowercased() })
        guard !names.contains("transfer-encoding") else { return .refused(411) }
        var count = 0
        if names.contains("content-length") {
            guard let text = request.header("Content-Length"), (1...7).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text)
            else {
                let isNumber = request.header("Content-Length")?.allSatisfy(\.isNumber) == true
                return .refused(isNumber ? 413 : 400)
            }
            guard value <= longestBody else { return .refused(413) }
            count = value
        }
        guard rest.count >= count else {
            let expectation = request.header("Expect")?.lowercased()
            return .incomplete(expectsContinue: expectation == "100-continue" && rest.isEmpty)
        }
        return .complete(
            SandboxRequest(
                method: words[0], target: words[1], headers: headers,
                body: Array(rest.prefix(count))))
    }
}

/// The names and values of a query or a form (WHATWG URL, "application/x-www-form-urlencoded").
enum FormFields {
    /// Returns the decoded fields; nil if an escape is malformed or a name occurs twice.
    static func parse(_ text: some StringProtocol) -> [String: String]? {
        var fields: [String: String] = [:]
        for field in text.split(separator: "&") {
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), fields[name] == nil,
                let value = decoded(sides.count == 2 ? sides[1] : "")
            else { return nil }
            fields[name] = value
        }
        return fields
    }

    private static func decoded(_ text: some StringProtocol) -> String? {
        String(text.map { $0 == "+" ? " " : $0 }).percentDecoded
    }
}

extension StringProtocol {
    /// Returns the text without the leading and trailing characters that are in `characters`.
    func trimming(_ characters: String) -> String {
        let start = drop { characters.contains($0) }
        return String(start.reversed().drop { characters.contains($0) }.reversed())
    }
}

extension String {
    /// The text with its percent-encoded bytes decoded (RFC 3986 §2.1); nil if an escape is malformed or the result is not UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = self[...].utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
