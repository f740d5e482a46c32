internal import Glibc

/// One value guarded by a POSIX mutex, with a condition variable to wait for its changes.
///
/// Timeouts use CLOCK_MONOTONIC, so changes to the system time do not affect them.
@safe
package final class Monitor<Value>: @unchecked Sendable {
    /// The greatest timeout; its end fits into a `timespec`, and it is as good as no limit.
    private static var longestWait: Duration { .seconds(100 * 365 * 86_400) }

    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    /// Takes ownership of the value.
    package init(_ value: consuming Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        let results = unsafe [
            pthread_mutex_init(mutex, nil), pthread_condattr_init(&attributes),
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC),
            pthread_cond_init(changed, &attributes), pthread_condattr_destroy(&attributes),
        ]
        precondition(
            results.allSatisfy { $0 == 0 },
            "POSIX objects with these attributes can always be made (pthread_cond_init(3))")
    }

    /// Lends the value to one caller at a time.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Lends the value for a change, and wakes one waiting thread.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        // Signal after unlocking: a thread that wakes earlier would wait again, for the mutex.
        defer { unsafe pthread_cond_signal(changed) }
        return withLock(body)
    }

    /// Calls `body` with the value again and again, and lets other threads run in between, until it returns a result.
    ///
    /// - Parameters:
    ///   - time: How long to look for a result; `body` is called at least once.
    ///   - body: Returns nil to continue.
    /// - Returns: The result of `body`; nil if there was none within `time`.
    package func poll<Result>(for time: Duration, _ body: (inout Value) -> Result?) -> Result? {
        let end = ContinuousClock.now + time
        while true {
            if let result = withLock(body) { return result }
            guard ContinuousClock.now < end else { return nil }
            // On Linux this cannot fail (sched_yield(2)).
            _ = sched_yield()
        }
    }

    /// Calls `body` with the value immediately and after each change until it returns a result.
    ///
    /// - Parameters:
    ///   - limit: The greatest time to wait; nil waits without a limit.
    ///   - body: Returns nil to wait for the next change.
    /// - Returns: The result of `body`; nil if there was none within `limit`.
    package func wait<Result>(
        atMost limit: Duration? = nil,
        _ body: (inout Value) -> Result?
    ) -> Result? {
        let deadline = limit.map(Self.deadline)
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard var deadline else {
                unsafe pthread_cond_wait(changed, mutex)
                continue
            }
            // On a timeout (ETIMEDOUT), check again, because the value may have changed at the last moment.
            if unsafe pthread_cond_timedwait(changed, mutex, &deadline) != 0 { return body(&value) }
        }
    }

    private static func deadline(after limit: Duration) -> timespec {
        var now = timespec()
        let result = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        precondition(result == 0, "Linux always has this clock (clock_gettime(2))")
        let (seconds, attoseconds) = min(max(limit, .zero), longestWait).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }
}

/// A guarded value that several owners share.
package final class Lock<Value>: Sendable {
    @usableFromInline let guarded: Guarded<Value>

    /// Takes ownership of the value.
    package init(_ value: Value) {
        guarded = Guarded(value)
    }

    /// Lends the value to one caller at a time.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try guarded.withLock(body)
    }
}
