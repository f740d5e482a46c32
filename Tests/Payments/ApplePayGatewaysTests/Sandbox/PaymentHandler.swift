import ApplePayGateways
import ApplePayToken
import Foundation

struct PaymentHandler: Sendable {
    let acceptor: PaymentAcceptor
    let gateway: any PaymentGateway
    let transport: any GatewayTransport
    let log: @Sendable (String) -> Void

    func pay(_ body: [UInt8], order: Order, slot: Int) async -> (status: Int, text: String) {
        do {
            let accepted = try await acceptor.accept(body, order: order, for: gateway, slot: slot)
            let outcome = try await accepted.charge(at: gateway, with: transport)
            log("\(order.reference) \(outcome.state.rawValue) \(outcome.reason ?? "")")
            if !outcome.isRecorded { log("\(order.reference): confirm the claim") }
            return answer(outcome)
        } catch let refusal {
            log("\(order.reference) \(refusal.code.rawValue): \(refusal)")
            // The same token came before, so its payment may be on its way.
            let isRepeated = [.alreadyClaimed, .alreadyConfirmed].contains(refusal.code)
            switch refusal.disposition {
            case _ where isRepeated: return checking
            case .customer: return (409, "Please pay again.")
            case .rejected: return (400, "This payment cannot be accepted.")
            case .operator: return (503, "Please try again later.")
            }
        }
    }

    private func answer(_ outcome: OrderOutcome) -> (status: Int, text: String) {
        switch outcome.state {
        case .paid, .authorized: (200, "Thank you.")  // capture an authorized order, then ship
        case .actionRequired: (303, outcome.report?.address?.absoluteString ?? "")
        case .refused where outcome.report?.refusal?.origin == .operator:
            (503, "Please try again later.")
        case .refused: (402, "The payment was declined.")
        case .pending, .unknown, .partlyAuthorized, .partlyPaid, .partlyReturned, .returning,
            .returned:
            checking  // ask the gateway again, then a person
        }
    }

    private var checking: (status: Int, text: String) {
        (202, "We are checking your payment. Please do not pay again.")
    }
}
