import Foundation
import Testing

@testable import ApplePayGateways
@testable import paytoken

@Suite("HTTP messages as text")
struct HTTPTextTests {
    private func pairs(_ headers: [(name: String, value: String)]?) -> [String]? {
        headers.map { $0.map { "\($0.name)=\($0.value)" } }
    }

    private func response(_ text: String) -> GatewayResponse? {
        HTTPText.response(Array(text.utf8))
    }

    @Test("have a status, headers and a body")
    func responses() throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\nHTTP/1.1 404 Not  Found\nB:c:d\r\n!~: \t e f\t \r\n"
            + "C\r\nD e: f\r\n: g\r\nH\u{7F}: i\nJ:\n\nx\n\ny\r\n"
        let response = try #require(self.response(text))
        #expect(response.status == 404)
        #expect(pairs(response.headers) == ["B=c:d", "!~=e f", "J="])
        #expect(response.description == "GatewayResponse(404, 6 bytes)")
    }

    @Test(
        "have a status line with a code from 100 to 999; the first of 200 or more is the answer's",
        arguments: [
            ("HTTP/2 200\n\n", 200), ("HTTP/ 200 \n\n", 200), ("HTTP/1.1 199 A\n\n", nil),
            ("HTTP/1.1 199 A\n\nHTTP/1.1 999 B\n\n", 999),
            ("HTTP/1.1 100 A\n\nHTTP/1.1 201 B\n\nHTTP/1.1 202 C\n\n", 201),
            ("HTTP/1.1 099 A\n\nHTTP/1.1 201 B\n\n", nil), ("HTTP 200\n\n", nil),
            ("HTTP/1.1 20\n\n", nil), ("HTTP/1.1 2000\n\n", nil), ("HTTP/1.1 +20\n\n", nil),
        ] as [(String, Int?)])
    func statuses(_ text: String, _ status: Int?) {
        #expect(response(text)?.status == status)
    }

    @Test("have at most 16 heads of 512 lines of 65,535 bytes")
    func limits() throws {
        for (interim, isRead) in [(15, true), (16, false)] {
            let heads = String(repeating: "HTTP/1.1 100 C\n\n", count: interim)
            #expect((response("\(heads)HTTP/1.1 200 OK\n\n") != nil) == isRead)
        }
        for (count, isRead) in [(511, true), (512, false)] {
            let headers = String(repeating: "A: b\n", count: count)
            let response = response("HTTP/1.1 200 OK\n\(headers)\n{}")
            #expect((response != nil) == isRead)
            if let response {
                #expect(
                    response.headers.count == count
                        && response.description == "GatewayResponse(200, 2 bytes)")
            }
        }
        for (count, isRead) in [(65_535, true), (65_536, false)] {
            let header = "A:" + String(repeating: "b", count: count - 2)
            #expect((response("HTTP/1.1 200 OK\n\(header)\n\n") != nil) == isRead)
            let first = "HTTP/1.1 200 " + String(repeating: "b", count: count - 13)
            #expect((response("\(first)\n\n") != nil) == isRead)
        }
        // A line that the end of the text ends is complete.
        for (count, isRead) in [(65_536, true), (65_537, false)] {
            let header = "A:" + String(repeating: "b", count: count - 2)
            let response = response("HTTP/1.1 200 OK\n\(header)")
            #expect((response != nil) == isRead)
            if let response { #expect(response.header("a")?.count == count - 2) }
        }
    }

    @Test("are requests with a method, a path, headers and a body")
    func messages() throws {
        let text = "PATCH /~a!?b=c HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n{}\n"
        let message = try #require(HTTPText.message(Array(text.utf8)))
        #expect(message.method == "PATCH" && message.target == "/~a!?b=c")
        #expect(pairs(message.headers) == ["A=b", "C=d"] && message.body == Array("{}\n".utf8))
    }

    @Test(
        "are refused as requests without one method, path and version in printable ASCII",
        arguments: [
            "", "\n\n", "POST /a\n\n", "POST /a HTTP/1.1 x\n\n", "POST a HTTP/1.1\n\n",
            "POST /a HTP/1.1\n\n", "POST /\u{7F} HTTP/1.1\n\n", "POST /\u{1F} HTTP/1.1\n\n",
            "POST /é HTTP/1.1\n\n", "POST\t/a HTTP/1.1\n\n",
        ])
    func notMessages(_ text: String) {
        #expect(HTTPText.message(Array(text.utf8)) == nil)
    }
}
