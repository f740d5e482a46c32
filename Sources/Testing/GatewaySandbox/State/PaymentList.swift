/// The list of all accepted payments, for tests that compare it with the merchant's records.
extension PaymentBook {
    /// Returns the accepted payments of all gateways, in minor units of ISO 4217.
    ///
    /// `requests` counts the accepted payments with the same reference, each of which charged the customer, without those
    /// of other channels. Amounts that the requests did not show are null.
    func acceptedPayments() -> JSON {
        var list: [JSON] = []
        for gateway in SandboxGateway.all where gateway.takesPayments {
            let accepted = payments(of: gateway.name) { $0.state == .accepted }
            let charges = accepted.filter { !$0.isCardCheck && !$0.purchase.isForeign }
            let counts = Dictionary(grouping: charges) { $0.purchase.reference ?? $0.id }
            for payment in accepted {
                let currency = payment.purchase.currency
                func amount(_ units: Int64) -> JSON {
                    guard payment.amount != nil else { return .null }
                    return .integer(gateway.minorUnits(units, currency))
                }
                let requests = counts[payment.purchase.reference ?? payment.id]?.count ?? 0
                list.append([
                    "gateway": .string(gateway.name), "id": .string(payment.id),
                    "reference": payment.reference ?? .null,
                    "currency": .optional(SandboxCurrency(currency)?.alphabetic) ?? .null,
                    "authorized": amount(payment.authorized),
                    "captured": amount(payment.captured),
                    "refunded": amount(payment.refunded + payment.chargedBack),
                    "requests": .integer(Int64(requests)),
                    "isForeign": payment.purchase.isForeign ? true : nil,
                ])
            }
        }
        return .array(list)
    }
}
