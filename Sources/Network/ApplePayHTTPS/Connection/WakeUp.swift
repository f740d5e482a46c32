internal import Glibc

/// Wakes a thread that waits in poll(2); used to cancel an exchange and to hand over a name's addresses.
@safe
final class WakeUp: Sendable {
    /// A socket that is readable from the first call of ``signal()`` on; -1 if the process has too many descriptors.
    let descriptor: Int32

    private let otherEnd: Int32

    /// Creates a wake-up that was not signaled.
    init() {
        var ends: [Int32] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        // On a failure the descriptors stay -1 (socketpair(2)).
        _ = unsafe socketpair(AF_UNIX, Int32(type), 0, &ends)
        (descriptor, otherEnd) = (ends[0], ends[1])
    }

    /// Wakes the thread.
    ///
    /// The object closes its descriptors when it is dropped, so a late call cannot reach another one.
    func signal() {
        // If the buffer is full, it has been signaled; and the other end is open, because this object owns both.
        _ = unsafe write(otherEnd, [1], 1)
    }

    deinit {
        close(descriptor)
        close(otherEnd)
    }
}
