import ApplePayTokenTestingPrimitives
import Foundation

/// A server on the loopback interface that receives one request and answers 200 with an empty object.
final class GatewayServer: Sendable {
    /// The origin that replaces the gateway's scheme and host.
    let origin: String

    private let arrivals: AsyncStream<Arrival>

    /// Starts a server that answers one request.
    init() throws {
        let socket = try LoopbackSocket()
        origin = "http://127.0.0.1:\(socket.port)"
        let (arrivals, continuation) = AsyncStream.makeStream(of: Arrival.self)
        self.arrivals = arrivals
        Thread.detachNewThread {
            if let connection = socket.accept(), let arrival = Self.request(on: connection) {
                connection.send(Self.answer)
                continuation.yield(arrival)
            }
            continuation.finish()
        }
    }

    /// Returns the request once it was received; nil if none was.
    func arrival() async -> Arrival? {
        await arrivals.first { _ in true }
    }

    private static func request(on connection: borrowing LoopbackSocket.Connection) -> Arrival? {
        var bytes: [UInt8] = []
        while true {
            let more = connection.receive()
            guard !more.isEmpty else { return nil }
            bytes += more
            if let arrival = Arrival(bytes) { return arrival }
        }
    }

    private static let answer = Array(
        ("HTTP/1.1 200 Answer\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            + "Connection: close\r\n\r\n{}").utf8)
}
