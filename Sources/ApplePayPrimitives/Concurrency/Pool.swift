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
    @usableFromInline let places: InlineArray<8, Guarded<[Context]>> = InlineArray { _ in
        Guarded([])
    }

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
        let place = placeOfThread
        let context = try take(place)
        let result = try body(context)
        give(context, place)
        return result
    }

    // Taking and giving are functions of their own, and not closures, so that a context moves in and
    // out without its references being counted: eight counts for each of a token's six loans.

    @usableFromInline func take(_ place: Int) throws(Failure) -> Context {
        if let idle = places[place].withLock({ $0.popLast() }) { return idle }
        if let idle = idleElsewhere() { return idle }
        return try make()
    }

    @usableFromInline func give(_ context: consuming Context, _ place: Int) {
        places[place].withLock(moving: context) { contexts, context in
            if contexts.count < Self.idleLimit { contexts.append(context) }
        }
    }

    /// Drops the idle contexts, such as sessions with a device that was away.
    package func removeIdle() {
        for place in places.indices { places[place].withLock { $0.removeAll() } }
    }

    /// An idle context of another place: a connection or a session costs more than its lock.
    @usableFromInline func idleElsewhere() -> Context? {
        for place in places.indices {
            if let context = places[place].withLock({ $0.popLast() }) { return context }
        }
        return nil
    }

    /// Which place is the calling thread's.
    @usableFromInline var placeOfThread: Int {
        Int(CApplePaySystem_thread_number()) % places.count
    }
}
