internal import ApplePayPrimitives
internal import ApplePayTransport
internal import Glibc

/// Finds a server's addresses and connects to the first that answers.
///
/// Nothing of a request is sent here, so every failure is certain.
struct Connecting {
    /// How long one address may take before the next one is tried as well (RFC 8305 §5).
    private static let headStart = Duration.milliseconds(250)

    /// The most addresses that are tried.
    private static let mostAddresses = 8

    let cancellation: WakeUp
    let deadline: Deadline

    /// Connects to a host.
    ///
    /// - Parameters:
    ///   - host: A name or a numeric address.
    ///   - port: The port.
    /// - Returns: A connected socket.
    /// - Throws: `busy`, `name-not-found`, `not-connected`, `timed-out` or `canceled`.
    func socket(to host: String, port: UInt16) throws(GatewayTransportError) -> TCPSocket {
        let addresses = try addresses(of: host, port: port)
        guard !addresses.isEmpty else { throw .unsent(.nameNotFound) }
        return try race(addresses.prefix(Self.mostAddresses))
    }

    private func addresses(of host: String, port: UInt16) throws(GatewayTransportError)
        -> [SocketAddress]
    {
        let numeric = SocketAddress.addresses(of: host, port: port, isNumeric: true)
        guard numeric.isEmpty else { return numeric }
        return try ThreadLimit.lookups.result(cancellation, deadline) {
            SocketAddress.addresses(of: host, port: port)
        }
    }

    /// Tries the addresses one after another, each with a short head start before the next.
    private func race(_ addresses: ArraySlice<SocketAddress>) throws(GatewayTransportError)
        -> TCPSocket
    {
        let attempts = Attempts()
        var remaining = addresses
        while true {
            if let address = remaining.popFirst(), !attempts.begin(address) { continue }
            guard !attempts.isEmpty else { throw attempts.failure }
            let next = Deadline(after: Self.headStart, atMost: deadline)
            switch Poll.wait(attempts.descriptors.map { ($0, Int16(POLLOUT)) }, cancellation, next)
            {
            case .canceled: throw .unsent(.canceled)
            case .timedOut where deadline.isOver: throw .unsent(.timedOut)
            case .timedOut: continue
            case .ready(let events):
                if let socket = attempts.connected(events) { return socket }
            }
        }
    }
}

/// The sockets that are connecting.
private final class Attempts {
    private final class Attempt {
        var socket: TCPSocket?
        let descriptor: Int32

        init(_ socket: consuming TCPSocket) {
            descriptor = socket.descriptor
            self.socket = consume socket
        }
    }

    private var attempts: [Attempt] = []

    /// Why the last address refused.
    private var lastError: Int32 = 0

    /// The error if all addresses refused, with the system's reason of the last one.
    var failure: GatewayTransportError {
        .unsent(.notConnected, unsafe String(cString: strerror(lastError)))
    }

    var isEmpty: Bool { attempts.isEmpty }

    var descriptors: [Int32] { attempts.map(\.descriptor) }

    /// Begins to connect; returns false if the system refuses the address at once.
    func begin(_ address: SocketAddress) -> Bool {
        guard let socket = TCPSocket(connectingTo: address, &lastError) else { return false }
        attempts.append(Attempt(socket))
        return true
    }

    /// Returns the first socket that is connected, and drops those that failed.
    func connected(_ events: [Int16]) -> TCPSocket? {
        let ended = zip(attempts, events).filter { $0.1 != 0 }.map(\.0)
        attempts.removeAll { attempt in ended.contains { $0 === attempt } }
        for attempt in ended {
            let error = attempt.socket?.connectionError ?? 0
            guard error != 0 else { return attempt.socket.take() }
            lastError = error
        }
        return nil
    }
}
