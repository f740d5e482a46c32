internal import Glibc

/// Waits for sockets, a wake-up and a deadline together, with poll(2).
enum Poll {
    /// Why a wait ended.
    enum Result {
        /// The descriptors with their events, in the given order; 0 if nothing happened at one.
        case ready([Int16])
        case timedOut
        case canceled
    }

    /// Waits until something happens at a descriptor.
    ///
    /// - Parameters:
    ///   - descriptors: The descriptors and the events to wait for, such as `POLLIN`.
    ///   - cancellation: Ends the wait.
    ///   - deadline: Ends the wait.
    /// - Returns: Why the wait ended.
    static func wait(_ descriptors: [(Int32, Int16)], _ cancellation: WakeUp, _ deadline: Deadline)
        -> Result
    {
        while true {
            var events = descriptors.map { pollfd(fd: $0.0, events: $0.1, revents: 0) }
            events.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
            let count = unsafe poll(&events, nfds_t(events.count), deadline.milliseconds)
            let last = events.removeLast()
            if last.revents != 0 { return .canceled }
            if count > 0 { return .ready(events.map(\.revents)) }
            // An interrupted call (EINTR) is repeated; its time is not extended.
            if deadline.isOver { return .timedOut }
        }
    }
}
