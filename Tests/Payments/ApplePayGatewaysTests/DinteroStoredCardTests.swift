import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrders
import Foundation
import TestVectors
import Testing

@Suite("A stored card at Dintero")
struct DinteroStoredCardTests {
    private static let identifier: ExactText = "5ff0bb3a-9f1c-4a08-9d8e-2b2d5cd1d1c7"
    private static let card = PaymentReport.Card(identifier)

    private static func gateway(
        _ options: (inout Dintero.Options) -> Void = { _ in }
    ) -> Dintero {
        let token = GatewayFixture.secret("dintero-token")
        return with(Dintero(accountID: "P12345678", credentials: .accessToken(token))) {
            options(&$0.options)
        }
    }

    private static func order(_ change: (inout Order) -> Void = { _ in }) throws -> Order {
        try with(GatewayFixture.order(20100, "NOK", reference: "order-1")) {
            $0.returnURL = "https://shop.example/r"
            change(&$0)
        }
    }

    private static func call(
        _ order: Order? = nil, mark: ExactText? = nil
    ) throws -> PaymentCall {
        let order = try order ?? Self.order()
        let attempt = try with(GatewayFixture.attempt(order)) { $0.mark = mark }
        return try gateway().payment(
            with: #require(card), by: .unscheduled, for: order, attempt: attempt)
    }

    static let vectors: [RequestVector] = [
        RequestVector("dintero-sessions-pay-minimal") {
            try call().request(at: .distantPast)
        },
        RequestVector("dintero-sessions-pay-full") {
            let order = try Self.order {
                $0.notificationURL = "https://shop.example/cb"
                $0.items = [
                    OrderItem(id: "i1", lineId: "1", description: "Item", amount: 20100)
                ]
            }
            return try call(order, mark: "0123456789abcdef0123").request(at: .distantPast)
        },
        RequestVector("dintero-get-transaction-full") {
            let gateway = Self.gateway { $0.settings = .inApp(generatesPaymentToken: true) }
            let attempt = try GatewayFixture.attempt(
                GatewayFixture.order(), paymentID: "T12345678.def")
            return try gateway.status(of: attempt).request(at: .distantPast)
        },
    ]

    private static func transaction(
        _ status: String, _ members: String = "", amount: Int = 20100
    ) -> String {
        #"{"id":"P12345678.t1","session_id":"P12345678.s1","status":"\#(status)","amount":\#(amount),"#
            + #""currency":"NOK","merchant_reference":"order-1"\#(members)}"#
    }

    @Test("is read from the transaction that the question asked for, and shown without its token")
    func read() throws {
        let members =
            #","card":{"brand":"Visa","masked_pan":"476173******0416","expiry_date":"12/2030","#
            + #""payment_token":"\#(Self.identifier)"}"#
        let report = Dintero.transactionReport(
            GatewayResponse(Self.transaction("AUTHORIZED", members)))
        let card = try #require(report.card)
        #expect(report.fault == nil && card.identifier == Self.identifier)
        #expect(card.maskedNumber == "476173******0416" && card.expiry == "2030-12")
        #expect(card.network == "Visa")
        #expect(!"\(report) \(card)".contains(String(Self.identifier)))
    }

    @Test(
        "is none without a token, and has no expiry in another form",
        arguments: [
            ("", false), (#","card":{"brand":"Visa"}"#, false),
            (#","card":{"payment_token":"4761730000000416"}"#, false),
            (#","card":{"payment_token":"t","expiry_date":"2030"}"#, true),
            (#","card":{"payment_token":"t","expiry_date":"13/2030"}"#, true),
            (#","card":{"payment_token":"t","expiry_date":"a/b/c"}"#, true),
        ])
    func parts(_ members: String, _ isCard: Bool) {
        let report = Dintero.transactionReport(
            GatewayResponse(Self.transaction("AUTHORIZED", members)))
        #expect(report.fault == nil && (report.card != nil) == isCard)
        #expect(report.card?.expiry == nil)
    }

    @Test("is charged by one request, whose mark the transaction repeats")
    func mark() throws {
        let call = try Self.call(mark: "0123456789abcdef0123")
        #expect(call.canMoveMoney)
        let answer = GatewayResponse(
            Self.transaction(
                "AUTHORIZED", #","merchant_reference_2":"0123456789abcdef0123","success":true"#))
        guard case .outcome(let outcome) = call.read(answer) else {
            Issue.record("another request follows")
            return
        }
        #expect(outcome.state == .authorized && outcome.report?.mark == "0123456789abcdef0123")
        #expect(outcome.report?.sessionID == "P12345678.s1")
    }

    @Test(
        "pays by the transaction in the answer alone",
        arguments: [
            (200, transaction("AUTHORIZED"), OrderOutcome.State.authorized),
            (200, transaction("CAPTURED"), .paid), (200, transaction("INITIATED"), .pending),
            (200, transaction("FAILED", #","success":true"#), .refused),
            (200, transaction("AUTHORIZED", amount: 1), .unknown),
            (200, #"{"success":true}"#, .unknown), (200, "[]", .unknown),
            (400, #"{"error":{"code":"c","message":"m","errors":[]},"success":false}"#, .refused),
            (400, #"{"error":{"message":"m"},"session_id":"s","success":false}"#, .refused),
            (403, #"{"message":"Forbidden"}"#, .unknown),
            (500, #"{"error":{"code":"c","message":"m","errors":[]},"success":false}"#, .unknown),
            (504, "", .unknown),
        ])
    func answers(_ status: Int, _ body: String, _ state: OrderOutcome.State) throws {
        guard
            case .outcome(let outcome) = try Self.call().read(
                GatewayResponse(body, status: status))
        else {
            Issue.record("another request follows")
            return
        }
        #expect(outcome.state == state, "\(outcome)")
    }

    @Test("is stored and charged at the sandbox, and declined or refused there")
    func sandbox() async throws {
        let account = SandboxAccount(name: "dintero") { sandbox in
            with(SandboxAccount.merchant.dintero) {
                $0.credentials = .client(id: "client", secret: SandboxAccount.merchant.secret)
                $0.origin = sandbox.origin
                $0.loginOrigin = sandbox.origin
                $0.options.settings = .inApp(generatesPaymentToken: true)
            }
        }
        let shop = try SandboxShop(account)
        let (_, paid) = try await shop.pay(3_000, "first")
        let card = try #require(paid.payment?.card)
        func pay(_ reference: String) async throws -> OrderOutcome {
            try await shop.payments().pay(
                card, for: SandboxShop.order(3_000, reference), initiator: .unscheduled)
        }
        for reference in ["order-1", "order-2"] {
            #expect(try await pay(reference).state == .authorized)
        }
        #expect(try await shop.sandbox.books().count == 3)
        for state in ["expired", "no-agreement", "revoked"] {
            let changed = try await shop.sandbox.send(
                "cards",
                [
                    "gateway": "dintero", "identifier": String(card.details.identifier),
                    "state": state,
                ])
            #expect(changed.status == 200)
            let outcome = try await pay(state)
            #expect(outcome.state == .refused, "\(outcome)")
        }
        #expect(try await shop.sandbox.books().count == 3)
    }
}
