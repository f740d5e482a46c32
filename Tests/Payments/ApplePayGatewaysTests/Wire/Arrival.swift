/// A request as a server received it (RFC 9112).
struct Arrival {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// The path without the query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Returns all values of a header.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Reads the request at the beginning of some bytes; nil if the request is incomplete.
    init?(_ bytes: [UInt8]) {
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        guard let head = bytes.firstRange(of: end) else { return nil }
        let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count == 3, words[2] == "HTTP/1.1" else { return nil }
        method = String(words[0])
        target = String(words[1])
        headers = lines.dropFirst().map { line in
            let sides = line.split(separator: ":", maxSplits: 1)
            return (String(sides[0]), sides.count == 2 ? String(sides[1].drop { $0 == " " }) : "")
        }
        let rest = bytes[head.upperBound...]
        let count = headers.first { $0.name.lowercased() == "content-length" }
            .flatMap { Int($0.value) }
        guard rest.count >= count ?? 0 else { return nil }
        body = Array(rest.prefix(count ?? 0))
    }
}
