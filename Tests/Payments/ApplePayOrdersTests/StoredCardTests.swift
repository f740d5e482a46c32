import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import Testing

@Suite("Paying an order with a stored card")
struct StoredCardTests {
    private let shop: Shop
    private let card: StoredCard

    init() throws {
        shop = try Shop(account: BooksGateway(kind: .keys, storesCards: true))
        card = try #require(Shop.card)
    }

    @Test(
        "keeps the card that the gateway stores with a token's payment, and charges it later, once an order"
    )
    func later() async throws {
        let paid = try await shop.pay()
        #expect(paid.hasDeviceNumber == true)
        #expect(
            paid.advice?.hasPrefix("The gateway stored the card by the number of a device") == true)
        let first = try #require(paid.payment)
        let stored = try #require(first.card)
        #expect(stored.details.identifier == "card-p1" && first.initiator == nil)
        #expect((stored.gateway, stored.account, stored.isTest) == ("books", "", false))
        for reference in ["order-2", "order-3", "order-3"] {
            let outcome = try await shop.payments.pay(
                stored, for: shop.order(reference), initiator: .recurring)
            #expect(outcome.state == .paid && !outcome.isAmountSigned && outcome.token == nil)
            #expect(outcome.hasDeviceNumber == nil)
            let payment = try #require(outcome.payment)
            #expect(payment.transaction == nil && payment.initiator == .recurring)
        }
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-2", "order-3"])
        #expect(try await shop.payments.state(of: "order-1")?.payment?.card == stored)
    }

    @Test("that was stored with a merchant token is warned of by nobody")
    func merchantToken() async throws {
        let token = try Shop.pki.token(to: Shop.pki.testMerchant(), named: "merchant token") {
            $0.payload.amount = 1099
            $0.payload.currencyCode = "978"
            $0.payload["merchantTokenIdentifier"] = .string("merchant-token-1")
        }
        let outcome = try await shop.payments.pay(
            Data(token.json), for: shop.order(), agePolicy: .anyAge)
        #expect(outcome.state == .paid && outcome.payment?.card != nil)
        #expect(outcome.hasDeviceNumber == false && outcome.advice == nil)
    }

    @Test("is no page: a lost answer is asked for, and found")
    func lostAnswer() async throws {
        shop.transport.next(.capture, .answerLost)
        let outcome = try await shop.payments.pay(
            card, for: shop.order(), initiator: .unscheduled)
        #expect(outcome.state == .paid && shop.books.chargeCount == 1)
    }

    @Test(
        "and a token are one order's, whichever comes first: the second sends nothing, and no token is claimed",
        arguments: [true, false])
    func both(_ isTokenFirst: Bool) async throws {
        if isTokenFirst { try await shop.pay() }
        let outcome = try await shop.payments.pay(card, for: shop.order(), initiator: .customer)
        #expect(outcome.state == .paid)
        if !isTokenFirst {
            #expect(try await shop.pay().state == .paid)
            #expect(try await shop.claim(of: "one") == nil)
        }
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.count == 1)
    }

    @Test("after a decline the order is paid by a token, in the next slot")
    func declined() async throws {
        shop.transport.next(.decline)
        let outcome = try await shop.payments.pay(card, for: shop.order(), initiator: .recurring)
        #expect(outcome.state == .refused && outcome.payment?.card == nil)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test(
        "goes on with an open attempt of a token at a gateway that gives its first answer for a key"
    )
    func takeover() async throws {
        let shop = try Shop(account: BooksGateway(kind: .identifier, storesCards: true))
        shop.transport.all(.lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(200)
        let outcome = try await shop.payments.pay(card, for: shop.order(), initiator: .recurring)
        #expect(outcome.state == .paid && shop.books.chargeCount == 1)
        #expect(Set(shop.transport.keys).count == 1)
    }

    @Test(
        "is refused before anything is recorded for another account, gateway or mode, and without stored cards"
    )
    func elsewhere() async throws {
        let details = card.details
        func reason(_ card: StoredCard, _ shop: Shop) async -> String? {
            await Courses.refusal {
                _ = try await shop.payments.pay(card, for: shop.order(), initiator: .recurring)
            }
        }
        let fault = "gateway/unsupported-value: the card is stored at"
        let here = "and this is books, account  (live)"
        for (card, place) in [
            (
                StoredCard(details, gateway: "other", account: "", isTest: false),
                "other, account  (live)"
            ),
            (
                StoredCard(details, gateway: "books", account: "second", isTest: false),
                "books, account second (live)"
            ),
            (
                StoredCard(details, gateway: "books", account: "", isTest: true),
                "books, account  (test)"
            ),
        ] {
            #expect(await reason(card, shop) == "\(fault) \(place), \(here)")
        }
        #expect(await reason(card, try Shop()) == "gateway/unsupported-operation")
        #expect(shop.transport.sent.isEmpty)
        #expect(await shop.states().isEmpty)
    }

    @Test("shows no identifier in descriptions, dumps and errors")
    func masked() throws {
        var text = "\(card) \(card.details) \(String(reflecting: card))"
        dump(card, to: &text)
        dump(card.details, to: &text)
        #expect(!text.contains("card-p0"))
    }

    @Test(
        "has an identifier of visible ASCII characters that is no card number",
        arguments: ["", "a b", "é", "4111111111111111", String(repeating: "a", count: 256)])
    func identifiers(_ text: String) {
        #expect(PaymentReport.Card(ExactText(text)) == nil)
    }

    @Test(
        "keeps a masked number only if most digits are hidden, and writes the expiry as year and month"
    )
    func display() throws {
        var card = try #require(PaymentReport.Card("c"))
        card.setNumber("4111111111111111")
        #expect(card.maskedNumber == nil)
        card.setNumber("411111******1111")
        #expect(card.maskedNumber == "411111******1111")
        card.setExpiry(year: 30, month: 1)
        #expect(card.expiry == "2030-01")
        card.setExpiry(year: 2031, month: 13)
        #expect(card.expiry == "2030-01")
    }
}
