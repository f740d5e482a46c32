internal import Glibc

/// One POSIX thread that runs a closure to its end.
package final class SystemThread {
    private let handle: pthread_t

    /// Starts a thread; nil if the system cannot start another one.
    package init?(_ body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let box = unsafe Unmanaged.passRetained(Box(body))
        let result = unsafe pthread_create(
            &handle, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            return nil
        }
        self.handle = handle
    }

    /// Waits until the closure has returned.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Frees the thread's resources when it ends, instead of ``join()``; the process may end before the thread.
    package func detach() {
        pthread_detach(handle)
    }

    /// The number of processors that are online.
    package static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
