import ApplePayOrders
import Foundation

struct PaymentHandler: Sendable {
    let payments: OrderPayments
    let log: @Sendable (String) -> Void

    func pay(_ body: [UInt8], order: Order) async -> (status: Int, text: String) {
        do {
            let outcome = try await payments.pay(body, for: order)
            log("\(order.reference) \(outcome.state.rawValue) \(outcome.reason ?? "")")
            if !outcome.isRecorded { log("\(order.reference) is not recorded") }
            return answer(outcome)
        } catch let refusal {
            log("\(order.reference) \(refusal.name): \(refusal)")
            switch refusal.disposition {
            case .customer: return (409, "Please pay again.")
            case .rejected: return (400, "This payment cannot be accepted.")
            case .operator: return (503, "Please try again later.")
            }
        }
    }

    /// Also for the request with which a customer returns from a page.
    func receive(_ message: GatewayMessage) async -> (status: Int, text: String) {
        let reply = await payments.receive(message)
        log("message: \(reply.outcome?.state.rawValue ?? reply.reason?.description ?? "")")
        return (reply.status, String(reply.body))
    }

    private func answer(_ outcome: OrderOutcome) -> (status: Int, text: String) {
        switch outcome.state {
        case .paid, .authorized: (200, "Thank you.")  // capture an authorized order, then ship
        case .actionRequired: (303, outcome.report?.address?.absoluteString ?? "")
        case .refused where outcome.report?.refusal?.origin == .operator:
            (503, "Please try again later.")
        case .refused where outcome.report?.refusal?.origin == .customer:
            (402, "You canceled the payment.")
        case .refused: (402, "Your bank declined the payment. Please use another card.")
        case .returned: (410, "This order was refunded.")
        case .pending, .unknown, .partlyAuthorized, .partlyPaid, .partlyReturned, .returning:
            (202, "We are checking your payment. Please do not pay again.")
        }
    }
}
