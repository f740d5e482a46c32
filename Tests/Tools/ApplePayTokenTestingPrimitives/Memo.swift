import Foundation

/// Caches created values, so that each value is created once for its name.
///
/// Values are created outside the lock: two threads may create the same value at the same time.
/// This costs time but changes nothing, because all values here are determined by their names.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Key: Value] = [:]

    /// Creates an empty cache.
    package init() {}

    /// Returns the cached value for `key`, or creates and caches it.
    package func value(
        for key: Key,
        make: () throws(TestingError) -> Value
    ) throws(TestingError) -> Value {
        lock.lock()
        let known = values[key]
        lock.unlock()
        if let known { return known }
        let made = try make()
        lock.lock()
        values[key] = made
        lock.unlock()
        return made
    }
}
