import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import ApplePayTransport
import Glibc
import Testing

@testable import ApplePayHTTPS

@Suite("A connection", .serialized, .timeLimit(.minutes(1)))
struct ConnectionTests {
    private static let request = SensitiveBytes(
        copying: [UInt8]("GET / HTTP/1.1\r\n\r\n".utf8).span)

    private let server: LoopbackSocket
    private let cancellation = WakeUp()

    init() throws { server = try LoopbackSocket() }

    private func socket() throws -> TCPSocket {
        try Connecting(cancellation: cancellation, deadline: Deadline(after: .seconds(5)))
            .socket(to: "127.0.0.1", port: server.port)
    }

    /// Sends the request over a connection, in more time than the tests have; returns why there is no answer.
    private func error(
        _ connection: Connection, _ beginning: Deadline
    ) -> GatewayTransportError? {
        #expect(throws: GatewayTransportError.self) {
            try connection.send(
                Self.request, beginning, Deadline(after: .seconds(300)), longestBody: 100)
        }
    }

    @Test("sends nothing after the time in which a request may begin")
    func late() throws {
        let error = error(Connection(try socket(), cancellation), Deadline(after: .zero))
        #expect(error?.code == .timedOut)
        #expect(error?.requestMayHaveReachedGateway == false)
        #expect(server.accept()?.receive() == [])
    }

    @Test("sends nothing after it was canceled")
    func canceled() throws {
        let connection = Connection(try socket(), cancellation)
        cancellation.signal()
        let error = error(connection, Deadline(after: .seconds(50)))
        #expect(error?.code == .canceled)
        #expect(error?.requestMayHaveReachedGateway == false)
    }

    @Test("gives up in the time to begin if the system takes no byte")
    func full() throws {
        let socket = try socket()
        let filling = [UInt8](repeating: 0, count: 1 << 20)
        // The system moves bytes to the other end, and then takes some more.
        for _ in 0..<5 {
            while socket.send(filling.span) > 0 {}
            _ = Monitor(false).wait(atMost: .milliseconds(20)) { $0 ? () : nil }
        }
        // The beginning of an answer wakes the client, which then tries to send.
        let other = server.accept()
        other?.send([UInt8]("HTTP/1.1 ".utf8))
        let error = error(Connection(socket, cancellation), Deadline(after: .milliseconds(200)))
        #expect(error?.code == .timedOut)
        #expect(error?.requestMayHaveReachedGateway == false)
    }

    @Test("waits for the answer longer than for the time to begin, and takes no processor time")
    func slow() async throws {
        let server = server
        let thread = SystemThread {
            let connection = server.accept()
            _ = connection?.receive()
            _ = Monitor(false).wait(atMost: .milliseconds(500)) { $0 ? () : nil }
            connection?.send([UInt8]("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8))
            connection?.finish()
        }
        defer { thread?.join() }
        let connection = Connection(try socket(), cancellation)
        let start = ProcessorTime.ofThread
        let response = try connection.send(
            Self.request, Deadline(after: .milliseconds(200)), Deadline(after: .seconds(50)),
            longestBody: 100)
        #expect(response.status == 200)
        #expect(ProcessorTime.ofThread - start < .milliseconds(20))
    }

    @Test("goes on with a wait that a signal interrupts")
    func interrupted() {
        signal(SIGWINCH) { _ in }
        // Threads of Swift's pool block all signals.
        var (signals, earlier) = (sigset_t(), sigset_t())
        unsafe sigaddset(&signals, SIGWINCH)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &earlier)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        let (waiting, start) = (pthread_self(), ContinuousClock.now)
        let other = SystemThread {
            _ = Monitor(false).wait(atMost: .milliseconds(50)) { $0 ? () : nil }
            pthread_kill(waiting, SIGWINCH)
        }
        guard case .timedOut = Poll.wait([], cancellation, Deadline(after: .milliseconds(200)))
        else {
            Issue.record("the wait ended otherwise")
            return
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        other?.join()
    }

    @Test("has no time left after a deadline")
    func over() {
        #expect(Deadline(after: .seconds(-2)).milliseconds == 0)
        #expect(Deadline(after: .seconds(200), atMost: Deadline(after: .zero)).milliseconds == 0)
    }
}
