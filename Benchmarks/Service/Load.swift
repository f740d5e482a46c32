import Glibc

/// Sends requests over many connections on one thread, as a server with an event loop does.
final class Load {
    private let connections: [Connection]
    private let requests: [[UInt8]]
    /// The number of the next request.
    private var next = 0
    /// The connections' descriptors, and the first number above them all.
    private var descriptors = fd_set()
    private let end: Int32

    init(_ connections: [Connection], _ requests: [[UInt8]]) {
        self.connections = connections
        self.requests = requests
        end = (connections.map(\.descriptor).max() ?? 0) + 1
        precondition(end <= FD_SETSIZE, "descriptors that pselect(2) can name")
        unsafe withUnsafeMutableBytes(of: &descriptors) { bytes in
            for descriptor in connections.map({ Int($0.descriptor) }) {
                unsafe bytes[descriptor / 8] |= 1 << (descriptor % 8)
            }
        }
    }

    /// Sends a request on every connection, and the next one after each answer, until a time is over.
    ///
    /// - Returns: The answers, and how many they were in a second.
    func rate(for time: Duration) throws -> (count: Double, rate: Double) {
        let start = ContinuousClock.now
        var (waiting, answers) = (0, 0)
        func send(on connection: Int) throws {
            try self.send(on: connection)
            waiting += 1
        }
        for connection in connections.indices { try send(on: connection) }
        while waiting > 0 {
            for connection in try answered(within: .seconds(60)) {
                waiting -= 1
                answers += 1
                if ContinuousClock.now - start < time { try send(on: connection) }
            }
        }
        return (Double(answers), Double(answers) / ((ContinuousClock.now - start) / .seconds(1)))
    }

    /// Sends requests at times that do not depend on answers, each on the next connection.
    ///
    /// The times are those of many customers, who do not know of each other: the pauses between them have an exponential
    /// distribution.
    ///
    /// - Returns: The time of each answer after that at which its request was due, in seconds: if the connection's earlier
    ///   request was not answered yet, or this program was late, that time counts too.
    func times(rate: Double, for time: Duration) throws -> [Double] {
        var times: [Double] = []
        var due = [[ContinuousClock.Instant]](repeating: [], count: connections.count)
        var (arrival, waiting) = (ContinuousClock.now, 0)
        let end = arrival + time
        var turn = 0
        while arrival < end || waiting > 0 {
            while arrival < end, arrival <= .now {
                let connection = turn % connections.count
                turn += 1
                due[connection].append(arrival)
                if due[connection].count == 1 { try send(on: connection) }
                waiting += 1
                arrival += .seconds(-log(Double.random(in: Double.ulpOfOne..<1)) / rate)
            }
            for connection in try answered(within: arrival < end ? arrival - .now : .seconds(60)) {
                times.append((ContinuousClock.now - due[connection].removeFirst()) / .seconds(1))
                waiting -= 1
                if !due[connection].isEmpty { try send(on: connection) }
            }
        }
        return times
    }

    private func send(on connection: Int) throws {
        try connections[connection].send(requests[next % requests.count])
        next += 1
    }

    /// Waits, and returns the connections whose answers are whole.
    private func answered(within limit: Duration) throws -> [Int] {
        let (seconds, attoseconds) = max(limit, .zero).components
        var timeout = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // Glibc's module lacks ppoll(2), and poll(2) waits whole milliseconds.
        var ready = descriptors
        guard unsafe pselect(end, &ready, nil, nil, &timeout, nil) >= 0 else {
            throw Failure("waiting failed: error \(errno)")
        }
        let bits = unsafe withUnsafeBytes(of: ready) { unsafe Array($0) }
        return try connections.indices.filter {
            let descriptor = Int(connections[$0].descriptor)
            return try bits[descriptor / 8] & 1 << (descriptor % 8) != 0
                && connections[$0].receive()
        }
    }
}
