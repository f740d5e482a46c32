/// A time at which a phase of an exchange ends, on the clock that changes to the system's time do not affect.
struct Deadline {
    private let end: ContinuousClock.Instant

    /// Creates a deadline.
    ///
    /// - Parameters:
    ///   - limit: The time from now.
    ///   - other: A deadline that this one cannot exceed.
    init(after limit: Duration, atMost other: Deadline? = nil) {
        self.init(at: .now + limit, atMost: other)
    }

    /// Creates a deadline at a time, or at another deadline if that is earlier.
    init(at end: ContinuousClock.Instant, atMost other: Deadline?) {
        self.end = other.map { min($0.end, end) } ?? end
    }

    /// The milliseconds that are left, rounded up, for poll(2); 0 if the time is over.
    var milliseconds: Int32 {
        let left = end - .now
        guard left > .zero else { return 0 }
        // A day, after which poll(2) is simply called again.
        return Int32(min((left / .milliseconds(1)).rounded(.up), 86_400_000))
    }

    /// Whether the time is over.
    var isOver: Bool { ContinuousClock.now >= end }
}
