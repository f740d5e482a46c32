package import Glibc

/// One value guarded by a POSIX mutex, standing in its owner: reaching it counts no reference.
///
/// `Synchronization.Mutex` would do, but this toolchain's ThreadSanitizer does not see its futex
/// and reports races that are not there.
@safe
package struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    /// Behind a pointer, since Swift checks every access to an object's variable for exclusivity, which
    /// the mutex has settled: 0.02 µs for each of a token's fourteen.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Takes the value to guard.
    package init(_ value: consuming Value) {
        unsafe self.value = Self.ownLine()
        unsafe self.value.initialize(to: value)
        unsafe mutex = Self.ownLine()
        let result = unsafe pthread_mutex_init(mutex, nil)
        precondition(
            result == 0, "a default POSIX mutex can always be made (pthread_mutex_init(3))")
    }

    /// Lends the value to one caller at a time.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// The same, with something to be moved into the value: a closure would capture a copy of it.
    @inlinable
    package borrowing func withLock<Moved>(
        moving moved: consuming Moved,
        _ body: (inout Value, consuming Moved) -> Void
    ) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        unsafe body(&value.pointee, moved)
    }

    /// Memory in a cache line that nothing else is in: a neighbour's lock would be waited for as well.
    private static func ownLine<Element>() -> UnsafeMutablePointer<Element> {
        let lineCount = 128
        let byteCount = max(MemoryLayout<Element>.stride, lineCount)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: lineCount)
        return unsafe memory.bindMemory(to: Element.self, capacity: 1)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }
}
