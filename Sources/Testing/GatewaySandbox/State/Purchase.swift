/// The payment that a request asks for.
struct Purchase: Sendable {
    /// The amount in the gateway's units; nil if the request does not show it, as with RBS's encrypted tokens.
    var amount: Int64?

    /// The currency as the request wrote it; nil if the request does not show it.
    var currency: String?

    /// The merchant's reference.
    var reference: String?

    /// Whether the amount is captured at once.
    var captures: Bool

    /// Whether another channel made the payment, and not a request of the merchant's that is tested.
    var isForeign = false

    /// Whether the merchant must complete the payment after the customer confirmed it.
    var isCompletedByMerchant = false

    /// The card with which the payment is made: expired, or without the agreement that its kind needs, it is declined.
    var card = SandboxCard.usable

    /// The members of the gateway's own, such as the kind of a transaction.
    var details: JSON = [:]
}

/// A capture, a cancellation, a refund or a chargeback of a payment.
struct Operation: Sendable {
    /// The kinds of operations.
    enum Kind: String, Sendable {
        case capture, cancel, refund, chargeback
    }

    /// How far an operation is.
    enum Progress: Equatable, Sendable {
        /// It was requested; this number of status queries later it is done.
        case requested(queries: Int)

        /// It is done.
        case done

        /// It was refused; it does not count.
        case refused
    }

    /// The kind.
    let kind: Kind

    /// The gateway's identifier.
    let id: String

    /// The amount in the gateway's units; nil for all that remains.
    var amount: Int64?

    /// The merchant's own reference of the operation.
    var reference: String?

    /// The identifier of the transaction that the request named.
    var parent: String?

    /// Whether what remains of the authorization is released.
    var isFinal = false

    /// How far it is; initially, as far as the gateway's answer to the request reports.
    var progress = Progress.done

    /// Whether it is done.
    var isDone: Bool { progress == .done }

    /// Counts a status query about the payment.
    mutating func countQuery() {
        guard case .requested(let queries) = progress else { return }
        progress = queries <= 1 ? .done : .requested(queries: queries - 1)
    }
}
