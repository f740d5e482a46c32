#if PostgreSQL
    internal import Glibc

    /// The time at which an operation is abandoned.
    struct Deadline {
        /// The end.
        let end: ContinuousClock.Instant

        /// The remaining time in milliseconds; 0 after the end.
        var milliseconds: Int32 {
            let rest = max(end - .now, .zero)
            return Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up)))
        }

        /// Waits for the given time, but not beyond the end.
        func pause(milliseconds pause: Int) {
            _ = poll(nil, 0, min(Int32(clamping: pause), milliseconds))
        }

        /// Returns what poll(2) waits for; nothing if neither is wanted.
        static func descriptor(_ socket: Int32, reading: Bool, writing: Bool) -> pollfd {
            let events = Int16(reading ? POLLIN : 0) | Int16(writing ? POLLOUT : 0)
            return pollfd(fd: events == 0 ? -1 : socket, events: events, revents: 0)
        }

        /// Waits for one of some sockets.
        ///
        /// - Throws: ``PostgreSQLError`` if the time is over first, or the wait fails.
        func wait(for descriptors: inout [pollfd]) throws(PostgreSQLError) {
            while true {
                let rest = milliseconds
                guard rest > 0 else { throw .timeout }
                let count = unsafe poll(&descriptors, nfds_t(descriptors.count), rest)
                if count > 0 { return }
                guard count == 0 || errno == EINTR else {
                    throw .connection("waiting for the connection failed")
                }
            }
        }
    }
#endif
