import ApplePayTokenTestingPrimitives
import Foundation
import Synchronization

/// A server on the loopback interface that treats every request in the same way, and counts them.
final class ScriptedServer: Sendable {
    /// What it does once a request has arrived.
    enum Script: Sendable {
        /// Sends bytes and closes the connection.
        case answer(String)

        /// Sends bytes and stays silent until the client closes the connection.
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
                case .answer(let text): connection.send(Array(text.utf8))
                case .silence(let text):
                    connection.send(Array(text.utf8))
                    connection.waitForClose(seconds: 30)
                }
            }
        }
    }
}
