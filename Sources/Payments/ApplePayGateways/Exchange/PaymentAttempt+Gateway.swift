package import ApplePayAcceptance
internal import ApplePayWire

extension PaymentAttempt {
    /// Creates the first attempt in a slot of an order at a gateway, with the reference, the key and the mark of the slot.
    ///
    /// What is made here is stored with the slot's first attempt, and never made again: another version may make it otherwise.
    ///
    /// - Throws: ``PaymentError``: `order` with code `invalid-reference`, then `library-failure`.
    package init(
        _ order: Order, slot: Int = 1, at gateway: any PaymentGateway
    ) throws(PaymentError) {
        try self.init(order, slot: slot)
        let names: [ExactText] = [
            "mark", gateway.name, gateway.account, gateway.isTest ? "test" : "live",
            order.reference, "\(slot)",
        ]
        switch gateway.abilities.mark {
        case .field, .session: mark = ExactText(utf8: try Self.key(names).utf8.prefix(20))
        case .reference: end(referenceWith: try Self.key(names))
        case nil: break
        }
    }
}
