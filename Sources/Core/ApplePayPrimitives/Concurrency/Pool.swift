internal import CApplePaySystem

/// Contexts that are expensive to create, lent to one caller at a time.
///
/// Each caller has exclusive use of a context while it works, so threads share keys without waiting for one another. A
/// context returns to the pool only if the body did not throw; otherwise it is dropped, because its state is unknown.
package final class Pool<Context: AnyObject, Failure: Error>: Sendable {
    /// The greatest number of idle contexts in each list; more are freed, so that a burst does not occupy memory
    /// permanently.
    @usableFromInline static var idleLimit: Int { 8 }

    /// The idle contexts, in several lists to which the threads are assigned: with a single list, two threads would
    /// compete for its lock fourteen times per token.
    @usableFromInline let places: InlineArray<8, Guarded<[Context]>> = InlineArray { _ in
        Guarded([])
    }

    @usableFromInline let make: @Sendable () throws(Failure) -> Context

    /// Creates a pool; `make` creates a context if none is idle.
    package init(_ make: @escaping @Sendable () throws(Failure) -> Context) {
        self.make = make
    }

    /// Lends a context for the duration of the call.
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

    // These are functions rather than closures, so that a context is moved in and out without reference counting, which
    // would take eight operations for each of a token's six contexts.

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

    /// Drops the idle contexts, for example sessions with a device that was disconnected.
    package func removeIdle() {
        for place in places.indices { places[place].withLock { $0.removeAll() } }
    }

    /// Takes an idle context from another list, because creating a connection or a session costs more than locking it.
    @usableFromInline func idleElsewhere() -> Context? {
        for place in places.indices {
            if let context = places[place].withLock({ $0.popLast() }) { return context }
        }
        return nil
    }

    /// The index of the calling thread's list.
    @usableFromInline var placeOfThread: Int {
        Int(CApplePaySystem_thread_number()) % places.count
    }
}
