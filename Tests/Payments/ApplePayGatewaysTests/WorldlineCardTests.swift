import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrders
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("A card that Worldline stored", .serialized, .timeLimit(.minutes(10)))
struct WorldlineCardTests {
    // MARK: Reading

    private static let token = "9511cb6c-a9b1-4d16-a576-dca13f72add3"

    /// Returns an answer to a payment of 30 euros, with members of the answer and of the payment's output.
    private static func answer(_ output: String, _ members: String = "") -> GatewayResponse {
        GatewayResponse(
            #"{\#(members)"payment":\#(payment(output))}"#, status: 201)
    }

    private static func payment(_ output: String) -> String {
        #"{"id":"1_0","status":"CAPTURED","statusOutput":{"statusCode":9},"paymentOutput":{"#
            + #""amountOfMoney":{"amount":3000,"currencyCode":"EUR"}\#(output)}}"#
    }

    /// The output of a mobile payment, with members of a platform's own.
    private static func mobile(_ members: String = "") -> String {
        #","mobilePaymentMethodSpecificOutput":{"network":"VISA","paymentProductId":302,"#
            + #""paymentData":{"dpan":"************0492","expiryDate":"1230"}\#(members)}"#
    }

    /// Returns the members of a card in their order.
    private static func members(_ card: PaymentReport.Card?) -> [ExactText?]? {
        card.map { [$0.identifier, $0.maskedNumber, $0.expiry, $0.network, $0.agreement] }
    }

    @Test("is read from Direct's answer to the payment, which alone has the token")
    func directAnswer() {
        let created = #""creationOutput":{"token":"\#(Self.token)","isNewToken":true},"#
        let report = Worldline.paymentReport(Self.answer(Self.mobile(), created), .direct)
        #expect(report.fault == nil && report.captured == 3000)
        #expect(
            Self.members(report.card)
                == [ExactText(Self.token), "************0492", "2030-12", "VISA", nil])
        let bare = Worldline.paymentReport(Self.answer("", created), .direct)
        #expect(Self.members(bare.card) == [ExactText(Self.token), nil, nil, nil, nil])
        let query = GatewayResponse(Self.payment(Self.mobile()))
        #expect(Worldline.detailsReport(query).card == nil)
        #expect(Worldline.detailsReport(query).captured == 3000)
    }

    @Test("is read from the repeated answer, whose amounts are of the past")
    func repeatedAnswer() {
        let first = Self.answer(
            Self.mobile(), #""creationOutput":{"token":"\#(Self.token)"},"#)
        let again = GatewayResponse(
            status: 201, headers: [("X-GCS-Idempotence-Request-Timestamp", "1795249800000")],
            body: first.bytes)
        let report = Worldline.paymentReport(again, .direct)
        #expect(report.isRepeated && report.captured == nil)
        #expect(report.card?.identifier == ExactText(Self.token))
    }

    @Test("is read from Direct's answers about a payment with it, whose output is that of a card")
    func directCard() throws {
        let output =
            #","cardPaymentMethodSpecificOutput":{"paymentProductId":1,"token":"\#(Self.token)","#
            + #""card":{"cardNumber":"************0492","expiryDate":"0131","cardScheme":"Visa"},"#
            + #""schemeReferenceData":"123456789012345"}"#
        let expected: [ExactText?] = [
            ExactText(Self.token), "************0492", "2031-01", "Visa", "123456789012345",
        ]
        let first = Worldline.paymentReport(Self.answer(output), .direct)
        let query = Worldline.detailsReport(GatewayResponse(Self.payment(output)))
        for report in [first, query] {
            #expect(report.fault == nil && report.captured == 3000 && report.ordered == 3000)
            #expect(Self.members(report.card) == expected)
        }
    }

    @Test("is read from all of Connect's answers, with the first scheme reference or its own")
    func connectAnswers() throws {
        let own = #","token":"\#(Self.token)","schemeTransactionId":"2""#
        for (members, agreement) in [
            (own, "2"), (own + #","initialSchemeTransactionId":"1""#, "1"),
            (#","token":"\#(Self.token)""#, nil),
        ] as [(String, ExactText?)] {
            let output = Self.mobile(members)
            let list =
                #"{"payments":[\#(Self.payment(#","references":{"merchantReference":"r"}"# + output))]}"#
            let reports = [
                Worldline.paymentReport(Self.answer(output), .connect),
                Worldline.statusReport(GatewayResponse(Self.payment(output)), .connect),
                WorldlineConnect.searchReport(GatewayResponse(list), "r"),
            ]
            let expected = [
                ExactText(Self.token), "************0492", "2030-12", "VISA", agreement,
            ]
            for report in reports { #expect(Self.members(report.card) == expected) }
        }
    }

    @Test("is read from Connect's message about the payment")
    func connectMessage() throws {
        let output = Self.mobile(#","token":"\#(Self.token)""#)
        let text =
            #"{"apiVersion":"v1","id":"e1","type":"payment.captured","merchantId":"m-1","#
            + #""payment":\#(Self.payment(output))}"#
        let contents = try SignedMessage.worldlineAccount("worldline-connect", merchantID: "m-1")
            .read(SignedMessage.worldline(text), receivedAt: SignedMessage.time)
        #expect(contents.event?.report.card?.identifier == ExactText(Self.token))
    }

    @Test(
        "is none without a token that can name it, and has no member that cannot be read",
        arguments: ["4761120010000492", "", "é", String(repeating: "t", count: 256)])
    func noCard(_ token: String) {
        let created = #""creationOutput":{"token":"\#(token)"},"#
        for platform in [Worldline.Platform.direct, .connect] {
            let none = Worldline.paymentReport(Self.answer(Self.mobile(), created), platform)
            #expect(none.card == nil && none.fault == nil)
            let output = Self.mobile(#","token":"\#(Self.token)""#)
                .replacing("************0492", with: "4761120010000492")
                .replacing("1230", with: "1330")
            let report = Worldline.paymentReport(Self.answer(output), platform)
            #expect(Self.members(report.card) == [ExactText(Self.token), nil, nil, "VISA", nil])
        }
    }

    @Test("cannot be read if a member has another type, and the payment's state is unknown")
    func malformed() throws {
        let order = try GatewayFixture.order()
        let attempt = try GatewayFixture.attempt(order)
        let report = Worldline.paymentReport(
            Self.answer(Self.mobile(), #""creationOutput":{"token":{}},"#), .direct)
        #expect(report.fault?.contains("creationOutput.token") == true)
        #expect(report.paymentID == "1_0" && report.card == nil)
        #expect(OrderOutcome(report: report, attempt: attempt).state == .unknown)
    }

    // MARK: Paying

    @Test("pays for the initiators that each platform documents, and for no others")
    func initiators() throws {
        let order = try GatewayFixture.order()
        let attempt = try GatewayFixture.attempt(order)
        let card = try WorldlineFixture.card()
        for gateway in [WorldlineFixture.direct(), WorldlineFixture.connect()]
            as [any PaymentGateway]
        {
            for initiator in PaymentInitiator.allCases {
                guard !gateway.abilities.initiators.contains(initiator) else {
                    let call = try gateway.payment(
                        with: card, by: initiator, for: order, attempt: attempt)
                    #expect(call.canMoveMoney)
                    continue
                }
                GatewayFixture.expectRefusal(.unsupportedValue, "initiator") {
                    try gateway.payment(with: card, by: initiator, for: order, attempt: attempt)
                        .request(at: .distantPast)
                }
            }
        }
        #expect(
            WorldlineFixture.direct().abilities.initiators
                == [.recurring, .instalment, .unscheduled])
        #expect(WorldlineFixture.connect().abilities.initiators == [.recurring, .unscheduled])
    }

    @Test("pays with the mark and the key of a payment with a token")
    func evidence() throws {
        let order = try GatewayFixture.order()
        for gateway in [WorldlineFixture.direct(), WorldlineFixture.connect()]
            as [any PaymentGateway]
        {
            let attempt = try PaymentAttempt(order, slot: 1, at: gateway)
            let request = try WorldlineFixture.signed(
                gateway.payment(
                    with: WorldlineFixture.card(), by: .recurring, for: order, attempt: attempt))
            let body = GatewayFixture.body(request)
            let header = request.headers.first { $0.name == "X-GCS-Idempotence-Key" }
            #expect(header?.revealValue() == attempt.key.description)
            #expect(body.contains(#""merchantReference":"\#(attempt.reference)""#))
            #expect(
                attempt.mark.map { body.contains(#""merchantParameters":"\#($0)""#) }
                    == (gateway.name == "worldline-direct" ? true : nil))
        }
    }

    // MARK: The sandbox

    /// The accounts that store the card of each payment.
    private static let storing = [
        SandboxAccount(name: "worldline-direct") { sandbox in
            with(try SandboxAccount.worldlineDirect(sandbox)) {
                $0.options.applePay = with(WorldlineDirect.ApplePayInput()) { $0.tokenize = true }
            }
        },
        SandboxAccount(name: "worldline-connect") { sandbox in
            with(try SandboxAccount.worldlineConnect(sandbox)) {
                $0.options.isRecurring = true
                $0.options.recurringPaymentSequenceIndicator = "first"
            }
        },
    ]

    /// Pays an order with a card.
    private static func pay(
        _ shop: SandboxShop, _ card: StoredCard, _ reference: String, _ amount: Int64 = 3000,
        by initiator: PaymentInitiator = .recurring
    ) async throws -> OrderOutcome {
        try await shop.payments().pay(
            card, for: SandboxShop.order(amount, reference), initiator: initiator)
    }

    @Test("pays two later orders at the sandbox, each once", arguments: storing)
    func pays(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, first) = try await shop.pay(3000)
        let card = try #require(first.payment?.card)
        #expect(card.details.maskedNumber == "************0492")
        #expect(card.details.expiry == "2030-12")
        for (reference, initiator) in [("order-2", .recurring), ("order-3", .unscheduled)]
            as [(String, PaymentInitiator)]
        {
            for _ in 1...2 {
                let outcome = try await Self.pay(shop, card, reference, by: initiator)
                #expect(outcome.state == .paid, "\(outcome)")
                #expect(outcome.payment?.initiator == initiator)
                #expect(outcome.payment?.card?.details.identifier == card.details.identifier)
                #expect(outcome.payment?.card?.details.agreement != nil)
            }
        }
        let books = try await shop.sandbox.books()
        #expect(books.count == 3 && books.allSatisfy { $0.requests == 1 }, "\(books)")
    }

    @Test("is not stored unless the payment asks for it")
    func notStored() async throws {
        for account in SandboxAccount.all where account.name.hasPrefix("worldline") {
            let (_, outcome) = try await SandboxShop(account).pay(3000)
            #expect(outcome.state == .paid && outcome.payment?.card == nil)
        }
    }

    @Test("pays an order once although the answer was lost", arguments: storing)
    func lostAnswer(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        // The lost answer is repeated for its key, or the payment is found, so the card is not lost.
        let (_, first) = try await shop.pay(SandboxAmount.errorPage)
        #expect(first.state == .paid, "\(first)")
        let card = try #require(first.payment?.card)
        let outcome = try await Self.pay(shop, card, "order-2", SandboxAmount.errorPage)
        #expect(outcome.state == .paid, "\(outcome)")
        #expect(try await shop.sandbox.books().count == 2)
    }

    @Test(
        "is refused if it expired, lacks an agreement or is not stored any more", arguments: storing
    )
    func refused(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let (_, first) = try await shop.pay(3000)
        let card = try #require(first.payment?.card)
        for (state, origin) in [
            ("expired", .issuer), ("no-agreement", .issuer), ("revoked", .operator),
        ] as [(String, PaymentReport.Refusal.Origin)] {
            let (status, _) = try await shop.sandbox.send(
                "cards",
                [
                    "gateway": account.name, "identifier": String(card.details.identifier),
                    "state": state,
                ])
            #expect(status == 200)
            let outcome = try await Self.pay(shop, card, "order-\(state)")
            #expect(outcome.state == .refused, "\(state): \(outcome)")
            #expect(outcome.report?.refusal?.origin == origin, "\(state)")
            if state == "expired", account.name == "worldline-direct" {
                #expect(outcome.report?.refusal?.code == "30541001")
            }
        }
        #expect(try await shop.sandbox.books().count == 1)
    }
}
