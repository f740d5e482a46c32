/// A guarded value that several owners share.
package final class Lock<Value>: Sendable {
    @usableFromInline let guarded: Guarded<Value>

    /// Takes the value to guard.
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
