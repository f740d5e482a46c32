/// Contexts that are costly to make, lent to one caller at a time.
///
/// Each caller has a context of its own while it works, so threads share keys without waiting for
/// one another. A context goes back only after a body that did not throw; one that failed is
/// dropped, since nobody can say what state it is in.
package final class Pool<Context: AnyObject, Failure: Error>: Sendable {
    /// More than this many idle contexts are freed, so that a burst does not stay in memory.
    @usableFromInline static var idleLimit: Int { 64 }

    @usableFromInline let idle = Lock<[Context]>([])
    @usableFromInline let make: @Sendable () throws(Failure) -> Context

    /// Takes what makes a context when none is idle.
    package init(_ make: @escaping @Sendable () throws(Failure) -> Context) {
        self.make = make
    }

    /// Lends a context for the length of the call.
    @inlinable
    package func withContext<Result>(
        _ body: (Context) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context: Context
        if let idle = idle.withLock({ $0.popLast() }) {
            context = idle
        } else {
            context = try make()
        }
        let result = try body(context)
        idle.withLock { contexts in
            if contexts.count < Self.idleLimit { contexts.append(context) }
        }
        return result
    }

    /// Drops the idle contexts, such as sessions with a device that was away.
    package func removeIdle() {
        idle.withLock { $0.removeAll() }
    }
}
