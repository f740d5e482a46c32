import ApplePayHTTPS
import ApplePayTransport
import Testing

@Suite("The reader of answers")
struct ResponseReaderTests {
    /// An answer and how it is read when the connection ends after it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let state: ResponseReader.State

        var testDescription: String { name }

        init(_ name: String, _ text: String, _ state: ResponseReader.State = .complete) {
            (self.name, self.text, self.state) = (name, text, state)
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(head)Transfer-Encoding: chunked\r\n\r\n"

    static let cases = [
        Case("a body with its length", "\(head)Content-Length: 2\r\n\r\n{}"),
        Case("bytes after the end", "\(head)Content-Length: 2\r\n\r\n{}{}"),
        Case("a body until the end", "\(head)\r\n{}"),
        Case("chunks", "\(chunked)1;a\r\n{\r\n01\r\n}\r\n0\r\nA: b\r\n\r\n"),
        Case("an interim answer", "HTTP/1.1 100 Go\r\n\r\n\(head)Content-Length: 2\r\n\r\n{}"),
        Case("obs-text in the reason", "HTTP/1.1 200 \u{E9}\r\nContent-Length: 2\r\n\r\n{}"),
        Case("nothing", "", .refused(.cut)),
        Case("another protocol", "220 mail\r\n", .refused(.notHTTP)),
        Case("a version alone", "HTTP/1.1\r\n", .refused(.notHTTP)),
        Case("a status of four digits", "HTTP/1.1 0200 OK\r\n", .refused(.notHTTP)),
        Case("a status below 100", "HTTP/1.1 099 OK\r\n", .refused(.notHTTP)),
        Case("a bare line feed", "HTTP/1.1 200 OK\n", .refused(.notHTTP)),
        Case("a folded line", "\(head)A: b\r\n c\r\n\r\n", .refused(.malformedField)),
        Case("a bare carriage return", "\(head)A: b\rc\r\n\r\n", .refused(.malformedField)),
        Case("101", "HTTP/1.1 101 Go\r\n\r\n", .refused(.switchesProtocols)),
        Case(
            "nine interim answers",
            String(repeating: "HTTP/1.1 103 Go\r\n\r\n", count: 9), .refused(.tooManyInterimAnswers)
        ),
        Case(
            "101 fields", head + String(repeating: "A: b\r\n", count: 101), .refused(.headTooLong)),
        Case(
            "a field of 32 KiB", "\(head)A: \(String(repeating: "b", count: 32 << 10))\r\n",
            .refused(.headTooLong)),
        Case(
            "two lengths", "\(head)Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            .refused(.contradictoryLength)),
        Case(
            "a coding that is chunked by Unicode's rules alone",
            "\(head)Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n",
            .refused(.contradictoryLength)),
        Case("chunked in capitals", "\(head)TRANSFER-ENCODING: CHUNKED\r\n\r\n0\r\n\r\n"),
        Case(
            "a body with gzip", "\(head)Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            .refused(.encoded)),
        Case(
            "a body with identity and gzip",
            "\(head)Content-Encoding: identity\r\nContent-Encoding: gzip\r\n\r\n{}",
            .refused(.encoded)),
        Case(
            "a body that states that it is not encoded",
            "\(head)Content-Encoding: Identity\r\nContent-Length: 2\r\n\r\n{}"),
        Case("no body with gzip", "HTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\n"),
        Case(
            "a length beside chunks",
            "\(head)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
            .refused(.contradictoryLength)),
        Case("a length of 65", "\(head)Content-Length: 65\r\n\r\n", .refused(.bodyTooLong)),
        Case(
            "a body of 65 bytes until the end", "\(head)\r\n\(String(repeating: "a", count: 65))",
            .refused(.bodyTooLong)),
        Case("a chunk of 65 bytes", "\(chunked)41\r\n", .refused(.bodyTooLong)),
        Case("a chunk of 2^63 bytes", "\(chunked)8000000000000000\r\n", .refused(.malformedChunk)),
        Case("a chunk with bytes after it", "\(chunked)1\r\n{}\r\n", .refused(.malformedChunk)),
        Case("chunks without an end", "\(chunked)1\r\n{\r\n", .refused(.cut)),
        Case("a cut trailer", "\(chunked)0\r\nA: b\r\n", .refused(.cut)),
        Case("a malformed trailer", "\(chunked)0\r\nA b\r\n\r\n", .refused(.malformedField)),
    ]

    private func read(_ parts: [[UInt8]], isCertain: Bool = true) -> ResponseReader {
        var reader = ResponseReader(longestBody: 64)
        for part in parts { reader.read(part) }
        reader.readEnd(isCertain: isCertain)
        return reader
    }

    @Test("reads or refuses an answer, however its bytes are split", arguments: cases)
    func states(_ sample: Case) {
        let bytes = Array(sample.text.utf8)
        #expect(read([bytes]).state == sample.state)
        #expect(read(bytes.map { [$0] }).state == sample.state)
        for index in bytes.indices.prefix(200) {
            let parts = [Array(bytes[..<index]), Array(bytes[index...])]
            #expect(read(parts).state == sample.state)
        }
    }

    @Test("returns status, fields and body, without the trailers")
    func parts() throws {
        let text = "HTTP/1.0 402 No\r\nA:  b \t\r\na: c\r\nContent-Length: 4\r\n\r\ntrue"
        let response = try #require(read([Array(text.utf8)]).response)
        #expect(response.status == 402)
        #expect(response.headers.map(\.name) == ["A", "a", "Content-Length"])
        #expect(response.headers.map(\.value) == ["b", "c", "4"])
        #expect("\(response)" == "GatewayResponse(402, 4 bytes)")
        let chunks = "\(Self.chunked)2\r\n{}\r\n0\r\nB: c\r\n\r\n"
        let second = try #require(read([Array(chunks.utf8)]).response)
        #expect(second.header("B") == nil && "\(second)" == "GatewayResponse(200, 2 bytes)")
    }

    @Test("counts no chunk as a part of the head")
    func chunks() {
        let text = "\(Self.chunked)\(String(repeating: "1\r\na\r\n", count: 20_000))0\r\n\r\n"
        var reader = ResponseReader(longestBody: 20_000)
        reader.read(Array(text.utf8))
        #expect(reader.state == .complete)
    }

    @Test("refuses an answer until the end if the server did not end the connection")
    func uncertainEnd() {
        let bytes = Array("\(Self.head)\r\n{}".utf8)
        #expect(read([bytes], isCertain: false).state == .refused(.cut))
        #expect(read([bytes], isCertain: true).state == .complete)
    }

    @Test(
        "has no answer for any part of an answer", arguments: cases.filter { $0.state == .complete }
    )
    func parts(of sample: Case) {
        let bytes = Array(sample.text.utf8)
        guard
            let end = bytes.indices.last(where: { index in
                read([Array(bytes[...index])], isCertain: false).response == nil
            })
        else { return }
        for index in 0...end {
            #expect(read([Array(bytes[..<index])], isCertain: false).response == nil)
        }
    }

    @Test("never traps, and is never complete with more than the longest body, for changed answers")
    func mutations() {
        var random = SplitMix(state: 7)
        for round in 0..<20_000 {
            var bytes = Array(Self.cases[round % Self.cases.count].text.utf8.prefix(300))
            for _ in 0..<(1 + round % 3) where !bytes.isEmpty {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[index...].prefix(7), at: index)
                }
            }
            let whole = read([bytes])
            #expect(whole.state == read(bytes.map { [$0] }).state)
            #expect((whole.response == nil) == (whole.state != .complete))
        }
    }
}

/// Random numbers that are the same in every run (Steele, Lea and Flood: SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
