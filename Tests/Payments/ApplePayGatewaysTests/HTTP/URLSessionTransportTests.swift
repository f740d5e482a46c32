import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("The transport over URLSession", .serialized, .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    private func request(_ origin: String, amount: Int64 = 3000) throws -> GatewayRequest {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(amount: String(amount)))
        let gateway = with(ExampleMerchant(secret: "sandbox-secret").bePaid) { $0.origin = origin }
        return try gateway.payment(GatewayFixture.accepted(payment) { $0.description = "Order" })
            .request(at: Date())
    }

    private func quick() -> URLSessionTransport {
        with(URLSessionTransport()) { $0.timeLimit = .seconds(5) }
    }

    private func expect(
        _ code: GatewayTransportError.Code,
        mayHaveReached: Bool,
        _ transport: URLSessionTransport,
        _ request: GatewayRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(
            throws: GatewayTransportError.self, sourceLocation: sourceLocation
        ) { try await transport.send(request) }
        #expect(
            error == GatewayTransportError(code, requestMayHaveReachedGateway: mayHaveReached),
            sourceLocation: sourceLocation)
    }

    @Test("returns the gateway's answer, whatever its status")
    func answers() async throws {
        for (amount, status) in [(3000, 200), (40_200, 200), (40_900, 422), (50_200, 502)] {
            let sandbox = try SandboxProcess()
            let answer = try await quick().send(request(sandbox.origin, amount: Int64(amount)))
            #expect(answer.status == status)
            let type = amount == 50_200 ? "text/html; charset=utf-8" : "application/json"
            #expect(answer.header("content-type") == type)
            #expect((BePaid.paymentReport(answer).meaning == .booked) == (amount == 3000))
        }
    }

    @Test("sends method, target, headers and body as the request states them")
    func arrival() async throws {
        let server = try GatewayServer()
        let request = try request(server.origin)
        _ = try await quick().send(request)
        let arrival = try #require(await server.arrival())
        #expect(arrival.method == "POST" && arrival.target == "/transactions/payments")
        for header in request.headers {
            #expect(arrival.values(header.name) == [header.revealValue()])
        }
        #expect(arrival.values("Cookie").isEmpty)
        #expect(arrival.body == Array((request.body?.revealText() ?? "").utf8))
    }

    @Test("does not follow a redirect")
    func redirect() async throws {
        let target = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        for status in [301, 302, 303, 307, 308] {
            let server = try ScriptedServer(
                .answer(
                    "HTTP/1.1 \(status) Elsewhere\r\nLocation: \(target.origin)/\r\n"
                        + "Content-Length: 0\r\nConnection: close\r\n\r\n"))
            #expect(try await quick().send(request(server.origin)).status == status)
            #expect(server.requestCount == 1)
        }
        #expect(target.requestCount == 0)
    }

    @Test(
        "reports that a request may have reached the gateway when the connection ends early",
        arguments: ["", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"])
    func connectionFailed(_ answer: String) async throws {
        let server = try ScriptedServer(.answer(answer))
        await expect(
            .connectionFailed, mayHaveReached: true, quick(), try request(server.origin))
        #expect(server.requestCount == 1)
    }

    @Test(
        "fails when a time limit is over",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"])
    func timeOut(_ answer: String) async throws {
        let server = try ScriptedServer(.silence(after: answer))
        for isSilence in [false, true] {
            let transport = with(URLSessionTransport()) {
                if isSilence { $0.silenceLimit = .seconds(1) } else { $0.timeLimit = .seconds(1) }
            }
            let start = ContinuousClock.now
            await expect(.timedOut, mayHaveReached: true, transport, try request(server.origin))
            #expect(ContinuousClock.now - start < .seconds(10))
        }
        #expect(server.requestCount == 2)
    }

    @Test("accepts a body of the maximum length, and refuses a longer one")
    func longestBody() async throws {
        let transport = with(quick()) { $0.longestBody = 10 }
        for count in [10, 11, 300_000] {
            let body = String(repeating: "a", count: count)
            for head in ["Content-Length: \(count)\r\n", ""] {
                let server = try ScriptedServer(
                    .answer("HTTP/1.1 200 OK\r\n\(head)Connection: close\r\n\r\n\(body)"))
                let request = try request(server.origin)
                if count == 10 {
                    let answer = try await transport.send(request)
                    #expect("\(answer)".contains("10 bytes"))
                } else {
                    await expect(.answerTooLong, mayHaveReached: true, transport, request)
                }
                #expect(server.requestCount == 1)
            }
        }
    }

    @Test("reports that nothing was sent when no connection could be made")
    func notConnected() async throws {
        let port = try { try LoopbackSocket().port }()
        for origin in ["http://127.0.0.1:\(port)", "https://gateway.invalid"] {
            await expect(.notConnected, mayHaveReached: false, quick(), try request(origin))
        }
    }

    @Test(
        "sends nothing to a server whose certificate is not trusted",
        .enabled(if: UntrustedServer.isAvailable))
    func untrustedCertificate() async throws {
        let server = try await UntrustedServer()
        await expect(
            .connectionFailed, mayHaveReached: true, quick(), try request(server.origin))
        #expect(server.text.contains("ACCEPT") && !server.text.contains("POST"))
    }

    @Test("reports that a request may have arrived when a server does not speak TLS")
    func noTLS() async throws {
        let server = try ScriptedServer(.answer("HTTP/1.1 400 Bad Request\r\n\r\n"))
        let origin = server.origin.replacing("http:", with: "https:")
        await expect(.connectionFailed, mayHaveReached: true, quick(), try request(origin))
        #expect(server.requestCount == 1)
    }

    @Test("sends to https, and to http only on loopback addresses")
    func addresses() async throws {
        for origin in [
            "http://gateway.example", "http://127.0.0.1.gateway.example", "http://10.0.0.1",
            "http://127.0.0.1@10.0.0.1", "ftp://127.0.0.1", "file://", "", "http://",
            "http://[::2]", "http://localhost.example", "http://127.1",
        ] {
            await expect(.unsupportedAddress, mayHaveReached: false, quick(), try request(origin))
        }
    }

    @Test("ends when its task is canceled")
    func canceled() async throws {
        let server = try ScriptedServer(.silence(after: ""))
        let request = try request(server.origin)
        let task = Task { try await URLSessionTransport().send(request) }
        while server.requestCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        let error = await #expect(throws: GatewayTransportError.self) { try await task.value }
        #expect(error?.code == .canceled && error?.requestMayHaveReachedGateway == true)

        let early = Task {
            try? await Task.sleep(for: .seconds(60))
            return try await URLSessionTransport().send(request)
        }
        early.cancel()
        let unsent = await #expect(throws: GatewayTransportError.self) { try await early.value }
        #expect(unsent?.code == .canceled && unsent?.requestMayHaveReachedGateway == false)
        #expect(server.requestCount == 1)
    }

    @Test("describes each error with what to do next, and nothing of the request")
    func descriptions() throws {
        for code in GatewayTransportError.Code.allCases {
            let open = GatewayTransportError(code, requestMayHaveReachedGateway: true)
            #expect(open.description.contains("ask the gateway for its status"))
            let unsent = GatewayTransportError(code, requestMayHaveReachedGateway: false)
            #expect(unsent.description.hasSuffix("The request did not reach the gateway."))
        }
        let sentences = GatewayTransportError.Code.allCases.map {
            GatewayTransportError($0, requestMayHaveReachedGateway: true).description
        }
        #expect(Set(sentences).count == sentences.count)
    }

    @Test("is the only module that links the whole of Foundation")
    func linkage() throws {
        let root = TestVectors.directory.deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path()))
        var modules: Set<String> = []
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            guard
                text.contains(/(?m)^ *(public |package |internal )?import Foundation(Networking)?$/)
            else { continue }
            modules.insert(String(file.split(separator: "/")[1]))
        }
        #expect(modules == ["ApplePayGatewaysHTTP"])
    }
}
