import ApplePayOrderPrograms
import ApplePayPrograms
import Testing

@testable import paytoken
@testable import paytokend

@Suite("Instants for another process")
struct BootTimeTests {
    @Test("are never later after both conversions, and hardly earlier")
    func neverLater() {
        for number in -1_000...1_000 {
            let instant = ContinuousClock.now + .milliseconds(number * 37)
            let found = BootTime.instant(at: BootTime.nanoseconds(at: instant))
            #expect(found <= instant)
            // A busy machine may stop the process between the two clocks.
            #expect(found > instant - .seconds(20))
        }
    }

    @Test("that no number can express become the first or the last number")
    func farInstants() {
        let now = ContinuousClock.now
        for far in [Int64.max / 2, 1 << 34] {
            #expect(BootTime.nanoseconds(at: now + .seconds(far)) == .max)
            #expect(BootTime.nanoseconds(at: now - .seconds(far)) == .min)
        }
    }

    @Test("are within a century, whatever number the other process sends")
    func extremes() {
        let century = Duration.seconds(100 * 365 * 86_400)
        for number in [Int64.max, Int64.max - 1, Int64.max / 2] {
            let instant = BootTime.instant(at: number)
            #expect(instant > .now + century - .seconds(60) && instant <= .now + century)
        }
        for number in [Int64.min, Int64.min + 1, Int64.min / 2] {
            let instant = BootTime.instant(at: number)
            #expect(
                instant < .now - century + .seconds(60) && instant >= .now - century - .seconds(60))
        }
        #expect(BootTime.instant(at: 0) < .now)
    }
}
