internal import Glibc

/// The processor time of threads, which other programs do not change.
package enum ProcessorTime {
    /// What the calling thread has used so far.
    package static var ofThread: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
