import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import ApplePayTransport
import Foundation
import Testing

@testable import ApplePayHTTPS

@Suite("The HTTPS client", .serialized, .timeLimit(.minutes(5)))
struct HTTPSClientTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private func request(_ origin: String, path: String = "/pay", count: Int = 100)
        -> GatewayRequest
    {
        let body = [UInt8](repeating: 0x61, count: count)
        return GatewayRequest(
            origin, path, headers: [.contentType()], body: SensitiveBytes(copying: body.span))
    }

    private func error(
        _ client: HTTPSClient, _ request: GatewayRequest
    ) async -> GatewayTransportError? {
        await #expect(throws: GatewayTransportError.self) { try await client.send(request) }
    }

    @Test("sends the request line, its own fields, the request's fields and the body, once")
    func request() async throws {
        let server = try ScriptedServer(.answer(Self.answer))
        _ = try await HTTPSClient().send(request(server.origin, path: "/a?b=c", count: 3))
        let expected =
            "POST /a?b=c HTTP/1.1\r\nHost: \(server.origin.dropFirst(7))\r\n"
            + "Content-Type: application/json\r\nContent-Length: 3\r\nAccept-Encoding: identity\r\n"
            + "Connection: close\r\n\r\naaa"
        #expect(String(decoding: server.lastRequest, as: UTF8.self) == expected)
        #expect(server.requestCount == 1)
    }

    @Test("sends no length without a body for GET, and length 0 for other methods")
    func noBody() async throws {
        let server = try ScriptedServer(.answer(Self.answer))
        for (method, hasLength) in [("GET", false), ("POST", true), ("PUT", true)] {
            _ = try await HTTPSClient().send(GatewayRequest(method: method, server.origin, "/a"))
            let text = String(decoding: server.lastRequest, as: UTF8.self)
            #expect(text.contains("Content-Length: 0\r\n") == hasLength)
        }
    }

    @Test("refuses a path, a method or a field that would change the request, and sends nothing")
    func unsupportedRequests() async throws {
        let server = try ScriptedServer(.answer(Self.answer))
        let paths = ["/a b", "/a\r\nB: c", "/\u{E9}", "/a\0"]
        let methods = ["", "GET /x HTTP/1.1\r\nA:"]
        let fields = [
            ("", "a"), ("A B", "a"), ("A:", "a"), ("Host", "a"), ("CONTENT-LENGTH", "1"),
            ("A", "a\r\nB: c"), ("A", "a\0"),
        ]
        let requests =
            paths.map { GatewayRequest(method: "GET", server.origin, $0) }
            + methods.map { GatewayRequest(method: $0, server.origin, "/a") }
            + fields.map {
                GatewayRequest(server.origin, "/a", headers: [GatewayHeader($0.0, $0.1)])
            }
        for request in requests {
            let error = await error(HTTPSClient(), request)
            #expect(error?.code == .unsupportedRequest, "\(request)")
            #expect(error?.requestMayHaveReachedGateway == false)
        }
        #expect(server.requestCount == 0)
    }

    @Test("sends to https, and to http on loopback addresses alone")
    func addresses() async throws {
        for origin in [
            "http://gateway.example", "http://127.0.0.1.gateway.example", "http://10.0.0.1",
            "http://127.0.0.1@10.0.0.1", "ftp://127.0.0.1", "file://", "", "http://",
            "http://[::2]", "http://localhost.example", "http://127.1",
        ] {
            let error = await error(HTTPSClient(), request(origin))
            #expect(error?.code == .unsupportedAddress, "\(origin)")
            #expect(error?.requestMayHaveReachedGateway == false)
        }
    }

    @Test("connects without a request, and reports why it cannot")
    func connect() throws {
        let server = try ScriptedServer(.answer(Self.answer))
        try HTTPSClient().connect(to: server.origin)
        #expect(server.requestCount == 0)
        for (origin, code) in [
            ("http://127.0.0.1:1", .notConnected), ("http://gateway.example", .unsupportedAddress),
        ] as [(String, GatewayTransportError.Code)] {
            let error = #expect(throws: GatewayTransportError.self) {
                try HTTPSClient().connect(to: origin)
            }
            #expect(error?.code == code)
        }
    }

    @Test("reports a missing file of authorities with its path, and sends nothing")
    func authorities() async throws {
        let path = "/nonexistent/authorities.pem"
        let error = #expect(throws: GatewayTransportError.self) {
            try HTTPSClient(authorities: path)
        }
        #expect(error?.code == .noAuthorities && error?.detail == path)
    }

    @Test("ends when its task is canceled, and says whether the request was sent")
    func canceled() async throws {
        let server = try ScriptedServer(.silence(after: ""))
        let request = request(server.origin)
        let task = Task { try await HTTPSClient().send(request) }
        while server.requestCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        let sent = await #expect(throws: GatewayTransportError.self) { try await task.value }
        #expect(sent?.code == .canceled && sent?.requestMayHaveReachedGateway == true)

        let early = Task {
            try? await Task.sleep(for: .seconds(60))
            return try await HTTPSClient().send(request)
        }
        early.cancel()
        let unsent = await #expect(throws: GatewayTransportError.self) { try await early.value }
        #expect(unsent?.code == .canceled && unsent?.requestMayHaveReachedGateway == false)
        #expect(server.requestCount == 1)
    }

    @Test("starts no more threads than its limit, and others once those have ended")
    func threadLimit() {
        let limit = ThreadLimit(2)
        let (isOpen, ended) = (Monitor(false), Monitor(0))
        func start() -> Bool {
            limit.start {
                _ = isOpen.wait { $0 ? true : nil }
                // One waiting thread is woken at a time, and wakes the next.
                isOpen.change { $0 = true }
                ended.change { $0 += 1 }
            }
        }
        #expect(start() && start())
        #expect(!start())
        isOpen.change { $0 = true }
        #expect(ended.wait(atMost: .seconds(60)) { $0 == 2 ? true : nil } == true)
        // A thread is free again only after its work has returned.
        #expect(isOpen.poll(for: .seconds(60)) { _ in start() ? true : nil } == true)
    }

    @Test("names no server if this machine is busy with other look-ups")
    func busy() {
        let isOpen = Monitor(false)
        while ThreadLimit.lookups.start({
            _ = isOpen.wait { $0 ? true : nil }
            // One waiting thread is woken at a time, and wakes the next.
            isOpen.change { $0 = true }
        }) {}
        defer { isOpen.change { $0 = true } }
        #expect(throws: GatewayTransportError.unsent(.busy)) {
            try HTTPSClient().connect(to: "https://gateway.invalid")
        }
    }

    @Test("waits for a look-up no longer than for a socket")
    func lateLookup() throws {
        let limit = ThreadLimit(1)
        let isOpen = Monitor(false)
        func wait(_ time: Duration, _ cancellation: WakeUp = WakeUp()) throws(GatewayTransportError)
            -> Int?
        {
            try limit.result(cancellation, Deadline(after: time)) {
                isOpen.wait { $0 ? 7 : nil }
            }
        }
        #expect(throws: GatewayTransportError.unsent(.timedOut)) { try wait(.milliseconds(50)) }
        // The abandoned work keeps its thread.
        #expect(throws: GatewayTransportError.unsent(.busy)) { try wait(.seconds(60)) }
        isOpen.change { $0 = true }
        var found: Int?
        while found == nil {
            do {
                found = try wait(.seconds(60))
            } catch {
                #expect(error == .unsent(.busy))
            }
        }
        #expect(found == 7)
    }

    @Test("does not wait for a look-up after the task was canceled")
    func canceledLookup() {
        let (isOpen, cancellation) = (Monitor(false), WakeUp())
        cancellation.signal()
        #expect(throws: GatewayTransportError.unsent(.canceled)) {
            try ThreadLimit(1).result(cancellation, Deadline(after: .seconds(60))) {
                isOpen.wait { $0 ? 7 : nil }
            }
        }
        isOpen.change { $0 = true }
    }

    @Test("is a module without Foundation's networking, as all of Sources")
    func linkage() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path()))
        var count = 0
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            count += 1
            let isWhole = text.contains(
                /(?m)^ *(public |package |internal )?import Foundation(Networking)?$/)
            #expect(!isWhole, "\(file)")
        }
        #expect(count > 100)
    }

    @Test("describes each error with what to do next, each in another sentence")
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
        let detailed = GatewayTransportError(
            .unreadableAnswer, requestMayHaveReachedGateway: true, detail: "has a malformed chunk")
        #expect(detailed.description.hasPrefix("The gateway's answer has a malformed chunk. "))
    }
}
