internal import ApplePayPrimitives
import Synchronization

/// A server on the loopback interface that reacts to every request in the same way and counts the requests.
package final class ScriptedServer: Sendable {
    /// The reaction to a request.
    package enum Script: Sendable {
        /// Sends this text and closes the connection.
        case answer(String)

        /// Sends this text and then nothing until the client closes the connection.
        case silence(after: String)
    }

    /// Scheme, address and port.
    package let origin: String

    private let received = Mutex<[[UInt8]]>([])

    /// The number of requests so far.
    package var requestCount: Int { received.withLock(\.count) }

    /// The first bytes of the last request, as they arrived together.
    package var lastRequest: [UInt8] { received.withLock { $0.last ?? [] } }

    /// Serves requests until the process ends.
    package init(_ script: Script) throws {
        let socket = try LoopbackSocket()
        origin = "http://127.0.0.1:\(socket.port)"
        let thread = SystemThread { [weak self] in
            while let connection = socket.accept() {
                let request = connection.receive()
                guard !request.isEmpty else { continue }
                self?.received.withLock { $0.append(request) }
                switch script {
                case .answer(let text):
                    connection.send(Array(text.utf8))
                    connection.finish()
                case .silence(let text):
                    connection.send(Array(text.utf8))
                    connection.waitForClose(seconds: 30)
                }
            }
        }
        guard let thread else { throw TestingError.impossible("a thread") }
        thread.detach()
    }
}
