import ApplePayTokenTestingPrimitives
import Dispatch
import Foundation

/// An HTTP/1.1 server on 127.0.0.1, one request per connection, one thread per connection.
final class SandboxServer: Sendable {
    /// How many connections are served at once; further ones wait.
    private static let connectionLimit = 64

    /// How long a client may take to send a request.
    private static let patience: Duration = .seconds(30)

    /// Scheme, address and port, such as `http://127.0.0.1:8080`.
    let origin: String

    private let socket: LoopbackSocket
    private let sandbox: Sandbox
    private let free = DispatchSemaphore(value: connectionLimit)

    /// Listens.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - silence: How long a request that times out stays without an answer, in seconds.
    /// - Throws: `TestingError` if the port is in use.
    init(port: UInt16, silence: Int) throws {
        socket = try LoopbackSocket(port: port)
        origin = "http://127.0.0.1:\(socket.port)"
        sandbox = Sandbox(origin: origin, silence: silence)
    }

    /// Serves until the process ends.
    func run() -> Never {
        while true {
            free.wait()
            guard let connection = socket.accept() else {
                // A client may have given up before it was accepted: that must not end the server.
                Thread.sleep(forTimeInterval: 0.01)
                free.signal()
                continue
            }
            // A thread's block must be copyable, so the connection passes through a box.
            let box = ConnectionBox(connection)
            Thread.detachNewThread { [self] in
                if let connection = box.take() { serve(connection) }
                free.signal()
            }
        }
    }

    private func serve(_ connection: borrowing LoopbackSocket.Connection) {
        switch request(on: connection) {
        case .complete(let request):
            switch sandbox.reply(to: request) {
            case .answer(let answer): connection.send(answer.bytes)
            case .silence: connection.waitForClose(seconds: sandbox.silence)
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
