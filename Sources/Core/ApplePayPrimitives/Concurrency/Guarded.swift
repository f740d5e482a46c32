package import Glibc

/// One value guarded by a POSIX mutex; the struct is stored inside its owner, so access does not count references.
///
/// `Synchronization.Mutex` would suffice, but this toolchain's ThreadSanitizer does not recognize its futex calls and
/// reports races that do not exist.
@safe
package struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    /// A pointer avoids Swift's exclusivity checks for variables of objects, which the mutex makes unnecessary.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Takes ownership of the value.
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

    /// Lends the value to one caller at a time, together with an argument that `body` consumes; a closure would capture
    /// a copy of it.
    @inlinable
    package borrowing func withLock<Moved>(
        moving moved: consuming Moved,
        _ body: (inout Value, consuming Moved) -> Void
    ) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        unsafe body(&value.pointee, moved)
    }

    /// Allocates memory in a separate cache line, so that threads that use neighboring values do not slow each other
    /// down.
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
