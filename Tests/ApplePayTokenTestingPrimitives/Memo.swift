import Foundation

/// Remembers what was made, so that a thing with one name is made once.
///
/// Values are made outside the lock: two threads may make the same one at the same time, which
/// costs work but changes nothing, since everything here is a function of its name.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Key: Value] = [:]

    /// Starts with nothing remembered.
    package init() {}

    /// Returns what is remembered under `key`, or makes and remembers it.
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
