import ApplePayOrders
import ApplePayTokenTesting
import Foundation
import Testing

@testable import shop

/// A transport that answers from a script, without a network.
private actor Script: GatewayTransport {
    private(set) var requests: [String] = []
    private var answers: [String?]
    /// The order's reference as the gateway got it, with the mark of its slot.
    private var reference = "order-1"

    /// Creates a script of answers; nil loses one.
    init(_ answers: [String?]) { self.answers = answers }

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        let body = request.body?.revealText() ?? ""
        if let sent = body.firstMatch(of: /order-1\.[0-9a-f]{10}/) {
            reference = String(sent.output)
        }
        let target = request.target.replacing(reference, with: "order-1.…")
        requests.append("\(request.method) \(target)")
        guard !answers.isEmpty, let answer = answers.removeFirst() else {
            throw GatewayTransportError(.connectionFailed, requestMayHaveReachedGateway: true)
        }
        return GatewayResponse(
            status: request.method == "POST" ? 201 : 200,
            body: Array(answer.replacing("order-1", with: reference).utf8))
    }
}

@Suite("The shop's own gateway")
struct ShopGatewayTests {
    private let payment =
        #"{"id":"pay_1","status":"Captured","approved":true,"amount":1099,"currency":"EUR","reference":"order-1","#
        + #""balances":{"total_captured":1099}}"#

    /// Pays an order over a script, and returns its state.
    private func pay(over script: Script) async throws -> OrderOutcome.State {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"secretKey":"s","webhookKey":"w","origin":"https://gateway.example"}"#.utf8)
            .write(to: file)
        let pki = TestPKI()
        let merchant = try pki.testMerchant("shop")
        let payments = try OrderPayments(
            decryptor: pki.decryptor(for: merchant), ledger: InMemoryLedger(),
            gateway: ShopGateway(file: file), transport: script)
        let euro = try #require(Currency(alphabetic: "EUR"))
        let token = try pki.testToken(for: merchant, TestTokenOptions(amount: 1099, currency: euro))
        return try await payments.pay(
            token, for: Order(reference: "order-1", amount: 1099, currency: euro)
        ).state
    }

    @Test("is asked after a lost answer, and the payment is not sent again")
    func lostAnswer() async throws {
        let script = Script([nil, #"{"total_count":1,"data":[\#(payment)]}"#])
        #expect(try await pay(over: script) == .paid)
        #expect(
            await script.requests == [
                "POST /payments", "GET /payments?reference=order-1.…&limit=100",
            ])
    }

    @Test("is asked for the payment that its answer names")
    func answered() async throws {
        let script = Script([
            #"{"id":"pay_1","status":"Pending","amount":1099,"currency":"EUR","reference":"order-1"}"#,
            payment,
        ])
        #expect(try await pay(over: script) == .paid)
        #expect(await script.requests == ["POST /payments", "GET /payments/pay_1"])
    }
}
