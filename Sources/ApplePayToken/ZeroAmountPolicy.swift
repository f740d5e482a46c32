/// What an order says of a token for the amount 0.
///
/// A request for a recurring or deferred payment can be authorised for nothing today, and charged later.
public enum ZeroAmountPolicy: String, Hashable, CaseIterable, Sendable {
    /// A token for 0 pays an order of 0, and no other.
    case asOrdered = "as-ordered"

    /// The request was recurring or deferred: a token for 0 fits whatever the order's amount is.
    case accepted

    /// A token for 0 is refused, also for an order of 0.
    case refused
}
