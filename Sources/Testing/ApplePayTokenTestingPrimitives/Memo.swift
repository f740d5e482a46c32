import Synchronization

/// Caches created values, so that each value is created once for its name.
///
/// Values are created outside the lock: two threads may create the same value at the same time.
/// This costs time but changes nothing, because all values here are determined by their names.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])

    /// Creates an empty cache.
    package init() {}

    /// Returns the cached value for `key`, or creates and caches it.
    package func value(
        for key: Key,
        make: () throws(TestingError) -> Value
    ) throws(TestingError) -> Value {
        if let known = values.withLock({ $0[key] }) { return known }
        let made = try make()
        values.withLock { $0[key] = made }
        return made
    }
}
