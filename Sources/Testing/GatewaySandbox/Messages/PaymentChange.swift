/// A change of a payment, about which its gateway sends a message.
struct PaymentChange: Sendable {
    /// The gateway's name.
    let gateway: String

    /// The payment after the change.
    let payment: SandboxPayment

    /// The operation that is new or done; nil if the payment itself is new, or its state is.
    let operation: Operation?

    /// Returns what changed, in order; nothing about a payment that waits for its customer, or about a refused operation.
    static func all(
        at gateway: String, from old: SandboxPayment?, to new: SandboxPayment
    ) -> [PaymentChange] {
        let known = old?.operations ?? []
        let operations = new.operations.filter { operation in
            operation.progress != .refused
                && !known.contains { $0.id == operation.id && $0.isDone == operation.isDone }
        }
        let hasNewState = new.state != old?.state && new.state != .awaitingCustomer
        return ((hasNewState ? [nil] : []) + operations).map {
            PaymentChange(gateway: gateway, payment: new, operation: $0)
        }
    }
}
