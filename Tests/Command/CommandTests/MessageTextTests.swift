import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import Testing

@testable import ApplePayGateways
@testable import paytoken

@Suite("Messages as text")
struct MessageTextTests {
    private func pairs(_ headers: [(name: String, value: String)]?) -> [String]? {
        headers.map { $0.map { "\($0.name)=\($0.value)" } }
    }

    private func message(_ text: String) -> GatewayMessage? {
        MessageText.message(Array(text.utf8))
    }

    @Test("have headers and a body, and lines that are no headers are ignored")
    func headers() throws {
        let text =
            "POST /a HTTP/1.1\r\nB:c:d\r\n!~: \t e f\t \r\nC\r\nD e: f\r\n: g\r\nH\u{7F}: i\nJ:\n\nx\n\ny\r\n"
        let message = try #require(self.message(text))
        #expect(pairs(message.headers) == ["B=c:d", "!~=e f", "J="])
        #expect(message.body == Array("x\n\ny\r\n".utf8))
    }

    @Test("have at most 512 lines of 65,535 bytes")
    func limits() throws {
        let first = "POST /a HTTP/1.1\n"
        for (count, isRead) in [(511, true), (512, false)] {
            let headers = String(repeating: "A: b\n", count: count)
            let message = message("\(first)\(headers)\n{}")
            #expect((message != nil) == isRead)
            if let message { #expect(message.headers.count == count) }
        }
        for (count, isRead) in [(65_535, true), (65_536, false)] {
            let header = "A:" + String(repeating: "b", count: count - 2)
            #expect((message("\(first)\(header)\n\n") != nil) == isRead)
            let line = "POST /" + String(repeating: "b", count: count - 15) + " HTTP/1.1"
            #expect((message("\(line)\n\n") != nil) == isRead)
        }
        // A line that the end of the text ends is complete.
        for (count, isRead) in [(65_536, true), (65_537, false)] {
            let header = "A:" + String(repeating: "b", count: count - 2)
            #expect((message("\(first)\(header)") != nil) == isRead)
        }
    }

    @Test("are requests with a method, a path, headers and a body")
    func messages() throws {
        let text = "PATCH /~a!?b=c HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n{}\n"
        let message = try #require(MessageText.message(Array(text.utf8)))
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
        #expect(MessageText.message(Array(text.utf8)) == nil)
    }
}
