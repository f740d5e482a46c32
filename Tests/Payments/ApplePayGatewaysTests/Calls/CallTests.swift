import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

/// Calls that take several requests, each of which can fail.
@Suite("A chain of requests")
struct CallTests {
    private let merchant = ExampleMerchant(secret: "not-a-real-secret")

    private static let orderText =
        #""order":{"amount":3000,"currency":"EUR","merchant_reference":"order-1001"}"#
    private static let submit =
        #"{"operations":[{"rel":"submit-dintero-psp-applepay","method":"POST","#
        + #""href":"https://psp.example/s?a=1&access_token=t1"}]}"#
    private static let session =
        #"{"id":"P00000000.s1",\#(orderText),"transaction_id":"P00000000.t1"}"#
    private static let captured =
        #"{"id":"P00000000.t1","session_id":"P00000000.s1","status":"CAPTURED","amount":3000,"#
        + #""currency":"EUR","merchant_reference":"order-1001"}"#

    /// The requests of a payment at Dintero, each with the answer that leads to the next one.
    private static let dinteroSteps = [
        ("POST /v1/accounts/P00000000/auth/token", #"{"access_token":"a1"}"#),
        ("POST /v1/sessions", #"{"id":"P00000000.s1"}"#),
        ("POST /v1/view/P00000000.s1/payments/dintero_psp.applepay", submit),
        ("POST /s?a=1", #"{"transaction_id":"psp-1"}"#),
        ("POST /v1/sessions/P00000000.s1/pay", #"{"return_url":"shop://r"}"#),
        ("GET /v1/sessions/P00000000.s1", session),
        ("GET /v1/transactions/P00000000.t1", captured),
    ]
    /// The position of the request that moves money.
    private static let pay = 4

    private var dintero: Dintero {
        with(merchant.dintero) {
            $0.credentials = .client(id: "c", secret: merchant.secret)
        }
    }

    private func accepted() throws -> AcceptedPayment {
        try GatewayFixture.accepted {
            $0.returnURL = "https://shop.example/return"
            $0.description = "Order"
        }
    }

    private func answers(_ count: Int) -> [ScriptedTransport.Step] {
        Self.dinteroSteps.prefix(count).map { .answer(200, $0.1) }
    }

    @Test("sends each request once, with the identifiers of earlier answers")
    func success() async throws {
        let call = try dintero.payment(accepted())
        #expect(!call.canMoveMoney)
        let transport = ScriptedTransport(answers(7))
        let outcome = try await transport.outcome(of: call)
        #expect(outcome.state == .paid && outcome.report?.paymentID == "P00000000.t1")
        #expect(outcome.report?.sessionID == "P00000000.s1" && outcome.report?.isTest == false)
        #expect(transport.requests.map(\.line) == Self.dinteroSteps.map(\.0))
        let authorization = transport.requests.map { $0.header("Authorization") }
        #expect(authorization[0]?.hasPrefix("Basic ") == true)
        #expect(
            authorization.dropFirst() == ["Bearer a1", nil, "t1", nil, "Bearer a1", "Bearer a1"])
        #expect(transport.requests[4].body?.revealText().contains(#""psp-1""#) == true)
        // Every step before the payment leads to it.
        var step = call
        for position in 0..<Self.pay {
            #expect(!step.canMoveMoney, "step \(position)")
            let body = Array(Self.dinteroSteps[position].1.utf8)
            guard case .next(let next) = step.read(GatewayResponse(status: 200, body: body)) else {
                Issue.record("step \(position) is the last one")
                return
            }
            step = next
        }
        #expect(step.canMoveMoney)
        // With an access token, no login is sent.
        let short = try merchant.dintero.payment(accepted())
        let without = ScriptedTransport(Array(answers(7).dropFirst()))
        #expect(try await without.outcome(of: short).state == .paid)
        #expect(without.requests.count == 6)
    }

    private static let failures: [ScriptedTransport.Step] = [
        .notSent, .lost, .answer(401, "{}"), .answer(403, #"{"error":{"code":"c"}}"#),
        .answer(500, "{}"), .answer(502, "<html>Bad gateway</html>"), .answer(200, #"{"trunca"#),
        .answer(200, "{}"), .answer(200, ""),
    ]

    @Test("that fails before the payment sends no payment", arguments: 0..<pay, failures)
    func before(_ position: Int, _ failure: ScriptedTransport.Step) async throws {
        let transport = ScriptedTransport(answers(position) + [failure])
        let error = await #expect(throws: PaymentError.self) {
            try await transport.outcome(of: dintero.payment(accepted()))
        }
        #expect(error?.code == .notSent && error?.reason?.isEmpty == false)
        #expect(transport.rest == 0 && transport.requests.count == position + 1)
    }

    @Test("that fails at the payment reports the session", arguments: failures)
    func during(_ failure: ScriptedTransport.Step) async throws {
        let transport = ScriptedTransport(answers(Self.pay) + [failure])
        if case .notSent = failure {
            let error = await #expect(throws: PaymentError.self) {
                try await transport.outcome(of: dintero.payment(accepted()))
            }
            #expect(error?.code == .notSent)
            return
        }
        let outcome = try await transport.outcome(of: dintero.payment(accepted()))
        #expect(outcome.state == .unknown)
        #expect(outcome.report?.sessionID == "P00000000.s1" && transport.rest == 0)
        #expect(outcome.reason != nil)
    }

    @Test(
        "that fails after the payment is never reported as not sent", arguments: pay + 1..<7,
        failures)
    func after(_ position: Int, _ failure: ScriptedTransport.Step) async throws {
        let transport = ScriptedTransport(answers(position) + [failure])
        let outcome = try await transport.outcome(of: dintero.payment(accepted()))
        // A session without a transaction is not decided.
        let isOpen = if case .answer(200, "{}") = failure { position == 5 } else { false }
        #expect(outcome.state == (isOpen ? .pending : .unknown), "\(outcome.reason ?? "")")
        #expect(outcome.report?.sessionID == "P00000000.s1" && transport.rest == 0)
        if position == 6 { #expect(outcome.report?.paymentID == "P00000000.t1") }
        switch failure {
        case .lost, .notSent:
            #expect(outcome.reason?.hasPrefix("The payment was sent, and a question") == true)
        default: break
        }
    }

    @Test("at Dintero ends with a refusal in the answer to the payment, or asks")
    func dinteroRefusals() async throws {
        func outcome(
            _ pay: String, _ session: String? = nil, _ transaction: String? = nil
        ) async throws -> OrderOutcome {
            let rest = [pay, session, transaction].compactMap { $0 }
            let transport = ScriptedTransport(
                answers(Self.pay) + rest.map { .answer(200, $0) })
            let outcome = try await transport.outcome(of: dintero.payment(accepted()))
            #expect(transport.rest == 0)
            return outcome
        }
        #expect(
            try await outcome(#"{"return_url":"shop://r?error=authorization"}"#).state == .refused)
        #expect(try await outcome(#"{"success":false}"#).state == .refused)
        // The amount is authorized, although the capture failed.
        let authorized = Self.captured.replacing("CAPTURED", with: "AUTHORIZED")
        #expect(
            try await outcome(#"{"return_url":"shop://r?error=capture"}"#, Self.session, authorized)
                .state == .authorized)
        // The customer has to act, as long as nothing is decided.
        let open = #"{"id":"P00000000.s1",\#(Self.orderText)}"#
        let page = try await outcome(#"{"redirect_url":"https://bank.example/1"}"#, open)
        #expect(page.state == .actionRequired)
        #expect(page.report?.address?.absoluteString == "https://bank.example/1")
        // A question that fails does not lose the address; an answer that cannot be read decides nothing.
        for (status, body, state) in [
            (400, "{}", OrderOutcome.State.actionRequired), (503, "", .actionRequired),
            (200, "[]", .unknown),
        ] {
            let transport = ScriptedTransport(
                answers(Self.pay) + [
                    .answer(200, #"{"redirect_url":"https://bank.example/1"}"#),
                    .answer(status, body),
                ])
            let outcome = try await transport.outcome(of: dintero.payment(accepted()))
            #expect(outcome.state == state, "\(status)")
        }
        let initiated = Self.captured.replacing("CAPTURED", with: "INITIATED")
        #expect(
            try await outcome(
                #"{"redirect_url":"https://bank.example/1"}"#, Self.session, initiated
            ).state == .actionRequired)
        #expect(
            try await outcome(
                #"{"redirect_url":"https://bank.example/1"}"#, Self.session, Self.captured
            ).state == .paid)
        // A test transaction does not pay an order of the live account.
        let test = Self.captured.replacing("P0000", with: "T0000")
        #expect(
            try await outcome(
                #"{"success":true}"#, Self.session.replacing("P0000", with: "T0000"), test
            ).state == .unknown)
        // Another order's transaction does not pay this one.
        #expect(
            try await outcome(
                #"{"success":true}"#, Self.session,
                Self.captured.replacing("order-1001", with: "order-1002")
            ).state == .unknown)
    }

    @Test("asks Dintero for a transaction, a session, or a reference")
    func dinteroQueries() async throws {
        var attempt = try accepted().attempt
        func lines(_ bodies: String...) async throws -> [String] {
            let transport = ScriptedTransport(bodies.map { .answer(200, $0) })
            let call = try merchant.dintero.status(of: attempt)
            #expect(!call.canMoveMoney)
            #expect(try await transport.outcome(of: call).state == .paid)
            return transport.requests.map(\.line)
        }
        #expect(
            try await lines("[\(Self.captured)]")
                == ["GET /v1/transactions?merchant_reference=order-1001&limit=100"])
        attempt.sessionID = "P00000000.s1"
        #expect(
            try await lines(Self.session, Self.captured) == [
                "GET /v1/sessions/P00000000.s1", "GET /v1/transactions/P00000000.t1",
            ])
        attempt.paymentID = "P00000000.t1"
        #expect(try await lines(Self.captured) == ["GET /v1/transactions/P00000000.t1"])
    }

    @Test("at PayPal begins with a login for a query and a payment")
    func payPal() async throws {
        let client = with(merchant.payPal) {
            $0.credentials = .client(id: "c", secret: merchant.secret)
        }
        let order =
            #"{"id":"o1","status":"COMPLETED","purchase_units":[{"reference_id":"order-1001","payments":"#
            + #"{"captures":[{"status":"COMPLETED","amount":{"value":"30.00","currency_code":"EUR"}}]}}]}"#
        let login = ScriptedTransport.Step.answer(200, #"{"access_token":"a1"}"#)
        var attempt = try accepted().attempt
        attempt.paymentID = "o1"
        for (call, line) in [
            (try client.payment(accepted()), "POST /v2/checkout/orders"),
            (try client.status(of: attempt), "GET /v2/checkout/orders/o1"),
        ] {
            #expect(!call.canMoveMoney)
            let transport = ScriptedTransport([login, .answer(201, order)])
            #expect(try await transport.outcome(of: call).state == .paid)
            #expect(transport.requests.map(\.line) == ["POST /v1/oauth2/token", line])
            #expect(transport.requests[1].header("Authorization") == "Bearer a1")
            let refused = ScriptedTransport([.answer(401, #"{"error":"invalid_client"}"#)])
            let error = await #expect(throws: PaymentError.self) {
                try await refused.outcome(of: call)
            }
            #expect(error?.code == .notSent && error?.reason?.contains("invalid_client") == true)
            // An access token that cannot be a header.
            let odd = ScriptedTransport([.answer(200, #"{"access_token":"a\nb"}"#)])
            let other = await #expect(throws: PaymentError.self) {
                try await odd.outcome(of: call)
            }
            #expect(other?.code == .unsupportedCharacter)
        }
        let direct = try merchant.payPal.payment(accepted())
        #expect(direct.canMoveMoney)
        #expect(
            try await ScriptedTransport([.answer(201, order)]).outcome(of: direct).state == .paid)
    }

    @Test("at Worldline asks for a page, and then for its payment")
    func page() async throws {
        var attempt = try accepted().attempt
        attempt.sessionID = "page-1"
        let payment = StatusWords.worldlinePayment.replacing("STATUS", with: "CAPTURED")
            .replacing("CODE", with: "9")
        let page = #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"payment":\#(payment)}}"#
        let transport = ScriptedTransport([.answer(200, page), .answer(200, payment)])
        let outcome = try await transport.outcome(of: merchant.worldlineDirect.status(of: attempt))
        #expect(outcome.state == .paid && outcome.report?.sessionID == "page-1")
        #expect(
            transport.requests.map(\.line) == [
                "GET /v2/m-1/hostedcheckouts/page-1", "GET /v2/m-1/payments/1_0/details",
            ])
        #expect(transport.requests.allSatisfy { $0.header("Date") != nil })
        // The payment of the page is not the one that is known.
        let open = ScriptedTransport([.answer(200, #"{"status":"IN_PROGRESS"}"#)])
        let pending = try await open.outcome(of: merchant.worldlineDirect.status(of: attempt))
        #expect(pending.state == .pending && pending.report?.sessionID == "page-1")
        attempt.paymentID = "2_0"
        let known = ScriptedTransport([.answer(200, payment)])
        let other = try await known.outcome(of: merchant.worldlineDirect.status(of: attempt))
        #expect(other.state == .unknown && other.report?.sessionID == "page-1")
    }

    @Test(
        "at Worldline Connect adds up the captures and refunds that the totals leave open",
        arguments: [
            ("CAPTURED", #","amountCaptured":3000"#, "CAPTURED", "", OrderOutcome.State.paid),
            ("CAPTURED", #","amountCaptured":3000"#, "CAPTURED", "REFUNDED", .returned),
            ("CAPTURED", "", "CAPTURED", "REFUND_REQUESTED", .returning),
            ("CAPTURED", "", "", "", .paid), ("PAID", "", "PAID", "REJECTED", .paid),
            // The lists do not show what the status states.
            ("REFUNDED", "", "CAPTURED", "", .unknown), ("REVERSED", "", "", "", .unknown),
            ("REFUND_REQUESTED", #","amountCaptured":3000,"amountRefunded":0"#, "", "", .unknown),
            ("REFUNDED", "", "CAPTURED", "REFUNDED", .returned),
            ("REVERSED", "", "REVERSED", "", .returned),
            ("CAPTURED", "", "NEW", "", .unknown), ("CAPTURED", "", "CAPTURED", "NEW", .unknown),
            ("CAPTURE_REQUESTED", "", "CAPTURE_REQUESTED", "", .authorized),
            ("CAPTURE_REQUESTED", "", "", "", .authorized),
            ("CAPTURE_REQUESTED", "", "CREATED", "", .authorized),
        ])
    func connectLists(
        _ status: String, _ totals: String, _ capture: String, _ refund: String,
        _ state: OrderOutcome.State
    ) async throws {
        let amount = #""amountOfMoney":{"amount":3000,"currencyCode":"EUR"}"#
        func list(_ name: String, _ output: String, _ status: String) -> ScriptedTransport.Step {
            let one = #"{"id":"1_1","status":"\#(status)","\#(output)":{\#(amount)}}"#
            return .answer(200, #"{"\#(name)":[\#(status.isEmpty ? "" : one)]}"#)
        }
        let payment =
            #"{"id":"1","status":"\#(status)","paymentOutput":{\#(amount),"#
            + #""references":{"merchantReference":"order-1001"}\#(totals)}}"#
        let transport = ScriptedTransport([
            .answer(200, payment), list("captures", "captureOutput", capture),
            list("refunds", "refundOutput", refund),
        ])
        var attempt = try accepted().attempt
        attempt.paymentID = "1"
        let call = try merchant.worldlineConnect.status(of: attempt)
        let outcome = try await transport.outcome(of: call)
        #expect(outcome.state == state, "\(outcome.reason ?? "")")
        let lines = transport.requests.map(\.line)
        #expect(lines.first == "GET /v1/m-1/payments/1")
        #expect(lines.dropFirst().first == "GET /v1/m-1/payments/1/captures")
        if capture != "NEW" { #expect(lines.last == "GET /v1/m-1/payments/1/refunds") }
        // None of these questions can move money.
        for count in 1...2 where count == 1 || capture != "NEW" {
            let answers = [
                .answer(200, payment), list("captures", "captureOutput", capture),
            ]
            let lost = ScriptedTransport(answers.prefix(count) + [.lost])
            let error = await #expect(throws: PaymentError.self) {
                try await lost.outcome(of: call)
            }
            #expect(error?.code == .notSent)
        }
    }

    @Test("at Worldline Connect adds up what is captured, given back and disputed")
    func connectCaptures() {
        var payment = PaymentReport(gateway: "worldline-connect")
        payment.currency = "EUR"
        let captures = [
            ("CAPTURED", 1), ("CHARGEBACK_NOTIFICATION", 20), ("CHARGEBACKED", 300),
            ("REVERSED", 4000), ("CAPTURE_REQUESTED", 50000), ("REJECTED_CAPTURE", 600_000),
        ].map { status, amount in
            #"{"id":"1_1","status":"\#(status)","captureOutput":{"amountOfMoney":"#
                + #"{"amount":\#(amount),"currencyCode":"EUR"}}}"#
        }
        let answer = GatewayResponse(
            status: 200,
            body: Array(#"{"captures":[\#(captures.joined(separator: ","))]}"#.utf8))
        let report = WorldlineConnect.capturesReport(answer, payment)
        #expect(report.fault == nil && report.hasChargeback)
        #expect(report.captured == 4321 && report.captureRequested == 50000)
        #expect(report.refunded == 4300 && report.refundRequested == 20)
    }

    @Test("at Worldline Connect adds the refunds of a payment without earlier ones")
    func connectRefunds() {
        var payment = PaymentReport(gateway: "worldline-connect")
        payment.currency = "EUR"
        let refund =
            #"{"id":"1_1","status":"REFUNDED","refundOutput":{"amountOfMoney":{"amount":1,"currencyCode":"EUR"}}}"#
        for (list, total) in [("", 0), (refund, 1)] as [(String, Int64)] {
            let answer = GatewayResponse(
                status: 200, body: Array(#"{"refunds":[\#(list)]}"#.utf8))
            let report = WorldlineConnect.refundsReport(answer, payment)
            #expect(report.refunded == total && report.refundRequested == 0)
        }
    }

    @Test("creates a page of Worldline's that must be opened")
    func newPage() async throws {
        let order = try with(GatewayFixture.order()) { $0.returnURL = "https://shop.example/r" }
        let attempt = try GatewayFixture.attempt(order)
        let body =
            #"{"hostedCheckoutId":"page-1","redirectUrl":"https://payment.example/1","RETURNMAC":"mac"}"#
        for call in [
            try merchant.worldlineDirect.page(for: order, attempt: attempt),
            try merchant.worldlineConnect.page(for: order, attempt: attempt),
        ] {
            #expect(!call.canMoveMoney)
            let page = try await ScriptedTransport([.answer(201, body)]).outcome(of: call)
            #expect(page.state == .actionRequired && page.report?.sessionID == "page-1")
            #expect(page.report?.address?.absoluteString == "https://payment.example/1")
            #expect(page.report?.returnCode == "mac" && !"\(page)".contains("mac"))
            let error = #"{"errorId":"e","errors":[{"code":"21000120","message":"m"}]}"#
            let refused = try await ScriptedTransport([.answer(400, error)]).outcome(of: call)
            #expect(refused.state == .refused && refused.report?.returnCode == nil)
            #expect(refused.report?.sessionID == nil)
        }
    }

    @Test("at a card issuer continues with the consent")
    func intergiro() async throws {
        let login = ScriptedTransport.Step.answer(
            200, #"{"access_token":"a1","refresh_token":"r1"}"#)
        let consent = ScriptedTransport.Step.answer(
            412, #"{"consent":{"id":"c1","status":"pending"}}"#)
        func outcome(
            _ steps: [ScriptedTransport.Step], returnURL: String? = nil
        ) async throws -> (CardOutcome, [String]) {
            let transport = ScriptedTransport(steps)
            let outcome = try await merchant.intergiro.addCard(
                "k1", returnURL: returnURL, over: transport)
            #expect(transport.rest == 0)
            return (outcome, transport.requests.map(\.line))
        }
        let method = #"{"method":{"token":"t1","redirect_url":"https://sca.example/1"}}"#
        let (app, lines) = try await outcome([login, consent, .answer(200, method)])
        #expect(app.state == .launch && app.launchToken?.revealText() == "t1")
        #expect(app.consentID == "c1" && "\(app)" == "CardOutcome(launch)")
        #expect(
            lines == [
                "POST /v3/auth/login", "POST /v3/cards/k1/apple_pay/tokenize",
                "POST /v3/consents/c1",
            ])
        let (browser, _) = try await outcome(
            [login, consent, .answer(200, method)], returnURL: "https://shop.example/r")
        #expect(browser.state == .browser && browser.launchToken == nil)
        #expect(browser.address?.absoluteString == "https://sca.example/1")
        for (steps, state) in [
            ([.answer(401, "{}")], .refused), ([.answer(200, "{}")], .unknown),
            ([.answer(500, "")], .unknown), ([login, .answer(404, "{}")], .unknown),
            ([login, .answer(200, "{}")], .unknown),
            ([login, consent, .answer(401, "{}")], .unknown),
            ([login, consent, .answer(200, "{}")], .unknown),
        ] as [([ScriptedTransport.Step], CardOutcome.State)] {
            let (card, _) = try await outcome(steps)
            #expect(card.state == state && card.reason?.hasSuffix(".") == true)
        }
        // Nothing of it moves money, so a lost answer is an error.
        for steps in [[ScriptedTransport.Step.lost], [login, .lost], [login, consent, .notSent]] {
            let error = await #expect(throws: PaymentError.self) {
                _ = try await outcome(steps)
            }
            #expect(error?.code == .notSent)
        }
        for address in ["shop://r", "x", ""] {
            let text = #"{"method":{"redirect_url":"\#(address)"}}"#
            let (card, _) = try await outcome(
                [login, consent, .answer(200, text)], returnURL: "https://shop.example/r")
            #expect(card.state == .unknown && card.consentID == "c1")
        }
    }
}
