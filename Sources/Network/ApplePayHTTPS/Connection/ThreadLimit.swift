package import ApplePayPrimitives
internal import ApplePayTransport
internal import Glibc

/// The threads that may wait for the network at a time.
///
/// Each exchange has one thread, so that none waits for another's server. More than the limit fail before anything is sent.
extension ThreadLimit {
    /// The greatest number of exchanges at a time.
    package static let exchangeCount = 64

    /// For exchanges, of all clients in this process.
    package static let exchanges = ThreadLimit(exchangeCount)

    /// For the system's resolver, which may hang: a look-up that was given up keeps its thread until the resolver returns.
    static let lookups = ThreadLimit(8)

    /// Runs `body`, which may hang, on a new thread, and waits for its result.
    ///
    /// Nothing of a request is sent here.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the wait.
    ///   - deadline: Ends the wait.
    ///   - body: Keeps its thread until it returns, also after the wait has ended.
    /// - Returns: The result of `body`.
    /// - Throws: `busy`, `timed-out` or `canceled`.
    func result<Value: Sendable>(
        _ cancellation: WakeUp, _ deadline: Deadline, _ body: @escaping @Sendable () -> Value
    ) throws(GatewayTransportError) -> Value {
        let found = Lock<Value?>(nil)
        let isDone = WakeUp()
        let isStarted = start {
            let value = body()
            found.withLock { $0 = value }
            isDone.signal()
        }
        guard isStarted else { throw .unsent(.busy) }
        switch Poll.wait([(isDone.descriptor, Int16(POLLIN))], cancellation, deadline) {
        case .canceled: throw .unsent(.canceled)
        case .timedOut: throw .unsent(.timedOut)
        case .ready: break
        }
        guard let value = found.withLock({ $0 }) else { throw .unsent(.timedOut) }
        return value
    }
}
