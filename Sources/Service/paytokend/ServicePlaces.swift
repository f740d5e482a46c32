internal import ApplePayPrimitives
internal import ApplePayPrograms

/// The connections of the service, the memory for their bodies, and the requests that it handles at a time.
///
/// A user has at most half of the places. If all places are taken, or all memory for bodies, a connection of the user who has
/// most of them is ended for another one: the one with the longest body, or else the one that has been silent for the longest
/// time. It is idle, sends a request, or does not read its answer; one whose request is being handled is never ended. Some more
/// places are only for operators, so that they get answers while other clients take all of theirs.
final class ServicePlaces: Sendable {
    /// The greatest number of connections, each with a thread; operators also have those of ``reserve``.
    static let limit = 256

    /// The number of further connections, and of further requests, for operators: a few people and programs that watch.
    static let reserve = 8

    /// The greatest number of requests that can be handled at a time, so that some connections can always be ended for others.
    static let mostRequests = limit - reserve

    /// The greatest length of all bodies that are being received, in bytes: those of 32 gateways' messages.
    static let byteLimit = 32 << 20

    /// A connection that has a place; its variables are used only under the lock of ``state``.
    private final class Connection {
        enum State {
            /// It has no request.
            case idle
            /// It sends a request, or is sent an answer.
            case open
            /// Its request is being handled.
            case handled
        }

        let socket: UnixSocket
        let user: UInt32
        let isOperator: Bool
        var state = State.idle
        /// When it last received something, or ended a request.
        var lastUse = ContinuousClock.now
        /// The length of the body that it receives.
        var bytes = 0

        init(_ socket: UnixSocket, _ user: UInt32, _ isOperator: Bool) {
            (self.socket, self.user, self.isOperator) = (socket, user, isOperator)
        }

        /// Notes that it received something, or ended a request.
        func use(as state: State) { (self.state, lastUse) = (state, .now) }
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        /// The length of all bodies, kept here because each request needs it.
        private(set) var bytes = 0
        var next = 0
        var requests = 0

        /// Sets the length of a connection's body.
        mutating func setBytes(_ count: Int, of connection: Connection) {
            bytes += count - connection.bytes
            connection.bytes = count
        }

        /// Removes a connection, if it has its place.
        mutating func remove(_ number: Int) {
            bytes -= connections.removeValue(forKey: number)?.bytes ?? 0
        }

        /// Ends one connection, so that another one gets what it needs.
        ///
        /// - Parameters:
        ///   - new: The other connection.
        ///   - need: How much it needs.
        ///   - amount: Returns how much a connection has of that; one that has nothing is not ended.
        /// - Returns: Whether one was ended.
        mutating func endOne(
            for new: Connection, needing need: Int, of amount: (Connection) -> Int
        ) -> Bool {
            var amounts = [new.user: need]
            for connection in connections.values {
                amounts[connection.user, default: 0] += amount(connection)
            }
            let own = amounts[new.user] ?? 0
            let others = connections.filter { _, other in
                guard amount(other) > 0, new.isOperator || !other.isOperator else { return false }
                return switch other.state {
                case .idle: true
                case .open: amounts[other.user] ?? 0 >= own
                case .handled: false
                }
            }
            let ended = others.max { one, two in
                let (one, two) = (one.value, two.value)
                return (amounts[one.user] ?? 0, amount(one), two.lastUse)
                    < (amounts[two.user] ?? 0, amount(two), one.lastUse)
            }
            guard let ended else { return false }
            // Its thread ends when the socket is shut down; what it has is free at once.
            remove(ended.key)
            ended.value.socket.end()
            return true
        }
    }

    private let state = Monitor(State())

    /// Whether the service ends; apart from ``state``, whose changes are frequent.
    private let closing = Monitor(false)
    private let requestLimit: Int

    /// Creates the places.
    ///
    /// - Parameter requests: The greatest number of requests that are handled at a time, at most ``mostRequests``; operators also
    ///   have those of ``reserve``.
    init(requests: Int) { requestLimit = requests }

    private static func places(_ count: Int, _ isOperator: Bool) -> Int {
        isOperator ? count + reserve : count
    }

    /// Gives a connection a place.
    ///
    /// - Parameters:
    ///   - socket: The connection.
    ///   - user: The client's user.
    ///   - isOperator: Whether the client can also take the places of ``reserve``.
    /// - Returns: Its number, for the other functions; nil if there is none for this user.
    func take(_ socket: UnixSocket, of user: UInt32, isOperator: Bool) -> Int? {
        state.withLock { state in
            let new = Connection(socket, user, isOperator)
            let own = state.connections.values.count { $0.user == user }
            let isFull = own >= Self.limit / 2
            if isFull || state.connections.count >= Self.places(Self.limit, isOperator) {
                let isEnded = state.endOne(for: new, needing: 1) {
                    isFull && $0.user != user ? 0 : 1
                }
                guard isEnded else { return nil }
            }
            state.next += 1
            state.connections[state.next] = new
            return state.next
        }
    }

    /// Frees a place.
    func leave(_ number: Int) { state.change { $0.remove(number) } }

    /// Gives a connection memory for a body until ``begin(_:)``.
    ///
    /// - Returns: Whether there is as much for this user.
    func takeBytes(_ count: Int, for number: Int) -> Bool {
        state.withLock { state in
            guard let connection = state.connections[number] else { return false }
            state.setBytes(0, of: connection)
            while state.bytes + count > Self.byteLimit {
                guard state.endOne(for: connection, needing: count, of: \.bytes) else {
                    return false
                }
            }
            state.setBytes(count, of: connection)
            return true
        }
    }

    /// Begins to handle the request of a connection.
    ///
    /// - Returns: False if the connection was ended, or if as many requests as permitted are handled.
    func begin(_ number: Int) -> Bool {
        state.withLock { state in
            guard let connection = state.connections[number] else { return false }
            state.setBytes(0, of: connection)
            guard state.requests < Self.places(requestLimit, connection.isOperator) else {
                return false
            }
            state.requests += 1
            connection.state = .handled
            return true
        }
    }

    /// Ends a request that ``begin(_:)`` permitted; its answer follows.
    func end(_ number: Int) {
        state.change { state in
            state.requests -= 1
            state.connections[number]?.use(as: .open)
        }
    }

    /// Marks a connection that received a part of a request.
    ///
    /// - Returns: Whether it still has its place. Otherwise it was ended, so no answer would reach the client.
    func work(_ number: Int) -> Bool {
        state.withLock { $0.connections[number]?.use(as: .open) != nil }
    }

    /// Marks a connection as idle.
    func rest(_ number: Int) {
        state.withLock { $0.connections[number]?.use(as: .idle) }
    }

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
            for (number, connection) in state.connections where connection.state == .idle {
                state.remove(number)
                connection.socket.end()
            }
        }
        return hasEnded(within: limit - grace)
    }

    private func hasEnded(within limit: Duration) -> Bool {
        state.wait(atMost: limit) { $0.requests == 0 && $0.connections.isEmpty ? () : nil } != nil
    }
}
