import ApplePayOrders
import Foundation

/// What the page reads: a sentence, whether the customer may pay again, and the address that they must open.
struct Answer: Codable, Sendable {
    var text: String
    var payable = false
    var url: URL?
}

struct PaymentHandler: Sendable {
    let payments: OrderPayments
    let log: @Sendable (String) -> Void

    func pay(_ body: [UInt8], order: Order) async -> Answer {
        do {
            let outcome = try await payments.pay(body, for: order)
            log("\(order.reference) \(outcome.state.rawValue) \(outcome.reason ?? "")")
            if !outcome.isRecorded { log("\(order.reference) is not recorded") }
            return answer(outcome)
        } catch let refusal {
            log("\(order.reference) \(refusal.name): \(refusal)")
            switch refusal.disposition {
            case .customer: return Answer(text: "Please pay again.", payable: true)
            case .rejected:
                return Answer(text: "This payment cannot be accepted.", payable: true)
            case .operator: return Answer(text: "Please try again later.", payable: true)
            }
        }
    }

    /// Also for the request with which a customer returns from a page.
    func receive(_ message: GatewayMessage) async -> (status: Int, text: String) {
        let reply = await payments.receive(message)
        log("message: \(reply.outcome?.state.rawValue ?? reply.reason?.description ?? "")")
        return (reply.status, String(reply.body))
    }

    private func answer(_ outcome: OrderOutcome) -> Answer {
        switch outcome.state {
        // Capture an authorized order, then ship.
        case .paid, .authorized: Answer(text: "Thank you.")
        case .actionRequired:
            Answer(text: "Please confirm at your bank.", url: outcome.report?.address)
        case .refused where outcome.report?.refusal?.origin == .operator:
            Answer(text: "Please try again later.", payable: true)
        case .refused where outcome.report?.refusal?.origin == .customer:
            Answer(text: "You canceled the payment.", payable: true)
        case .refused:
            Answer(
                text: "Your bank declined the payment. Please use another card.", payable: true)
        case .returned: Answer(text: "This order was refunded.")
        case .pending, .unknown, .partlyAuthorized, .partlyPaid, .partlyReturned, .returning:
            Answer(text: "We are checking your payment. Please do not pay again.")
        }
    }
}
