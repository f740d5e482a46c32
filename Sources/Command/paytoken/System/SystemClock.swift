internal import ApplePayPrograms
internal import CPaytoken

/// The machine's clock.
enum SystemClock {
    /// Whether something keeps the clock synchronized; nil if the kernel does not report it (adjtimex(2)).
    static var isSynchronized: Bool? {
        let answer = CPaytoken_clock_is_synchronized()
        return answer < 0 ? nil : answer == 1
    }
}
