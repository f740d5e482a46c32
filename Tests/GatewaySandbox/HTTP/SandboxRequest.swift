import Foundation

/// A request as the sandbox received it (RFC 9112).
struct SandboxRequest: Sendable {
    /// The longest request line and headers together, in bytes.
    static let longestHead = 32 * 1024

    /// The longest body, in bytes.
    static let longestBody = 1 << 20

    /// The state of a request whose bytes are being received.
    enum Arrival {
        /// More bytes must come; whether the client waits for `100 Continue` before it sends the body.
        case incomplete(expectsContinue: Bool)

        /// The whole request.
        case complete(SandboxRequest)

        /// The HTTP status with which the bytes are refused.
        case refused(Int)
    }

    /// The method, such as `POST`.
    let method: String

    /// Path and query as they were received.
    let target: String

    /// The headers in order.
    let headers: [(name: String, value: String)]

    /// The body.
    let body: [UInt8]

    /// The path, still percent-encoded.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The query's parameters, decoded; a later one of the same name wins.
    var query: [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        return FormFields.parse(target[target.index(after: mark)...]) ?? [:]
    }

    /// The only value of a header; nil if there is none, or more than one.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }
        return values.count == 1 ? values[0].value : nil
    }

    /// Returns what the bytes so far are.
    static func arrival(_ bytes: [UInt8]) -> Arrival {
        guard let end = bytes.prefix(longestHead).firstRange(of: Array("\r\n\r\n".utf8)) else {
            return bytes.count < longestHead ? .incomplete(expectsContinue: false) : .refused(431)
        }
        guard let head = String(validating: bytes[..<end.lowerBound], as: UTF8.self) else {
            return .refused(400)
        }
        // Split by bytes: a Character of Swift can contain both CR and LF.
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
                    value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
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

/// Names and values of a query or a form (WHATWG URL, "application/x-www-form-urlencoded").
enum FormFields {
    /// Returns the decoded fields; nil if an escape is broken or a name occurs twice.
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
        text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}
