internal import ApplePayPrograms
internal import Glibc

/// Instants of `ContinuousClock` in a form that another process of this machine understands: nanoseconds since the machine
/// started (CLOCK_BOOTTIME).
///
/// A process may be stopped between reading the two clocks. Their order makes a converted instant then earlier, never later.
enum BootTime {
    static func nanoseconds(at instant: ContinuousClock.Instant) -> Int64 {
        let start = now
        let (seconds, attoseconds) = (instant - .now).components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return start.saturatingAdding(whole.saturatingAdding(attoseconds / 1_000_000_000))
    }

    static func instant(at nanoseconds: Int64) -> ContinuousClock.Instant {
        let start = ContinuousClock.now
        // A century is as good as any longer time.
        let limit: Int64 = 100 * 365 * 86_400 * 1_000_000_000
        let left = nanoseconds.saturatingAdding(-now)
        return start + .nanoseconds(min(max(left, -limit), limit))
    }

    private static var now: Int64 {
        var time = timespec()
        let result = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        precondition(result == 0, "Linux always has this clock (clock_gettime(2))")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Int64 {
    /// Returns the sum, or the nearest number that an Int64 can represent.
    fileprivate func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }
}
