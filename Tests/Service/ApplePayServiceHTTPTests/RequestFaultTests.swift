import FuzzTargets
import Testing

@testable import ApplePayServiceHTTP

@Suite("A malformed request")
struct RequestFaultTests {
    /// A request, and the fault for which it is refused.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let fault: RequestFault
        let text: String
        /// Whether the connection stays open.
        let continues: Bool

        var testDescription: String { name }

        init(
            _ name: String, _ status: Int, _ fault: RequestFault, _ text: String,
            continues: Bool = false
        ) {
            (self.name, self.status, self.fault, self.text) = (name, status, fault, text)
            self.continues = continues
        }
    }

    private static let fields = "Host: a\r\nPaytoken-Request: true\r\n"
    private static let json = "Content-Type: application/json\r\n"
    private static let smuggled = "GET /smuggled HTTP/1.1\r\n\(fields)\r\n"
    private static let limit = 64

    /// Returns a GET request with more fields.
    private static func get(_ more: String, path: String = "/") -> String {
        "GET \(path) HTTP/1.1\r\n\(fields)\(more)\r\n"
    }

    /// Returns a POST request with more fields, and two bytes as its body.
    private static func post(_ more: String, body: String = "{}") -> String {
        "POST / HTTP/1.1\r\n\(fields)\(more)\r\n\(body)"
    }

    private static let requestLines: [Case] = [
        Case("HTTP/0.9", 400, .malformedRequestLine, "GET /\r\n"),
        Case("TLS", 400, .malformedLine, "\u{16}\u{3}\u{1}\n"),
        Case("an empty line first", 400, .malformedRequestLine, "\r\n\(get(""))"),
        Case("two blanks", 400, .malformedRequestLine, "GET  / HTTP/1.1\r\n"),
        Case("a tab", 400, .malformedRequestLine, "GET\t/ HTTP/1.1\r\n"),
        Case("a blank at the end", 400, .malformedRequestLine, "GET / HTTP/1.1 \r\n"),
        Case("a blank first", 400, .malformedRequestLine, " GET / HTTP/1.1\r\n"),
        Case("a method with a colon", 400, .malformedRequestLine, "GET: / HTTP/1.1\r\n"),
        Case("no method", 400, .malformedRequestLine, " / HTTP/1.1\r\n"),
        Case("a version without a dot", 400, .malformedRequestLine, "GET / HTTP/1_1\r\n"),
        Case("a version with letters", 400, .malformedRequestLine, "GET / HTTP/1.x\r\n"),
        Case("a version of three digits", 400, .malformedRequestLine, "GET / HTTP/1.10\r\n"),
        Case("a small version", 400, .malformedRequestLine, "GET / http/1.1\r\n"),
        Case("an answer", 400, .malformedRequestLine, "HTTP/1.1 200 OK\r\n"),
        Case("HTTP/1.2", 505, .unsupportedVersion, "GET / HTTP/1.2\r\n"),
        Case("HTTP/2", 505, .unsupportedVersion, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Case("the absolute form", 400, .notOriginForm, "GET http://a/ HTTP/1.1\r\n"),
        Case("the authority form", 400, .notOriginForm, "CONNECT a:80 HTTP/1.1\r\n"),
        Case("the asterisk form", 400, .notOriginForm, "OPTIONS * HTTP/1.1\r\n"),
        Case("no target", 400, .notOriginForm, "GET  HTTP/1.1\r\n"),
        Case("a query without a value", 400, .malformedQuery, "GET /a?a HTTP/1.1\r\n"),
        Case("an empty query", 400, .malformedQuery, "GET /a? HTTP/1.1\r\n"),
        Case("a query without a name", 400, .malformedQuery, "GET /a?=1 HTTP/1.1\r\n"),
        Case("a query with a name twice", 400, .malformedQuery, "GET /a?a=1&a=1 HTTP/1.1\r\n"),
        Case("a query with a second mark", 400, .malformedQuery, "GET /a?a=1?b=2 HTTP/1.1\r\n"),
        Case("a query that ends with &", 400, .malformedQuery, "GET /a?a=1& HTTP/1.1\r\n"),
        Case("an encoded query", 400, .malformedQuery, "GET /a?a=%2E HTTP/1.1\r\n"),
        Case("a plus sign in a query", 400, .malformedQuery, "GET /a?a=+ HTTP/1.1\r\n"),
        Case("a fragment", 400, .malformedQuery, "GET /healthz#a HTTP/1.1\r\n"),
        Case(
            "a fragment in the form of a query", 400, .malformedQuery,
            "GET /healthz#a=1 HTTP/1.1\r\n"),
        Case("a fragment after a query", 400, .malformedQuery, "GET /a?a=1#a HTTP/1.1\r\n"),
    ]

    private static let paths: [Case] = [
        ("two slashes", RequestFault.malformedPath, "//a/healthz"),
        ("a slash at the end", .slashAtEnd, "/v1/pay/"),
        ("two slashes at the end", .slashAtEnd, "/v1/pay//"),
        ("a segment .", .malformedPath, "/v1/./pay"),
        ("a segment ..", .malformedPath, "/v1/../pay"),
        ("a backslash", .malformedPath, "/v1\\pay"),
        ("a quotation mark", .malformedPath, "/v1/\""),
        ("UTF-8 that is not encoded", .malformedPath, "/v1/\u{E9}"),
        ("a percent sign at the end", .malformedEncoding, "/v1/%"),
        ("one digit", .malformedEncoding, "/v1/%2"),
        ("an encoding across segments", .malformedEncoding, "/v1/%4/1"),
        ("a letter as a digit", .malformedEncoding, "/v1/%4G"),
        ("lower-case digits", .malformedEncoding, "/v1/%2f"),
        ("an encoded letter", .malformedEncoding, "/v1/%70ay"),
        ("an encoded dot", .malformedEncoding, "/v1/%2E%2E/pay"),
        ("an encoded tilde", .malformedEncoding, "/v1/%7E"),
        ("an encoded NUL", .malformedEncoding, "/v1/%00"),
        ("an encoded byte that is not UTF-8", .malformedEncoding, "/v1/%E9"),
        ("an overlong encoding of a slash", .malformedEncoding, "/v1/%C0%AF"),
        ("an encoded surrogate", .malformedEncoding, "/v1/%ED%A0%80"),
    ].map { Case($0.0, 400, $0.1, get("", path: $0.2)) }

    private static let heads: [Case] = [
        Case("a bare line feed", 400, .malformedLine, "GET / HTTP/1.1\n"),
        Case("a bare line feed after a field", 400, .malformedLine, get("A: b\nC: d\r\n")),
        Case("an empty line that ends with a line feed", 400, .malformedLine, get("\n")),
        Case("a bare carriage return", 400, .malformedLine, get("A: b\rC: d\r\n")),
        Case("two carriage returns", 400, .malformedLine, get("A: b\r\r\n")),
        Case("NUL in a value", 400, .malformedLine, get("A: \0b\r\n")),
        Case("NUL in a name", 400, .malformedLine, get("A\0: b\r\n")),
        Case("DEL", 400, .malformedLine, get("A: \u{7F}\r\n")),
        Case("a folded field", 400, .foldedField, get("A: b\r\n c\r\n")),
        Case("a field folded with a tab", 400, .foldedField, get("A: b\r\n\tc: d\r\n")),
        Case(
            "a first field that begins with a blank", 400, .foldedField,
            "GET / HTTP/1.1\r\n A: b\r\n"),
        Case("a blank before the colon", 400, .malformedField, post("Content-Length : 2\r\n")),
        Case("a tab before the colon", 400, .malformedField, post("Content-Length\t: 2\r\n")),
        Case("a field without a colon", 400, .malformedField, get("A\r\n")),
        Case("a field without a name", 400, .malformedField, get(": b\r\n")),
        Case("a name in brackets", 400, .malformedField, get("[A]: b\r\n")),
        Case("a name beyond ASCII", 400, .malformedField, get("\u{C4}: b\r\n")),
        Case("a value beyond ASCII", 400, .malformedField, get("A: \u{E9}\r\n")),
        Case("a second Host", 400, .duplicateField, get("Host: b\r\n")),
        Case("a second Host in other letters", 400, .duplicateField, get("hOST: a\r\n")),
        Case("a second Paytoken-Request", 400, .duplicateField, get("Paytoken-Request: true\r\n")),
        Case("another field twice", 400, .duplicateField, get("A: b\r\na: b\r\n")),
        Case(
            "two lengths", 400, .duplicateField,
            post("\(json)Content-Length: 2\r\nContent-Length: 2\r\n")),
        Case(
            "two different lengths", 400, .duplicateField,
            post("\(json)Content-Length: 2\r\nContent-Length: 92\r\n", body: smuggled)),
        Case(
            "31 more fields", 431, .tooManyFields,
            get((0..<31).map { "A\($0): b\r\n" }.joined())),
        Case("no Host", 400, .noHost, "GET / HTTP/1.1\r\nPaytoken-Request: true\r\n\r\n"),
        Case(
            "no Host with HTTP/1.0", 400, .noHost,
            "GET / HTTP/1.0\r\nPaytoken-Request: true\r\n\r\n"),
        Case("a Host with a slash", 400, .malformedHost, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Case("a Host with a user", 400, .malformedHost, "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
        Case("two hosts in one field", 400, .malformedHost, "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    ]

    private static let lengths: [Case] = [
        Case(
            "chunks", 411, .hasTransferEncoding,
            post("\(json)Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n\(smuggled)")),
        Case(
            "a length and chunks", 411, .hasTransferEncoding,
            post(
                "\(json)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                body: "0\r\n\r\n\(smuggled)")),
        Case(
            "chunks and a length", 411, .hasTransferEncoding,
            post(
                "\(json)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                body: "0\r\n\r\n\(smuggled)")),
        Case(
            "identity", 411, .hasTransferEncoding,
            post("Transfer-Encoding: identity\r\nContent-Length: 2\r\n")),
        Case(
            "an empty Transfer-Encoding", 411, .hasTransferEncoding,
            post("Transfer-Encoding:\r\nContent-Length: 2\r\n")),
        Case(
            "a Transfer-Encoding in other letters", 411, .hasTransferEncoding,
            post("tRANSFER-eNCODING: xchunked\r\n")),
        Case("chunks with GET", 411, .hasTransferEncoding, get("Transfer-Encoding: chunked\r\n")),
        Case("no length", 411, .noLength, post(json)),
        Case("an empty length", 400, .malformedLength, post("Content-Length:\r\n")),
        Case("a length with a plus sign", 400, .malformedLength, post("Content-Length: +2\r\n")),
        Case("a length with a minus sign", 400, .malformedLength, post("Content-Length: -2\r\n")),
        Case("a length with a zero first", 400, .malformedLength, post("Content-Length: 02\r\n")),
        Case("a length 00", 400, .malformedLength, post("Content-Length: 00\r\n")),
        Case("a hexadecimal length", 400, .malformedLength, post("Content-Length: 0x2\r\n")),
        Case("a length with a fraction", 400, .malformedLength, post("Content-Length: 2.0\r\n")),
        Case("two lengths in one field", 400, .malformedLength, post("Content-Length: 2, 2\r\n")),
        Case("two lengths with a blank", 400, .malformedLength, post("Content-Length: 2 2\r\n")),
        Case("a length of a negative zero", 400, .malformedLength, post("Content-Length: -0\r\n")),
        Case(
            "a length of 8 digits", 413, .bodyTooLong(limit), post("Content-Length: 10000000\r\n")),
        Case(
            "a length of 2^64 + 2", 413, .bodyTooLong(limit),
            post("Content-Length: 18446744073709551618\r\n")),
        Case(
            "a length over the limit", 413, .bodyTooLong(limit),
            post("\(json)Content-Length: 65\r\n")),
        Case(
            "a body with GET", 400, .bodyOfGet,
            "GET / HTTP/1.1\r\n\(fields)Content-Length: 2\r\n\r\n{}"),
        Case(
            "another expectation", 417, .unknownExpectation,
            post("\(json)Content-Length: 2\r\nExpect: 200-ok\r\n")),
        Case(
            "two expectations", 417, .unknownExpectation,
            post("\(json)Content-Length: 2\r\nExpect: 100-continue, 100-continue\r\n")),
        Case("an empty expectation", 417, .unknownExpectation, get("Expect:\r\n")),
    ]

    private static let contents: [Case] = [
        Case(
            "no Paytoken-Request", 403, .notForService.closing(false),
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            continues: true),
        Case(
            "Paytoken-Request: 1", 403, .notForService.closing(false),
            "GET / HTTP/1.1\r\nHost: a\r\nPaytoken-Request: 1\r\n\r\n", continues: true),
        Case(
            "Paytoken-Request: True", 403, .notForService.closing(false),
            "GET / HTTP/1.1\r\nHost: a\r\nPaytoken-Request: True\r\n\r\n", continues: true),
        Case(
            "POST without Paytoken-Request", 403, .notForService,
            "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2\r\n\r\n{}"),
        Case(
            "a form of another site", 403, .notForService,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"),
        Case(
            "no Paytoken-Request, then close", 403, .notForService,
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        Case(
            "no Paytoken-Request with HTTP/1.0", 403, .notForService,
            "GET / HTTP/1.0\r\nHost: a\r\n\r\n"),
        Case(
            "no Paytoken-Request, and the client waits for 100 Continue", 403,
            .notForService,
            "POST / HTTP/1.1\r\nHost: a\r\n\(json)Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        ),
        Case(
            "a compressed body", 415, .encodedContent,
            post("\(json)Content-Length: 2\r\nContent-Encoding: gzip\r\n")),
        Case("no Content-Type", 415, .notJSON, post("Content-Length: 2\r\n")),
        Case(
            "a form", 415, .notJSON,
            post("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n")),
        Case(
            "text/json", 415, .notJSON, post("Content-Type: text/json\r\nContent-Length: 2\r\n")),
        Case(
            "a longer type", 415, .notJSON,
            post("Content-Type: application/json5\r\nContent-Length: 2\r\n")),
        Case(
            "another charset", 415, .notJSON,
            post("Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n")),
        Case(
            "another parameter", 415, .notJSON,
            post("Content-Type: application/json; a=b\r\nContent-Length: 2\r\n")),
        Case(
            "two parameters", 415, .notJSON,
            post("Content-Type: application/json; charset=utf-8; a=b\r\nContent-Length: 2\r\n")),
        Case(
            "an empty parameter", 415, .notJSON,
            post("Content-Type: application/json;\r\nContent-Length: 2\r\n")),
        Case(
            "an empty body without a type", 415, .notJSON.closing(false),
            post("Content-Length: 0\r\n", body: ""),
            continues: true),
    ]

    static let cases = requestLines + paths + heads + lengths + contents

    @Test(
        "is refused with the status and the reason, however its bytes are split", arguments: cases)
    func refused(_ sample: Case) {
        #expect(sample.fault.status == sample.status)
        #expect(sample.fault.closes != sample.continues)
        let bytes = Array(sample.text.utf8)
        let whole = ReadRequests([bytes[...]], bodyLimit: Self.limit)
        #expect(whole.steps == [.fault(sample.fault)])
        #expect(
            ReadRequests(bytes.indices.map { bytes[$0...$0] }, bodyLimit: Self.limit) == whole)
        for index in bytes.indices {
            let parts = [bytes[..<index], bytes[index...]]
            #expect(ReadRequests(parts, bodyLimit: Self.limit) == whole, "\(index)")
        }
    }

    @Test("is the last of its connection, unless it was read to its end", arguments: cases)
    func last(_ sample: Case) {
        let bytes = Array(sample.text.utf8) + Self.smuggled.utf8
        let read = ReadRequests([bytes[...]], bodyLimit: Self.limit)
        #expect(read.steps.first == .fault(sample.fault))
        #expect(read.requests.map(\.path) == (sample.continues ? ["/smuggled"] : []))
        #expect(read.steps.count == (sample.continues ? 2 : 1))
    }

    @Test("causes the same fault again after one that closes the connection")
    func again() {
        var reader = RequestReader { _ in Self.limit }
        for text in ["GET http://a/ HTTP/1.1\r\n", Self.smuggled] {
            reader.append(Array(text.utf8))
            #expect(throws: RequestFault.notOriginForm) { try reader.next() }
            #expect(reader.isBetweenRequests)
        }
    }

    @Test(
        "is refused by a table that has every fault, with what is wrong and what to send, in ASCII")
    func table() {
        let faults = Set(Self.cases.map(\.fault)).union([
            .headTooLong, .incompleteHead, .incompleteBody(3765, of: 5000),
        ])
        #expect(Self.cases.count >= 100)
        #expect(
            RequestFault.others.map(\.status).sorted()
                == Set(faults.map(\.status)).subtracting([400, 403]).sorted())
        #expect(Set(faults.map(\.reason)).count == 26)
        for fault in faults {
            #expect(fault.reason.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            #expect(fault.reason.contains(": "), "\(fault.reason)")
            #expect(fault.reason.hasSuffix(".") || fault.reason.hasSuffix("HTTP/1.1"))
        }
    }
}
