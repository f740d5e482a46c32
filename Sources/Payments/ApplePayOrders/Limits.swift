/// The times of payments, in seconds unless stated otherwise.
enum Limits {
    /// How long after `sending` became durable the first byte may be sent: enough for a connection.
    static let start = Duration.seconds(15)

    /// How long the owner of an attempt may need for its exchange and its questions before others ask, too.
    static let lease = 150.0

    /// The pauses before the owner's questions after an answer that leaves the result open.
    static let pauses: [Duration] = [.zero, .seconds(1), .seconds(2), .seconds(4)]

    /// The longest time between two questions: 6 hours.
    static let longestInterval = 6 * 3_600.0

    /// How long an attempt that ended without a payment is asked about: 30 days.
    static let lateCharges = 30 * 86_400.0

    /// How long before a gateway forgets a key it is not used any more: 1 hour.
    static let keyMargin = 3_600.0

    /// How long a request may stay under way, or be missing in a gateway's lists, at most: a day.
    static let settling = 86_400.0

    /// How long after a restore a gateway is asked for an order's earlier payment: 180 days, as long as attempts are kept.
    static let restored = 180 * 86_400.0

    /// How much later than a restore an order must have begun to have lost no attempt: clocks differ.
    static let afterRestore = 300.0

    /// The greatest number of slots of an order and of questions about an attempt that a record can have.
    static let count = 1_000_000_000

    /// The number of payments that do not pay an order, and about which nobody has decided.
    static let seconds = 100

    /// The number of operations on one payment.
    static let operations = 200
}
