import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrders
import Foundation
import TestVectors
import Testing

@Suite("A stored card at RBS and BPC")
struct RBSStoredCardTests {
    private static let card: PaymentReport.Card? = PaymentReport.Card(
        "01491394-63a6-7d45-a88f-7bce00a7d8c0")

    private static func gateway(_ change: (inout RBS) -> Void = { _ in }) -> RBS {
        with(ExampleMerchant(secret: "p+ss w&rd=%").rbs(.encrypted), change)
    }

    private static func order(_ change: (inout Order) -> Void = { _ in }) throws -> Order {
        try with(GatewayFixture.order(reference: "1001")) {
            $0.returnURL = "https://shop.example/r"
            $0.customerReference = "259753456"
            change(&$0)
        }
    }

    private static func fill(_ order: inout Order) {
        order.description = "Order 1001"
        order.language = "en"
        order.fee = 100
        order.customer = with(PaymentContact()) { $0.emailAddress = "jane@example.com" }
    }

    private static func marked(_ order: Order) throws -> PaymentAttempt {
        try with(GatewayFixture.attempt(order)) { $0.mark = "0123456789abcdef0123" }
    }

    private static func series(
        _ initiator: PaymentInitiator, _ order: Order, _ attempt: PaymentAttempt,
        _ change: (inout RBS) -> Void = { _ in }
    ) throws -> GatewayRequest {
        try gateway(change).payment(
            with: #require(card), by: initiator, for: order, attempt: attempt
        ).request(at: .distantPast)
    }

    static let vectors: [RequestVector] = [
        RequestVector("rbs-register-minimal") {
            let order = try Self.order()
            return try gateway().registrationRequest(order, GatewayFixture.attempt(order))
        },
        RequestVector("rbs-register-full") {
            let order = try Self.order(fill)
            let gateway = Self.gateway {
                $0.options.preAuth = true
                $0.options.additionalParameters = ["a": "1"]
            }
            return try gateway.registrationRequest(order, marked(order))
        },
        RequestVector("rbs-payment-order-binding-minimal") {
            try gateway().bindingRequest(
                #require(card), .unscheduled, "01491d0b-c848-7dd6-a20d-e96900a7d8c0")
        },
        RequestVector("rbs-recurrent-payment-minimal") {
            let order = try Self.order()
            return try series(.recurring, order, GatewayFixture.attempt(order))
        },
        RequestVector("rbs-recurrent-payment-full") {
            let order = try Self.order(fill)
            return try series(.recurring, order, marked(order)) {
                $0.options.additionalParameters = ["a": "1"]
            }
        },
        RequestVector("rbs-installment-payment-minimal") {
            let order = try Self.order()
            return try series(.instalment, order, GatewayFixture.attempt(order))
        },
    ]

    // MARK: Reading

    /// The status in BPC's manual, with the members of the card.
    private static func status(_ members: String) -> PaymentReport {
        RBS.statusReport(
            GatewayResponse(
                #"{"errorCode":"0","orderStatus":2,"orderNumber":"1001","amount":1,"currency":"978","#
                    + #""cardAuthInfo":{"maskedPan":"411111**1111","expiration":"203412","paymentSystem":"VISA"\#(members)"#
            ))
    }

    @Test("is read from the status of the order, and shown without its identifier")
    func read() throws {
        let identifier = "01491394-63a6-7d45-a88f-7bce00a7d8c0"
        let report = Self.status(
            #"},"bindingInfo":{"clientId":"259753456","bindingId":"\#(identifier)"}}"#)
        let card = try #require(report.card)
        #expect(report.fault == nil && card.identifier == ExactText(identifier))
        #expect(card.maskedNumber == "411111**1111" && card.expiry == "2034-12")
        #expect(card.network == "VISA" && card.agreement == nil)
        #expect(!"\(report) \(card)".contains(identifier))
    }

    @Test(
        "is none without a binding, or with an identifier that is a number or has spaces",
        arguments: [
            "}}", #"},"bindingInfo":{}}"#, #"},"bindingInfo":{"clientId":"1"}}"#,
            #"},"bindingInfo":{"bindingId":"4111111111111111"}}"#,
            #"},"bindingInfo":{"bindingId":"a b"}}"#, #"},"bindingInfo":{"bindingId":""}}"#,
        ])
    func none(_ members: String) {
        let report = Self.status(members)
        #expect(report.card == nil && report.fault == nil && report.meaning == .booked)
    }

    @Test("is asked for after a payment that stores it, whose answer remains if the question fails")
    func asked() async throws {
        let order = try Self.order()
        let answer =
            #"{"success":true,"data":{"orderId":"o1"},"orderStatus":{"errorCode":"0","orderNumber":"1001","#
            + #""orderStatus":2,"amount":3000,"currency":"978"}}"#
        let status =
            #"{"errorCode":"0","orderStatus":2,"orderNumber":"1001","amount":3000,"currency":"978","#
            + #""attributes":[{"name":"mdOrder","value":"o1"}],"bindingInfo":{"bindingId":"b-1"}}"#
        let gateway = Self.gateway { $0.options.storedCredential = .recurring }
        let accepted = try AcceptedPayment(
            order, GatewayFixture.attempt(order), GatewayFixture.payment().token, nil)
        for (second, identifier) in [
            (status, "b-1"), (status.replacing("o1", with: "o2"), nil), ("{}", nil),
        ] as [(String, ExactText?)] {
            let transport = ScriptedTransport([.answer(200, answer), .answer(200, second)])
            let outcome = try await transport.outcome(of: gateway.payment(accepted))
            #expect(outcome.state == .paid && outcome.report?.card?.identifier == identifier)
        }
        let plain = ScriptedTransport([.answer(200, answer)])
        #expect(try await plain.outcome(of: Self.gateway().payment(accepted)).state == .paid)
        let anonymous = try Self.order { $0.customerReference = nil }
        gateway.expectRefusal(.unsupportedLength, "clientId", of: anonymous)
    }

    // MARK: Paying

    @Test("pays a registered order, whose number is known before money moves")
    func registered() async throws {
        let order = try Self.order()
        let call = try Self.gateway().payment(
            with: #require(Self.card), by: .unscheduled, for: order, attempt: Self.marked(order))
        #expect(!call.canMoveMoney)
        guard case .next(let next) = call.read(GatewayResponse(#"{"orderId":"md-1"}"#)) else {
            Issue.record("no payment follows")
            return
        }
        #expect(next.canMoveMoney && next.attempt?.paymentID == "md-1")
        let body = GatewayFixture.body(try next.request(at: .distantPast))
        #expect(body.contains("mdOrder=md-1") && body.hasSuffix("tii=U"))
    }

    /// An order that is registered already, with other members than the payment's.
    private static func registered(_ change: (String) -> String = { $0 }) -> String {
        change(
            #"{"errorCode":"0","orderStatus":0,"orderNumber":"1001","amount":3000,"currency":"978","#
                + #""attributes":[{"name":"mdOrder","value":"md-1"}],"#
                + #""merchantOrderParams":[{"name":"orderMark","value":"0123456789abcdef0123"}]}"#)
    }

    @Test("pays an order that an interrupted call registered, and no other one")
    func interrupted() async throws {
        let order = try Self.order()
        let call = try Self.gateway().payment(
            with: #require(Self.card), by: .customer, for: order, attempt: Self.marked(order))
        let duplicate = #"{"errorCode":"1","errorMessage":"Order number is duplicated"}"#
        func reading(_ status: String) -> PaymentCall.Reading {
            guard case .next(let query) = call.read(GatewayResponse(duplicate)) else {
                return .notSent(because: "no question follows")
            }
            return query.read(GatewayResponse(status))
        }
        guard case .next(let next) = reading(Self.registered()) else {
            Issue.record("no payment follows")
            return
        }
        #expect(next.canMoveMoney && next.attempt?.paymentID == "md-1")
        for status in [
            Self.registered { $0.replacing("3000", with: "3001") },
            Self.registered { $0.replacing("978", with: "840") },
            Self.registered { $0.replacing("cdef0123", with: "cdef0124") },
            Self.registered { $0.replacing("orderMark", with: "other") },
            Self.registered { $0.replacing("mdOrder", with: "other") },
            #"{"errorCode":"6","errorMessage":"There is no such order"}"#, "{}",
        ] {
            guard case .notSent(let error) = reading(status) else {
                Issue.record("\(status) is paid")
                continue
            }
            #expect(error.code == .notSent)
        }
    }

    @Test("is not charged if the order cannot be registered", arguments: ["5", "4", "7", "99"])
    func unregistered(_ code: String) throws {
        let order = try Self.order()
        let call = try Self.gateway().payment(
            with: #require(Self.card), by: .customer, for: order, attempt: Self.marked(order))
        let answer = GatewayResponse(#"{"errorCode":"\#(code)","errorMessage":"m"}"#)
        guard case .notSent(let error) = call.read(answer) else {
            Issue.record("the payment is sent")
            return
        }
        #expect(error.reason == "The order was not registered, because of the error \(code)")
    }

    @Test(
        "is not refused by an error of its payment, except the missing right",
        arguments: [
            (#"{"errorCode":0,"info":"Operation declined."}"#, OrderOutcome.State.pending),
            (#"{"info":"Your order is proceeded, redirecting..."}"#, .pending),
            (#"{"errorCode":1,"errorMessage":"The binding is not found."}"#, .unknown),
            (#"{"errorCode":"7","errorMessage":"System error"}"#, .unknown),
            (#"{"errorCode":5,"errorMessage":"[clientId] is empty"}"#, .unknown),
            (#"{"errorCode":5,"errorMessage":"Access denied"}"#, .refused),
            (#"{"errorCode":0,"acsUrl":"https://acs.example/start"}"#, .actionRequired),
            (#"{"errorCode":0,"acsUrl":"shop://start"}"#, .unknown), ("[]", .unknown),
            (
                #"{"errorCode":0,"orderId":"o1","orderStatus":{"orderNumber":"1001","orderStatus":2,"#
                    + #""amount":3000,"currency":"978"}}"#, .paid
            ),
        ])
    func answers(_ body: String, _ state: OrderOutcome.State) throws {
        let report = RBS.cardReport(GatewayResponse(body))
        let outcome = OrderOutcome(
            report: report, attempt: try GatewayFixture.attempt(Self.order()))
        #expect(outcome.state == state, "\(outcome)")
    }

    @Test("needs a customer and a return address, and is not reserved by the merchant")
    func refusals() throws {
        let card = try #require(Self.card)
        func pay(
            _ initiator: PaymentInitiator, _ gateway: RBS, _ change: (inout Order) -> Void
        ) throws -> GatewayRequest {
            let order = try Self.order(change)
            return try gateway.payment(
                with: card, by: initiator, for: order, attempt: Self.marked(order)
            ).request(at: .distantPast)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "clientId") {
            try pay(.customer, Self.gateway()) { $0.customerReference = nil }
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "returnUrl") {
            try pay(.unscheduled, Self.gateway()) { $0.returnURL = nil }
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "feeInput") {
            try pay(.instalment, Self.gateway()) { $0.fee = 1 }
        }
        let reserving = Self.gateway { $0.options.preAuth = true }
        for initiator in PaymentInitiator.allCases where initiator != .customer {
            GatewayFixture.expectRefusal(.unsupportedValue, "preAuth") {
                try pay(initiator, reserving) { _ in }
            }
        }
        let registration = try pay(.customer, reserving) { _ in }
        #expect(registration.path == "/payment/rest/registerPreAuth.do")
        #expect(Self.gateway { $0.user = nil }.abilities.initiators.isEmpty)
    }

    // MARK: The sandbox

    private static func pay(
        _ card: StoredCard, _ initiator: PaymentInitiator, at shop: SandboxShop, _ reference: String
    ) async throws -> OrderOutcome {
        let order = try with(SandboxShop.order(3_000, reference)) { $0.customerReference = "c-1" }
        return try await shop.payments().pay(card, for: order, initiator: initiator)
    }

    @Test(
        "is stored and charged at the sandbox, and declined or unknown there",
        arguments: [
            (PaymentInitiator.customer, RBS.StoredCredential.common), (.unscheduled, .common),
            (.recurring, .recurring), (.instalment, .instalments),
        ])
    func sandbox(_ initiator: PaymentInitiator, _ stored: RBS.StoredCredential) async throws {
        let account = SandboxAccount(name: "rbs") { sandbox in
            with(SandboxAccount.rbs(sandbox)) { $0.options.storedCredential = stored }
        }
        let shop = try SandboxShop(account)
        let order = try with(SandboxShop.order(3_000, "first")) { $0.customerReference = "c-1" }
        let paid = try await shop.payments().pay(shop.token(order), for: order)
        let card = try #require(paid.payment?.card)
        #expect(paid.state == .paid && card.details.maskedNumber == "476112**0492")
        for reference in ["order-1", "order-2"] {
            let outcome = try await Self.pay(card, initiator, at: shop, reference)
            #expect(outcome.state == .paid, "\(outcome)")
        }
        #expect(try await shop.sandbox.books().count == 3)
        for (state, code) in [("expired", "101"), ("no-agreement", "239"), ("revoked", nil)]
            as [(String, ExactText?)]
        {
            let changed = try await shop.sandbox.send(
                "cards",
                [
                    "gateway": "rbs", "identifier": String(card.details.identifier),
                    "state": state,
                ])
            #expect(changed.status == 200)
            let outcome = try await Self.pay(card, initiator, at: shop, state)
            guard let code else {
                #expect(!outcome.isSettled, "\(outcome)")
                continue
            }
            #expect(outcome.state == .refused && outcome.report?.refusal?.code == code)
        }
        #expect(try await shop.sandbox.books().count == 3)
    }
}
