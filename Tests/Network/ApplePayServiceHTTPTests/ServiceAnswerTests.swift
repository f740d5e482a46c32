import Testing

@testable import ApplePayServiceHTTP

@Suite("The service's answer")
struct ServiceAnswerTests {
    private func head(_ answer: ServiceAnswer, closes: Bool = false) -> String {
        String(decoding: answer.head(closes: closes), as: UTF8.self)
    }

    @Test("states its status, type and length, and forbids caches to store it")
    func json() {
        #expect(
            head(ServiceAnswer(status: 200, body: Array("{}".utf8)))
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                + "Cache-Control: no-store\r\n\r\n")
    }

    @Test("states that the connection is closed, and when to try again")
    func further() {
        #expect(
            head(ServiceAnswer(status: 503, retryAfter: 1), closes: true)
                == "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
                + "Content-Length: 0\r\nCache-Control: no-store\r\nRetry-After: 1\r\n"
                + "Connection: close\r\n\r\n")
    }

    @Test("states the type of metrics, and the length of a body that the owner sends")
    func metrics() {
        let answer = ServiceAnswer(status: 299, contentType: .metrics)
        #expect(
            String(decoding: answer.head(closes: false, bodyCount: 7), as: UTF8.self)
                == "HTTP/1.1 299 \r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                + "Content-Length: 7\r\nCache-Control: no-store\r\n\r\n")
    }

    @Test("to a fault has its status, its reason as JSON, and the methods that are allowed")
    func faults() {
        let answer = RequestFault.methodNotAllowed.answer
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"status":"error","message":"The method is neither GET nor POST."}"#)
        #expect(head(answer).contains("HTTP/1.1 405 Method Not Allowed\r\n"))
        #expect(head(answer).contains("\r\nAllow: GET, POST\r\n"))
        #expect(RequestFault.noHost.answer.allow.isEmpty)
    }

    @Test("has a reason for the status of every fault")
    func reasons() {
        for fault in RequestFaultTests.cases.map(\.fault) + [.headTooLong] {
            let line = head(fault.answer).prefix { $0 != "\r\n" }
            #expect(line.hasPrefix("HTTP/1.1 \(fault.status) "))
            #expect(line.count > "HTTP/1.1 400 ".count)
        }
    }

    @Test("asks for the body with 100")
    func interim() {
        #expect(ServiceAnswer.continueHead == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
}
