import ApplePayGateways
import ApplePayHTTPS
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// A merchant whose payment request can be changed before it is sent to the sandbox.
struct SandboxMerchant: Sendable {
    /// The conclusion that the library draws from an answer.
    enum Verdict: Equatable {
        case paid, refused, open
    }

    /// The account.
    let account: SandboxAccount

    /// The gateway's name.
    var gateway: String { account.name }

    /// All gateways that take payments.
    static let all = SandboxAccount.all.map(SandboxMerchant.init)

    /// Sends what comes before the payment, and returns the request that can move money.
    func message(
        _ sandbox: SandboxProcess,
        _ amount: Int64 = 3000,
        _ reference: String = "order-1"
    ) async throws -> SandboxMessage {
        let shop = try SandboxShop(account, sandbox)
        let order = try SandboxShop.order(amount, reference)
        var call = try shop.gateway.payment(shop.accepted(order))
        // The tests of signatures change requests of this time.
        let date = Date(timeIntervalSince1970: 1_795_249_800)
        while !call.canMoveMoney {
            let answer = try await shop.transport.send(call.request(at: date))
            guard case .next(let next) = call.read(answer) else {
                Issue.record("\(gateway) ends before the payment")
                break
            }
            call = next
        }
        var message = SandboxMessage(try call.request(at: date))
        message.read = { [call] in call.read($0) }
        return message
    }
}

extension SandboxMessage {
    /// Returns what the library concludes from the answer to this payment.
    func verdict(_ answer: SandboxResponse) -> SandboxMerchant.Verdict {
        guard case .outcome(let outcome)? = read?(answer.gateway) else { return .open }
        return switch outcome.state {
        case .paid, .authorized: .paid
        // bePaid's first answer does not state how much is left.
        case .pending where outcome.report?.meaning == .booked: .paid
        case .refused: .refused
        default: .open
        }
    }
}
