/// The book of a payment's money, in the gateway's units.
extension SandboxPayment {
    /// The amount that was ordered; the greatest integer if the request did not show it.
    var ordered: Int64 { purchase.amount ?? Int64.max }

    /// The amount that the bank approved.
    var approved: Int64 { isPartlyApproved ? ordered / 2 : ordered }

    /// Whether the bank approved a part only.
    var isPartlyApproved: Bool { scenario == .partlyApproved }

    /// Whether only the card is checked, because the amount is 0.
    var isCardCheck: Bool { ordered == 0 }

    /// Whether the payment is an accepted card check that was not canceled.
    var isOpenCheck: Bool { isCardCheck && state == .accepted && !isClosed }

    /// Whether the amount is captured without a request for a capture.
    var isSale: Bool { purchase.captures && !isCardCheck }

    /// The amount that is reserved and can still be captured.
    var authorized: Int64 {
        guard state == .accepted, !isSale, !isClosed else { return 0 }
        return approved - done(.capture) - captureRequested - done(.cancel) - cancelRequested
    }

    /// The amount that is captured, even if it was returned later.
    var captured: Int64 { state != .accepted ? 0 : isSale ? approved : done(.capture) }

    /// The amount whose capture is requested and not done.
    var captureRequested: Int64 { requested(.capture) }

    /// The amount whose release is requested and not done.
    var cancelRequested: Int64 { requested(.cancel) }

    /// The amount that was released, by a cancellation or by a final capture.
    var released: Int64 {
        guard state == .accepted else { return 0 }
        return approved - authorized - captured - captureRequested - cancelRequested
    }

    /// The amount that was refunded.
    var refunded: Int64 { done(.refund) }

    /// The amount whose refund is requested and not done.
    var refundRequested: Int64 { requested(.refund) }

    /// The amount that the customer's bank took back.
    var chargedBack: Int64 { done(.chargeback) }

    /// The amount that can still be refunded.
    var refundable: Int64 { captured - refunded - refundRequested - chargedBack }

    private func done(_ kind: Operation.Kind) -> Int64 {
        operations.filter { $0.kind == kind && $0.isDone }.reduce(0) { $0 + ($1.amount ?? 0) }
    }

    private func requested(_ kind: Operation.Kind) -> Int64 {
        operations.filter { $0.kind == kind && !$0.isDone && $0.progress != .refused }
            .reduce(0) { $0 + ($1.amount ?? 0) }
    }
}

/// The members of the request that answers repeat.
extension SandboxPayment {
    /// The ordered amount; nil if the request did not show it.
    var amount: JSON? { purchase.amount.map(JSON.integer) }

    /// The currency as the request wrote it.
    var currency: JSON? { .optional(purchase.currency) }

    /// The merchant's reference.
    var reference: JSON? { .optional(purchase.reference) }

    /// A member of the gateway's own.
    subscript(_ detail: String) -> JSON? { purchase.details[detail] }
}
