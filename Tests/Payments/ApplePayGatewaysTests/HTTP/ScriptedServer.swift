import ApplePayTokenTestingPrimitives
import Foundation
import Synchronization

/// A server on the loopback interface that reacts to every request in the same way and counts the requests.
final class ScriptedServer: Sendable {
    /// The reaction to a request.
    enum Script: Sendable {
        /// Sends this text and closes the connection.
        case answer(String)

        /// Sends this text and then nothing until the client closes the connection.
        case silence(after: String)
    }

    /// Scheme, address and port.
    let origin: String

    private let count = Mutex(0)

    /// The number of requests so far.
    var requestCount: Int { count.withLock(\.self) }

    /// Serves requests until the process ends.
    init(_ script: Script) throws {
        let socket = try LoopbackSocket()
        origin = "http://127.0.0.1:\(socket.port)"
        Thread.detachNewThread { [weak self] in
            while let connection = socket.accept() {
                guard !connection.receive().isEmpty else { continue }
                self?.count.withLock { $0 += 1 }
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
    }
}
