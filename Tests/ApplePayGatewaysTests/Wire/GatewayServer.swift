import ApplePayTokenTestingPrimitives
import Foundation

/// A server on the loopback interface that answers as the gateways document it.
final class GatewayServer: Sendable {
    /// The documented answer that the server gives.
    enum Outcome: CaseIterable { case success, failure }

    /// The origin that replaces the gateway's scheme and host.
    let origin: String

    private let arrivals: AsyncStream<Arrival>

    /// Starts a server that answers one request, according to its method and path.
    init(_ outcome: Outcome) throws {
        let socket = try LoopbackSocket()
        origin = "http://127.0.0.1:\(socket.port)"
        let (arrivals, continuation) = AsyncStream.makeStream(of: Arrival.self)
        self.arrivals = arrivals
        Thread.detachNewThread {
            if let connection = socket.accept(), let arrival = Self.request(on: connection) {
                connection.send(Self.answer(arrival, outcome))
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

    private static func answer(_ arrival: Arrival, _ outcome: Outcome) -> [UInt8] {
        let entry = GatewayAnswers.all.first { $0.matches(arrival) }
        let answer = outcome == .success ? entry?.success : entry?.failure
        let body = Array((answer?.body ?? "").utf8)
        let head =
            "HTTP/1.1 \(answer?.status ?? 404) Answer\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }
}
