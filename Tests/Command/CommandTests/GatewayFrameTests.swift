import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import Foundation
import Testing

@testable import paytoken
@testable import paytokend

@Suite("What goes between the service's two processes")
struct GatewayFrameTests {
    private static func bytes(_ text: String) -> SensitiveBytes {
        SensitiveBytes(copying: text.utf8.span)
    }

    private func array(_ bytes: SensitiveBytes) -> [UInt8] {
        bytes.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func contents(_ bytes: [UInt8]) -> SensitiveBytes {
        SensitiveBytes(copying: bytes.span)
    }

    /// Returns a number as a frame contains it.
    private func number(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) }
    }

    private func text(_ text: String) -> [UInt8] { number(Int64(text.utf8.count)) + text.utf8 }

    /// Returns the request to a gateway that contents are.
    private func exchange(_ contents: SensitiveBytes) throws -> GatewayRequest {
        guard case .exchange(let request) = try GatewayFrame.request(contents) else {
            throw GatewayFrame.Fault()
        }
        return request
    }

    private static let session = SessionRequest(
        domain: "a.example", paymentGateway: "", displayName: "Café")

    private static let requests = [
        GatewayRequest("https://a.example", "/"),
        GatewayRequest(
            method: "PUT", "https://a.example", "/payé", query: [("a b", "ü&="), ("", "")],
            headers: [
                .contentType(), GatewayHeader(secret: "Authorization", bytes("secret\u{0}")),
                GatewayHeader(secret: "", bytes("")),
            ], body: bytes(#"{"a":1}"#)),
        GatewayRequest(method: "POST", "o", "/p", body: bytes("")),
    ]

    private static let results: [Result<GatewayResponse, GatewayTransportError>] =
        [
            .success(GatewayResponse(status: 100, body: [])),
            .success(
                GatewayResponse(
                    status: 999, headers: [("a", "b"), ("A", "é"), ("", "")], body: [0, 255, 10])),
        ]
        + GatewayTransportError.Code.allCases.flatMap { code in
            [
                .failure(.init(code, requestMayHaveReachedGateway: true)),
                .failure(.init(code, requestMayHaveReachedGateway: false, detail: "détail")),
            ]
        }

    @Test("is the same request after it was passed on", arguments: requests)
    func request(_ request: GatewayRequest) throws {
        let found = try exchange(GatewayFrame.contents(of: request))
        #expect(found.method == request.method && found.origin == request.origin)
        #expect(found.path == request.path && found.latestStart == nil)
        #expect(found.query.map(\.name) == request.query.map(\.name))
        #expect(found.query.map(\.value) == request.query.map(\.value))
        #expect(found.headers.map(\.name) == request.headers.map(\.name))
        #expect(
            found.headers.map { $0.revealValue() } == request.headers.map { $0.revealValue() })
        #expect(found.body.map(array) == request.body.map(array))
    }

    @Test("is the same request for a merchant session after it was passed on")
    func session() throws {
        guard
            case .session(let found) = try GatewayFrame.request(
                GatewayFrame.contents(of: Self.session))
        else { throw GatewayFrame.Fault() }
        #expect(found == Self.session)
        // No other kind of request exists.
        #expect(throws: GatewayFrame.Fault.self) {
            try GatewayFrame.request(contents(number(2) + text("a") + text("") + text("b")))
        }
    }

    @Test("has only headers whose values are masked, because it is not known which are secret")
    func maskedHeaders() throws {
        let request = try exchange(GatewayFrame.contents(of: Self.requests[1]))
        #expect(request.headers.count == 3)
        #expect(!request.headers.contains { !$0.isSecret })
    }

    @Test("contains until when the request may be sent, and never a later time")
    func latestStart() throws {
        for seconds in [-60.0, 0, 0.001, 60] {
            var request = Self.requests[0]
            let latest = ContinuousClock.now + .seconds(seconds)
            request.latestStart = latest
            let found = try exchange(GatewayFrame.contents(of: request)).latestStart
            let start = try #require(found)
            #expect(start <= latest && start > latest - .seconds(20))
        }
    }

    @Test("is the same result after it was passed on", arguments: results)
    func result(_ result: Result<GatewayResponse, GatewayTransportError>) throws {
        switch (result, try GatewayFrame.result(GatewayFrame.contents(of: result))) {
        case (.success(let response), .success(let found)):
            #expect(found.status == response.status && found.bytes == response.bytes)
            #expect(found.headers.map(\.name) == response.headers.map(\.name))
            #expect(found.headers.map(\.value) == response.headers.map(\.value))
        case (.failure(let error), .failure(let found)): #expect(found == error)
        default: Issue.record("an answer became an error, or an error an answer")
        }
    }

    @Test("is refused if any part is missing at its end, or anything follows")
    func lengths() throws {
        let contents =
            Self.requests.map(GatewayFrame.contents) + [GatewayFrame.contents(of: Self.session)]
        for whole in contents.map(array) {
            for count in 0..<whole.count {
                #expect(throws: GatewayFrame.Fault.self) {
                    try GatewayFrame.request(self.contents(Array(whole[..<count])))
                }
            }
            #expect(throws: GatewayFrame.Fault.self) {
                try GatewayFrame.request(self.contents(whole + [0]))
            }
        }
        for result in Self.results {
            let whole = array(GatewayFrame.contents(of: result))
            for count in 0..<whole.count {
                #expect(throws: GatewayFrame.Fault.self) {
                    try GatewayFrame.result(self.contents(Array(whole[..<count])))
                }
            }
            #expect(throws: GatewayFrame.Fault.self) {
                try GatewayFrame.result(self.contents(whole + [0]))
            }
        }
    }

    @Test("is another value or refused if one byte is another one, and each value has one form")
    func alteredBytes() throws {
        var accepted = 0
        /// Calls `read` with each byte replaced by each other one; `read` returns the bytes of the value, or nil.
        func alter(_ whole: [UInt8], _ read: (SensitiveBytes) -> [UInt8]?) {
            for index in whole.indices {
                for mask in UInt8(1)...255 {
                    var altered = whole
                    altered[index] ^= mask
                    guard let found = read(contents(altered)) else { continue }
                    accepted += 1
                    guard found != altered else { continue }
                    Issue.record("byte \(index) of \(whole.count): another form of a value")
                    return
                }
            }
        }
        let result = Self.results[1]
        alter(array(GatewayFrame.contents(of: result))) { contents in
            (try? GatewayFrame.result(contents)).map { array(GatewayFrame.contents(of: $0)) }
        }
        alter(array(GatewayFrame.contents(of: Self.results[3]))) { contents in
            (try? GatewayFrame.result(contents)).map { array(GatewayFrame.contents(of: $0)) }
        }
        #expect(accepted > 1_000)
        accepted = 0
        alter(array(GatewayFrame.contents(of: Self.requests[1]))) { contents in
            guard let request = try? exchange(contents) else { return nil }
            var found = array(GatewayFrame.contents(of: request))
            // The time is that of this process's clock, and a path always begins with a slash.
            let whole = array(contents)
            found.replaceSubrange(found.count - 8..<found.count, with: whole.suffix(8))
            return found.count == whole.count ? found : whole
        }
        #expect(accepted > 1_000)
    }

    @Test("has at most 256 parameters and headers of a request, and 1,024 headers of an answer")
    func headers() throws {
        for (count, isAccepted) in [(256, true), (257, false)] {
            let parameters = GatewayRequest(
                "o", "/", query: Array(repeating: ("a", "b"), count: count))
            let headers = GatewayRequest(
                "o", "/", headers: Array(repeating: .contentType(), count: count))
            for request in [parameters, headers] {
                let contents = GatewayFrame.contents(of: request)
                #expect(((try? GatewayFrame.request(contents)) != nil) == isAccepted)
            }
        }
        for (count, isAccepted) in [(1_024, true), (1_025, false)] {
            let response = GatewayResponse(
                status: 200, headers: Array(repeating: ("a", "b"), count: count), body: [])
            let contents = GatewayFrame.contents(of: .success(response))
            #expect(((try? GatewayFrame.result(contents)) != nil) == isAccepted)
        }
    }

    @Test(
        "is refused with a number outside its range",
        arguments: [Int64.min, -1, 1, 99, 1_000, 1 << 40, .max])
    func status(_ status: Int64) {
        #expect(throws: GatewayFrame.Fault.self) {
            try GatewayFrame.result(contents(number(status) + number(0) + number(0)))
        }
    }

    @Test("is refused with a length that is negative, over the limit or longer than the rest")
    func textLengths() throws {
        let rest = text("o") + text("/") + number(0) + number(0) + number(0) + number(.max)
        #expect(try exchange(contents(number(0) + text("GET") + rest)).method == "GET")
        for length in [Int64.min, -1, Int64(rest.count) + 4, Int64(GatewayFrame.limit) + 1, .max] {
            #expect(throws: GatewayFrame.Fault.self) {
                try GatewayFrame.request(
                    contents(number(0) + number(length) + "GET".utf8 + rest))
            }
        }
    }

    @Test(
        "is refused with a text that is not UTF-8, an unknown code, or a flag that is neither 0 nor 1"
    )
    func values() {
        let rest = text("o") + text("/") + number(0) + number(0)
        let invalid = number(0) + number(1) + [0xFF] + rest + number(0) + number(.max)
        #expect(throws: GatewayFrame.Fault.self) { try GatewayFrame.request(contents(invalid)) }
        let flag = number(0) + text("GET") + rest + number(2) + number(.max)
        #expect(throws: GatewayFrame.Fault.self) { try GatewayFrame.request(contents(flag)) }
        for (code, reached) in [("other", Int64(0)), ("busy", 2), ("busy", -1)] {
            let error = number(0) + text(code) + number(reached) + text("")
            #expect(throws: GatewayFrame.Fault.self) { try GatewayFrame.result(contents(error)) }
        }
    }
}

@Suite("A frame on a connection")
struct GatewayFrameConnectionTests {
    private static let contents = SensitiveBytes(copying: [1, 2, 3].span)

    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    private func send(_ bytes: [UInt8], to socket: UnixSocket) throws {
        try socket.send(bytes.span, by: soon)
    }

    @Test("begins with its length in four bytes")
    func form() throws {
        let (sender, receiver) = try UnixSocket.pair()
        try GatewayFrame.send(Self.contents, to: sender, by: soon)
        let bytes = try SecretBytes(count: 7) { bytes throws(UnixSocket.Failure) in
            try receiver.fill(&bytes, by: soon)
        }
        #expect(bytes.array() == [0, 0, 0, 3, 1, 2, 3])
    }

    @Test("is received as a whole, also one of the greatest length")
    func received() throws {
        for count in [0, 3, GatewayFrame.limit] {
            let (sender, receiver) = try UnixSocket.pair()
            let sent = SensitiveBytes(copying: [UInt8](repeating: 7, count: count).span)
            let thread = SystemThread { [soon] in
                try? GatewayFrame.send(sent, to: sender, by: soon)
            }
            let found = try GatewayFrame.receive(from: receiver, by: soon)
            thread?.join()
            #expect(found?.count == count)
            #expect(
                found?.withRevealedBytes { bytes in bytes.indices.contains { bytes[$0] != 7 } }
                    == false)
        }
    }

    @Test("is not received if its length is over the limit")
    func tooLong() throws {
        for length in [UInt32(GatewayFrame.limit) + 1, .max] {
            let (sender, receiver) = try UnixSocket.pair()
            try send(
                (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) },
                to: sender)
            #expect(try GatewayFrame.receive(from: receiver, by: soon) == nil)
        }
    }

    @Test("is not received if the connection ends within it, or nothing comes in time")
    func ended() throws {
        for bytes: [UInt8] in [[], [0, 0], [0, 0, 0, 3], [0, 0, 0, 3, 1, 2]] {
            let (sender, receiver) = try UnixSocket.pair()
            try send(bytes, to: sender)
            #expect(throws: UnixSocket.Failure.timedOut) {
                try GatewayFrame.receive(from: receiver, by: .now + .milliseconds(20))
            }
            sender.end()
            #expect(throws: UnixSocket.Failure.ended) {
                try GatewayFrame.receive(from: receiver, by: soon)
            }
        }
    }

    @Test("cannot be sent to a process that ended")
    func broken() throws {
        let (sender, receiver) = try UnixSocket.pair()
        receiver.end()
        #expect(throws: UnixSocket.Failure.broken) {
            try GatewayFrame.send(Self.contents, to: sender, by: soon)
        }
    }
}
