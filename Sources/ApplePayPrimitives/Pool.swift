internal import CApplePaySystem

/// Contexts that are costly to make, lent to one caller at a time.
///
/// Each caller has a context of its own while it works, so threads share keys without waiting for
/// one another. A context goes back only after a body that did not throw; one that failed is
/// dropped, since nobody can say what state it is in.
package final class Pool<Context: AnyObject, Failure: Error>: Sendable {
    /// More than this many idle contexts are freed in each place, so that a burst does not stay in memory.
    @usableFromInline static var idleLimit: Int { 8 }

    /// The idle contexts, in places that threads share out: with one place for all, two threads would
    /// take its lock from one another fourteen times a token.
    @usableFromInline let places: [Lock<[Context]>] = (0..<8).map { _ in Lock([]) }

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
        let place = places[placeOfThread]
        let context: Context
        if let idle = place.withLock({ $0.popLast() }) ?? idleElsewhere() {
            context = idle
        } else {
            context = try make()
        }
        let result = try body(context)
        place.withLock { contexts in
            if contexts.count < Self.idleLimit { contexts.append(context) }
        }
        return result
    }

    /// Drops the idle contexts, such as sessions with a device that was away.
    package func removeIdle() {
        for place in places { place.withLock { $0.removeAll() } }
    }

    /// An idle context of another place: a connection or a session costs more than its lock.
    @usableFromInline func idleElsewhere() -> Context? {
        for place in places {
            if let context = place.withLock({ $0.popLast() }) { return context }
        }
        return nil
    }

    /// Which place is the calling thread's.
    @usableFromInline var placeOfThread: Int {
        Int(CApplePaySystem_thread_number()) % places.count
    }
}
