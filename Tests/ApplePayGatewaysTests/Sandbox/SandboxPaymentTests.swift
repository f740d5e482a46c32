import ApplePayGateways
import ApplePayToken
import Foundation
import Testing

@Suite("Payments at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxPaymentTests {
    @Test("succeed for every other amount", arguments: SandboxMerchant.all)
    func success(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        for (index, amount) in [1, 71_929, 40_201, 999_999_990].enumerated() {
            let message = try await merchant.message(sandbox, Int64(amount), "order-\(index)")
            let answer = try await message.send(to: sandbox)
            #expect(try merchant.verdict(answer.gateway) == .paid, "\(amount) \(answer.text)")
        }
    }

    @Test("are declined in the gateway's own format", arguments: SandboxMerchant.all)
    func decline(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        let message = try await merchant.message(sandbox, 40_200)
        let answer = try await message.send(to: sandbox)
        #expect(try merchant.verdict(answer.gateway) == .refused, "\(answer.text)")
        guard merchant.isFounding else { return }
        let status = try await merchant.status(answer, message, "order-1").send(to: sandbox)
        #expect(status.text.uppercased().contains(/DECLINED|REJECTED|"FAILED"/), "\(status.text)")
    }

    @Test("wait for the customer, who confirms or declines", arguments: SandboxMerchant.all)
    func customer(_ merchant: SandboxMerchant) async throws {
        for (index, decision) in ["confirm", "decline"].enumerated() {
            let sandbox = try SandboxProcess()
            let message = try await merchant.message(sandbox, 30_300, "order-\(index)")
            let answer = try await message.send(to: sandbox)
            #expect(try merchant.verdict(answer.gateway) == .open, "\(answer.text)")
            let address = try #require(answer.customerURL(of: sandbox), "\(answer.text)")
            guard merchant.isFounding else { continue }
            let waiting = try await status(merchant, answer, message, "order-\(index)", sandbox)
            #expect(!Self.isPaid(waiting) && !Self.isDeclined(waiting), "\(waiting.text)")
            let page = String(address.dropFirst(sandbox.origin.count)) + "?decision=\(decision)"
            #expect(try await SandboxMessage("GET", page).send(to: sandbox).status == 200)
            let ended = try await status(merchant, answer, message, "order-\(index)", sandbox)
            #expect(Self.isPaid(ended) == (decision == "confirm"), "\(ended.text)")
            #expect(Self.isDeclined(ended) == (decision == "decline"), "\(ended.text)")
        }
    }

    @Test(
        "in progress are paid by the time of the status request",
        arguments: SandboxMerchant.all.filter(\.isFounding))
    func pending(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        let message = try await merchant.message(sandbox, 20_200)
        let answer = try await message.send(to: sandbox)
        #expect(try merchant.verdict(answer.gateway) == .open, "\(answer.text)")
        let ended = try await status(merchant, answer, message, "order-1", sandbox)
        #expect(Self.isPaid(ended), "\(ended.text)")
    }

    @Test("time out, and a status request finds them", arguments: SandboxMerchant.all)
    func timeOut(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        let message = try await merchant.message(sandbox, 40_800)
        let error = await #expect(throws: URLError.self) {
            try await message.send(to: sandbox, patience: 1)
        }
        #expect(error?.code == .timedOut)
        guard merchant.isFounding else { return }
        let found = try await merchant.status(nil, message, "order-1").send(to: sandbox)
        #expect(Self.isPaid(found), "\(found.text)")
    }

    @Test(
        "of a lost request were never made", arguments: SandboxMerchant.all.filter(\.isFounding))
    func lost(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        let message = try await merchant.message(sandbox, 40_801)
        await #expect(throws: URLError.self) { try await message.send(to: sandbox, patience: 1) }
        // Worldline cannot be queried by reference, and the repeated request would be lost as well.
        guard !merchant.gateway.hasPrefix("worldline") else { return }
        let found = try await merchant.status(nil, message, "order-1").send(to: sandbox)
        #expect(!Self.isPaid(found), "\(found.text)")
        #expect(found.text.contains("order-1") == false, "\(found.text)")
    }

    @Test("fail as a duplicate, with 5xx and with an HTML page", arguments: SandboxMerchant.all)
    func failures(_ merchant: SandboxMerchant) async throws {
        let sandbox = try SandboxProcess()
        let expected = [
            40_900: merchant.statuses.duplicate, 50_000: merchant.statuses.failed, 50_200: 502,
            50_300: 503,
        ]
        for (amount, status) in expected.sorted(by: { $0.key < $1.key }) {
            let message = try await merchant.message(sandbox, Int64(amount), "order-\(amount)")
            let answer = try await message.send(to: sandbox)
            #expect(answer.status == status, "\(amount) \(answer.text)")
            if amount == 50_200 {
                let error = #expect(throws: UnreadableJSONError.self) {
                    try merchant.verdict(answer.gateway)
                }
                #expect(error?.code == .notJSON)
            } else {
                #expect(try merchant.verdict(answer.gateway) == .open, "\(answer.text)")
            }
            let wait = answer.header("Retry-After")
            #expect(wait == (amount == 50_300 ? "2" : nil))
        }
    }

    private func status(
        _ merchant: SandboxMerchant,
        _ answer: SandboxResponse,
        _ message: SandboxMessage,
        _ reference: String,
        _ sandbox: SandboxProcess
    ) async throws -> SandboxResponse {
        let answer = try await merchant.status(answer, message, reference).send(to: sandbox)
        #expect(answer.status == 200)
        return answer
    }

    /// Returns whether an answer reports a payment as authorized or captured.
    private static func isPaid(_ answer: SandboxResponse) -> Bool {
        let words = /"(CAPTURED|PAID|AUTHORIZED|successful|PENDING_CAPTURE)"|"orderStatus":[12]\b/
        return answer.text.contains(words)
    }

    private static func isDeclined(_ answer: SandboxResponse) -> Bool {
        answer.text.contains(/"(REJECTED|DECLINED|failed)"|"orderStatus":6\b/)
    }
}
