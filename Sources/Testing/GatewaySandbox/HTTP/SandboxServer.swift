import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import Dispatch
import Glibc

/// An HTTP/1.1 server on 127.0.0.1, with one request and one thread per connection.
final class SandboxServer: Sendable {
    /// The maximum number of simultaneous connections; further ones wait.
    private static let connectionLimit = 64

    /// The maximum time that a client may take to send a request.
    private static let patience: Duration = .seconds(30)

    /// Scheme, address and port, such as `http://127.0.0.1:8080`.
    let origin: String

    private let socket: LoopbackSocket
    private let sandbox: Sandbox
    private let free = DispatchSemaphore(value: connectionLimit)

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - silence: How long the connection of a request that times out stays open, in seconds.
    ///   - delay: How long after its request a late payment is made, in seconds.
    ///   - shop: Where the gateways send messages; nil to send none.
    /// - Throws: `TestingError` if the port is in use.
    init(port: UInt16, silence: Int, delay: Int, shop: ShopAddress?) throws {
        socket = try LoopbackSocket(port: port)
        origin = "http://127.0.0.1:\(socket.port)"
        sandbox = Sandbox(
            origin: origin, silence: silence, delay: delay, notifier: shop.map(Notifier.init))
        guard shop != nil else { return }
        // A shop that waits for the message about a late payment sends no request that makes it.
        Task { [sandbox] in
            while true {
                try? await Task.sleep(for: .seconds(1))
                sandbox.makeLatePayments()
            }
        }
    }

    /// Serves requests until the process ends.
    func run() -> Never {
        while true {
            free.wait()
            guard let connection = socket.accept() else {
                // A client may close its connection before it is accepted; the server must continue.
                usleep(10_000)
                free.signal()
                continue
            }
            // A thread's closure must be copyable, so the connection is passed in a box.
            let box = ConnectionBox(connection)
            let thread = SystemThread { [self] in
                if let connection = box.take() { serve(connection) }
                free.signal()
            }
            guard let thread else {
                // Closes the connection.
                _ = box.take()
                free.signal()
                continue
            }
            thread.detach()
        }
    }

    private func serve(_ connection: borrowing LoopbackSocket.Connection) {
        switch request(on: connection) {
        case .complete(let request):
            if let answer = sandbox.answer(to: request) {
                connection.send(answer.bytes)
            } else {
                connection.waitForClose(seconds: sandbox.silence)
            }
        case .refused(let status): connection.send(SandboxAnswer(status).bytes)
        case .incomplete: break
        }
    }

    private func request(
        on connection: borrowing LoopbackSocket.Connection
    ) -> SandboxRequest.Arrival {
        let deadline = ContinuousClock.now + Self.patience
        var bytes: [UInt8] = []
        var hasContinued = false
        while ContinuousClock.now < deadline {
            let more = connection.receive()
            guard !more.isEmpty else { break }
            bytes += more
            let arrival = SandboxRequest.arrival(bytes)
            guard case .incomplete(let expectsContinue) = arrival else { return arrival }
            if expectsContinue, !hasContinued {
                connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                hasContinued = true
            }
        }
        return .incomplete(expectsContinue: false)
    }
}

/// Passes one connection to the thread that serves it.
private final class ConnectionBox: @unchecked Sendable {
    private var connection: LoopbackSocket.Connection?

    init(_ connection: consuming LoopbackSocket.Connection) {
        self.connection = consume connection
    }

    func take() -> LoopbackSocket.Connection? { connection.take() }
}
