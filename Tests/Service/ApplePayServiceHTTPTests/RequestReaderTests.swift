import ApplePayWire
import FuzzTargets
import Testing

@testable import ApplePayServiceHTTP

@Suite("The reader of requests")
struct RequestReaderTests {
    private static let fields = "Host: a\r\nPaytoken-Request: true\r\n"

    private static func get(_ more: String = "", path: String = "/") -> String {
        "GET \(path) HTTP/1.1\r\n\(fields)\(more)\r\n"
    }

    private static func post(_ body: String, path: String = "/", type: String = "application/json")
        -> String
    {
        "POST \(path) HTTP/1.1\r\n\(fields)Content-Type: \(type)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func read(_ text: String, bodyLimit: Int = 64) -> ReadRequests {
        ReadRequests([Array(text.utf8)[...]], bodyLimit: bodyLimit)
    }

    /// Returns the next request, before which its head may come.
    private func request(_ reader: inout RequestReader) throws -> ServiceRequest {
        var event = try reader.next()
        if case .head = event { event = try reader.next() }
        let request: ServiceRequest? = if case .request(let read) = event { read } else { nil }
        return try #require(request)
    }

    @Test("accepts a head of 8192 bytes and refuses one of 8193 as `431`")
    func headLimit() {
        for (count, isAccepted) in [(8191, true), (8192, true), (8193, false), (9000, false)] {
            let padding = count - Self.get("A: \r\n").utf8.count
            let text = Self.get("A: \(String(repeating: "b", count: padding))\r\n")
            #expect(text.utf8.count == count)
            let result = read(text)
            #expect(result.requests.count == (isAccepted ? 1 : 0))
            #expect(isAccepted || result.steps == [.fault(.headTooLong)])
            let bytes = Array(text.utf8)
            #expect(ReadRequests(bytes.indices.map { bytes[$0...$0] }, bodyLimit: 64) == result)
        }
    }

    @Test("refuses a line without an end as `431` when its byte 8192 has arrived")
    func endlessLine() throws {
        var reader = RequestReader { _ in 64 }
        reader.append([UInt8](repeating: 0x41, count: 8191))
        #expect(try reader.next() == nil)
        reader.append([0x41])
        #expect(throws: RequestFault.headTooLong) { try reader.next() }
    }

    @Test("accepts 32 fields")
    func fieldLimit() {
        let text = Self.get((0..<30).map { "A\($0): b\r\n" }.joined())
        #expect(read(text).requests.first?.head.fields.count == 32)
    }

    @Test("asks for the limit of each body, and accepts a body of that length")
    func bodyLimits() throws {
        var reader = RequestReader { head in head.segments == ["v1", "messages", "adyen"] ? 9 : 5 }
        reader.append(Array(Self.post("123456789", path: "/v1/messages/adyen").utf8))
        reader.append(Array(Self.post("12345").utf8))
        reader.append(Array(Self.post("123456").utf8))
        for body in ["123456789", "12345"] {
            #expect(try request(&reader).body == Array(body.utf8))
        }
        #expect(throws: RequestFault.bodyTooLong(5)) { try reader.next() }
    }

    @Test(
        "reads requests with a method that no path has, and closes the connection after each",
        arguments: [
            ("HEAD", ""), ("get", ""), ("DELETE", ""), ("PUT", "{}"), ("PATCH", "{}"),
        ])
    func otherMethods(_ method: String, _ body: String) throws {
        var reader = RequestReader { _ in 64 }
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        reader.append(
            Array("\(method) /v1/pay HTTP/1.1\r\n\(Self.fields)\(length)\r\n\(body)".utf8))
        let request = try request(&reader)
        #expect(request.method == nil && request.closes && request.path == "/v1/pay")
    }

    @Test("accepts a length of 7 digits")
    func longestLength() throws {
        var reader = RequestReader { _ in 9_999_999 }
        let type = "Content-Type: application/json\r\nContent-Length: 9999999\r\n"
        reader.append(Array("POST / HTTP/1.1\r\n\(Self.fields)\(type)\r\n".utf8))
        #expect(try reader.next() != nil)
        reader.append([UInt8](repeating: 0x20, count: 9_999_998))
        #expect(try reader.next() == nil)
        reader.append([0x20])
        #expect(try request(&reader).body.count == 9_999_999)
    }

    @Test(
        "returns requests that arrive together one by one, and looks at each only when it is asked")
    func pipeline() throws {
        var reader = RequestReader { _ in 64 }
        #expect(reader.isBetweenRequests)
        reader.append(
            Array((Self.post("{}", path: "/a") + Self.get(path: "/b") + "GET ? HTTP\r\n").utf8))
        for path in ["/a", "/b"] {
            #expect(try request(&reader).path == path)
            #expect(!reader.isBetweenRequests)
        }
        #expect(throws: RequestFault.malformedRequestLine) { try reader.next() }
    }

    @Test("is between requests until the first byte of one arrives, and after its last")
    func betweenRequests() throws {
        var reader = RequestReader { _ in 64 }
        let bytes = Array(Self.post("{}").utf8)
        for (index, byte) in bytes.enumerated() {
            #expect(reader.isBetweenRequests == (index == 0), "\(index)")
            #expect(reader.isReadingBody == (index >= bytes.count - 2), "\(index)")
            reader.append([byte])
            // The head ends before the body's two bytes.
            #expect((try reader.next() == nil) == ![1, 3].contains(bytes.count - index))
        }
        #expect(reader.isBetweenRequests)
    }

    @Test("returns the head of a request as soon as it is complete, if a body follows")
    func heads() throws {
        var reader = RequestReader { _ in 64 }
        reader.append(Array(Self.post("{}", path: "/a").utf8.dropLast(2)))
        guard case .head(let head) = try reader.next() else {
            Issue.record("no head")
            return
        }
        #expect(head.path == "/a" && head.contentLength == 2 && !head.expectsContinue)
        #expect(try reader.next() == nil)
        reader.append(Array("{}\(Self.get(path: "/b"))".utf8))
        #expect(
            try reader.next() == .request(ServiceRequest(head: head, body: Array("{}".utf8))))
        guard case .request(let request) = try reader.next() else {
            Issue.record("no request")
            return
        }
        #expect(request.path == "/b")
    }

    @Test(
        "accepts JSON in each form of its type",
        arguments: [
            "application/json", "Application/JSON", "application/json;charset=utf-8",
            "application/json; charset=UTF-8", "application/json ;\tcharset=\"utf-8\"",
        ])
    func types(_ type: String) {
        #expect(read(Self.post("{}", type: type)).requests.count == 1)
    }

    @Test(
        "knows from Connection and the version whether the connection ends",
        arguments: [
            ("HTTP/1.1", "", false), ("HTTP/1.1", "Connection: keep-alive\r\n", false),
            ("HTTP/1.1", "Connection: Close\r\n", true),
            ("HTTP/1.1", "Connection: keep-alive ,\tclose\r\n", true),
            ("HTTP/1.1", "Connection: closed\r\n", false),
            ("HTTP/1.1", "X-Connection: close\r\n", false), ("HTTP/1.0", "", true),
            ("HTTP/1.0", "Connection: keep-alive\r\n", true),
        ])
    func closes(_ version: String, _ field: String, _ closes: Bool) {
        let text = "GET / \(version)\r\n\(Self.fields)\(field)\r\n"
        #expect(read(text).requests.map(\.closes) == [closes])
    }

    @Test(
        "ignores an expectation without a body, and with HTTP/1.0",
        arguments: [
            "GET / HTTP/1.1\r\n\(fields)Expect: 100-continue\r\n\r\n",
            "POST / HTTP/1.0\r\n\(fields)Expect: 100-continue\r\nContent-Type: application/json\r\n"
                + "Content-Length: 2\r\n\r\n{}",
        ])
    func noExpectation(_ text: String) {
        #expect(read(text).requests.map(\.head.expectsContinue) == [false])
    }

    @Test("reads an expectation in any letters, also when the body has already arrived")
    func expectation() {
        let text =
            "POST / HTTP/1.1\r\n\(Self.fields)Expect: 100-Continue\r\nContent-Type: application/json\r\n"
            + "Content-Length: 2\r\n\r\n{}"
        let result = read(text)
        #expect(result.steps.first == result.requests.first.map { .event(.head($0.head)) })
        #expect(result.requests.map(\.head.expectsContinue) == [true])
        #expect(result.requests.map(\.body) == [Array("{}".utf8)])
    }

    @Test("accepts GET with a length of 0, and an empty Host")
    func emptyBody() {
        #expect(read(Self.get("Content-Length: 0\r\n")).requests.count == 1)
        let text = "GET / HTTP/1.1\r\nHost:\r\nPaytoken-Request: true\r\n\r\n"
        #expect(read(text).requests.map { $0.field("host") } == [""])
    }

    @Test(
        "accepts a host with a port, an address, and an encoded path",
        arguments: ["localhost:80", "[::1]:8080", "127.0.0.1", "%2Frun%2Fpaytoken.sock", "a_b-c.~"])
    func hosts(_ host: String) {
        let text = "GET / HTTP/1.1\r\nHost: \(host)\r\nPaytoken-Request: true\r\n\r\n"
        #expect(read(text).requests.map { $0.field("host") } == [host])
    }

    @Test("removes blanks and tabs around a value, and none inside")
    func blanks() {
        let text = Self.get("A:\t b \t c\t \r\nB:\r\nC::d\r\n")
        let request = read(text).requests.first
        #expect(request?.field("a") == "b \t c")
        #expect(request?.field("b") == "")
        #expect(request?.field("c") == ":d")
    }

    @Test(
        "decodes the segments of a path",
        arguments: [
            ("/", []), ("/healthz", ["healthz"]),
            ("/v1/payments/a%2Fb/capture", ["v1", "payments", "a/b", "capture"]),
            ("/v1/payments/%C3%A9%F0%9F%98%80%20", ["v1", "payments", "\u{E9}\u{1F600} "]),
            ("/%25%22%5C%7F%01%3F%23", ["%\"\\\u{7F}\u{1}?#"]),
            ("/a+b&c=d;e,f@g:h!$'()*", ["a+b&c=d;e,f@g:h!$'()*"]),
            ("/%2B%26%3D%3B%2C%40%3A%21%24%27%28%29%2A", ["+&=;,@:!$'()*"]),
            ("/-._~/...", ["-._~", "..."]), ("/.%2F", ["./"]),
        ])
    func paths(_ path: String, _ segments: [String]) {
        let request = read(Self.get(path: path)).requests.first
        #expect(request?.path == path)
        #expect(request?.segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
    }

    @Test("reads the names and values of a query, which are no part of the path")
    func query() {
        let request = read(Self.get(path: "/v1/changes?after=12.0f&a_b=")).requests.first
        #expect(request?.path == "/v1/changes")
        #expect(request?.segments == ["v1", "changes"])
        #expect(request?.query == ["after": "12.0f", "a_b": ""])
    }

    @Test("reads every byte but NUL in a reference, as UTF-8 in percent-encoding")
    func everyScalar() {
        for value in 1..<0x200 {
            let reference = "x\(Character(UnicodeScalar(value) ?? "x"))"
            let encoded = reference.utf8.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return byte.isUnreserved
                    ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
            }
            let request = read(Self.get(path: "/v1/payments/\(encoded.joined())")).requests.first
            #expect(request?.segments.last.map { Array($0.utf8) } == Array(reference.utf8))
        }
    }

    @Test(
        "reports how much of a head or body is missing when the time is over, and nothing between requests"
    )
    func timeout() throws {
        var reader = RequestReader { _ in 64 }
        #expect(reader.timeout == nil)
        reader.append(Array("GET /".utf8))
        #expect(try reader.next() == nil)
        #expect(reader.timeout == .incompleteHead)
        reader = RequestReader { _ in 64 }
        reader.append(Array(Self.post("{\"token\":1}").utf8.dropLast(4)))
        _ = try reader.next()
        #expect(try reader.next() == nil)
        #expect(reader.timeout == .incompleteBody(7, of: 11))
        reader.append(Array("n\":1}".utf8.suffix(4)))
        _ = try request(&reader)
        #expect(reader.timeout == nil)
    }

    @Test("describes a request by its method, its path and the length of its body alone")
    func description() throws {
        let request = try #require(read(Self.post("{\"token\":1}", path: "/v1/pay")).requests.first)
        #expect("\(request)" == "ServiceRequest(POST /v1/pay, 11 bytes)")
        var text = ""
        dump(request, to: &text)
        #expect(text == "- ServiceRequest(POST /v1/pay, 11 bytes)\n")
    }
}
