import Testing

@testable import ApplePayServiceHTTP

@Suite("The service's answer")
struct ServiceAnswerTests {
    private func head(_ answer: ServiceAnswer, closes: Bool = false, bodyCount: Int = 0) -> String {
        String(decoding: answer.head(closes: closes, bodyCount: bodyCount), as: UTF8.self)
    }

    @Test("states its status, type and length, and forbids caches to store it")
    func json() {
        #expect(
            head(ServiceAnswer(status: 200), bodyCount: 2)
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

    @Test("states the type of metrics, and no reason for a status without one")
    func metrics() {
        #expect(
            head(ServiceAnswer(status: 299, contentType: .metrics))
                == "HTTP/1.1 299 \r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                + "Content-Length: 0\r\nCache-Control: no-store\r\n\r\n")
    }

    @Test("states the methods that are allowed")
    func methods() {
        #expect(
            head(ServiceAnswer(status: 405, allow: [.get, .post]))
                == "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\n"
                + "Content-Length: 0\r\nCache-Control: no-store\r\nAllow: GET, POST\r\n\r\n")
    }

    @Test("has a reason for the status of every fault")
    func reasons() {
        for fault in RequestFaultTests.cases.map(\.fault) + [.headTooLong] {
            let line = head(ServiceAnswer(status: fault.status)).prefix { $0 != "\r\n" }
            #expect(line.hasPrefix("HTTP/1.1 \(fault.status) "))
            #expect(line.count > "HTTP/1.1 400 ".count)
        }
    }

    @Test("asks for the body with 100")
    func interim() {
        #expect(ServiceAnswer.continueHead == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
}
