internal import ApplePayPrimitives
internal import ApplePayPrograms

/// The connections of the service, and the requests that it handles at a time.
///
/// A user has at most half of the places. If all are taken, the connection that has been idle for the longest time is ended
/// for a new one. Some more places are only for operators, so that they get answers while other clients take all of theirs.
final class ServicePlaces: Sendable {
    /// The greatest number of connections, each with a thread; operators also have those of ``reserve``.
    static let limit = 256

    /// The number of further connections, and of further requests, for operators: a few people and programs that watch.
    static let reserve = 8

    private struct Connection {
        let socket: UnixSocket
        let user: UInt32
        let isOperator: Bool
        /// Since when it has had no request; nil while it has one.
        var idleSince: ContinuousClock.Instant?
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var next = 0
        var requests = 0
    }

    private let state = Monitor(State())

    /// Whether the service ends; apart from ``state``, whose changes are frequent.
    private let closing = Monitor(false)
    private let requestLimit: Int

    /// Creates the places.
    ///
    /// - Parameter requests: The greatest number of requests that are handled at a time; operators also have those of
    ///   ``reserve``.
    init(requests: Int) { requestLimit = requests }

    /// Gives a connection a place.
    ///
    /// - Parameters:
    ///   - socket: The connection.
    ///   - user: The client's user.
    ///   - isOperator: Whether the client can also take the places of ``reserve``.
    /// - Returns: Its number, for the other functions; nil if there is none for this user.
    func take(_ socket: UnixSocket, of user: UInt32, isOperator: Bool) -> Int? {
        let new = Connection(
            socket: socket, user: user, isOperator: isOperator, idleSince: .now)
        return state.withLock { state in
            let own = state.connections.filter { $0.value.user == user }
            let isFull = own.count >= Self.limit / 2
            guard isFull || state.connections.count >= Self.places(Self.limit, isOperator) else {
                return Self.add(new, to: &state)
            }
            // Its thread ends when the socket is shut down; its place is free at once. An operator gives way to operators only.
            let idle = (isFull ? own : state.connections).compactMap { number, connection in
                connection.isOperator && !isOperator
                    ? nil : connection.idleSince.map { (number: number, since: $0) }
            }
            guard let oldest = idle.min(by: { $0.since < $1.since }) else { return nil }
            state.connections.removeValue(forKey: oldest.number)?.socket.end()
            return Self.add(new, to: &state)
        }
    }

    private static func places(_ count: Int, _ isOperator: Bool) -> Int {
        isOperator ? count + reserve : count
    }

    private static func add(_ connection: Connection, to state: inout State) -> Int {
        state.next += 1
        state.connections[state.next] = connection
        return state.next
    }

    /// Frees a place.
    func leave(_ number: Int) { state.change { _ = $0.connections.removeValue(forKey: number) } }

    /// Begins a request of a connection; false if as many as permitted are handled.
    func begin(_ number: Int) -> Bool {
        state.withLock { state in
            let isOperator = state.connections[number]?.isOperator ?? false
            guard state.requests < Self.places(requestLimit, isOperator) else { return false }
            state.requests += 1
            return true
        }
    }

    /// Ends a request that ``begin(_:)`` permitted.
    func end() { state.change { $0.requests -= 1 } }

    /// Marks a connection that has begun to send a request.
    ///
    /// - Returns: Whether it still has its place. Otherwise it was ended, so no answer would reach the client, and what it
    ///   sent must not be carried out.
    func work(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.connections[number] != nil else { return false }
            state.connections[number]?.idleSince = nil
            return true
        }
    }

    /// Marks a connection as idle.
    func rest(_ number: Int) { state.withLock { $0.connections[number]?.idleSince = .now } }

    /// Whether the service ends, so that connections close after the request that they handle.
    var isClosed: Bool { closing.withLock { $0 } }

    /// Waits until the service ends.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: Whether it ends.
    func isClosed(within limit: Duration) -> Bool {
        closing.wait(atMost: limit) { $0 ? () : nil } != nil
    }

    /// Lets connections end after the request that they handle or are about to send, and accepts no more of them.
    func close() { closing.change { $0 = true } }

    /// Waits for the requests that are being handled, and after a second ends the connections that are idle.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: Whether all of them ended.
    func finish(within limit: Duration) -> Bool {
        let grace = min(limit, ServiceConnection.grace)
        guard !hasEnded(within: grace) else { return true }
        state.withLock { state in
            for (number, connection) in state.connections where connection.idleSince != nil {
                state.connections.removeValue(forKey: number)
                connection.socket.end()
            }
        }
        return hasEnded(within: limit - grace)
    }

    private func hasEnded(within limit: Duration) -> Bool {
        state.wait(atMost: limit) { $0.requests == 0 && $0.connections.isEmpty ? () : nil } != nil
    }
}
