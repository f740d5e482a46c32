import ApplePayOrders
import ApplePayPrimitives
import Foundation

/// A clock that tests move; waiting moves it, too.
final class TestClock: Sendable {
    /// The time at which tests begin.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private let elapsed = Lock(0.0)
    // An hour ahead of the machine's clock, with which a transport's caller compares, too.
    private let origin = ContinuousClock.now + .seconds(3_600)
    private let waits = Lock([Duration]())

    /// The current time.
    var now: Date { Self.start + elapsed.withLock { $0 } }

    /// The current time of the clock that is never set.
    var instant: ContinuousClock.Instant { origin + .seconds(elapsed.withLock { $0 }) }

    /// The pauses that were made.
    var pauses: [Duration] { waits.withLock { $0 } }

    /// The seconds since the start.
    var seconds: Double { elapsed.withLock { $0 } }

    /// Moves the clock.
    func pass(_ seconds: Double) { elapsed.withLock { $0 += seconds } }

    /// The clock for payments.
    var time: OrderTime {
        var time = OrderTime()
        time.now = { self.now }
        time.instant = { self.instant }
        time.sleep = { pause in
            self.waits.withLock { $0.append(pause) }
            self.pass(Double(pause.components.seconds))
        }
        return time
    }
}
