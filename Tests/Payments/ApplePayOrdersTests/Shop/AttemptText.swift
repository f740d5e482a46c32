import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// A text of TestVectors/attempts/format-1, with the row in which a ledger stores it, and the course that leads to it.
struct AttemptText: CustomTestStringConvertible, Sendable {
    /// The name of the file, without its extension.
    let name: String
    let state: AttemptRecord.State
    var listing = AttemptRecord.Listing.none
    var paymentID: ExactText?
    var sessionID: ExactText?
    /// The state that `pay` returns for the order.
    let outcome: OrderOutcome.State
    /// Pays an order, and returns the row that the ledger has then.
    let course: @Sendable () async throws -> AttemptRecord

    var testDescription: String { name }

    /// The folder of the texts.
    static let folder = TestVectors.directory.appending(path: "attempts/format-1")

    /// The process that began the attempts in all texts.
    static let owner = "4711@shop-1"

    /// Returns the text.
    func contents() throws -> String {
        try String(contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
    }

    /// Returns a row with the text, or with another one.
    func row(_ contents: String? = nil) throws -> AttemptRecord {
        AttemptRecord(
            serial: ExactText(String(repeating: "5", count: 32)),
            version: ExactText(String(repeating: "7", count: 32)),
            reference: "order-1",
            account: AttemptAccount(gateway: "books", identifier: "", mode: .live),
            beginning: TestClock.start, change: TestClock.start, state: state, listing: listing,
            paymentID: paymentID, sessionID: sessionID, question: nil,
            contents: ExactText(try contents ?? self.contents()))
    }

    /// Returns a text as if a certain process had begun the attempt, without the library's own sentences, which can
    /// change.
    static func comparable(_ contents: String) -> String {
        contents.replacing(/"owner":"[^"]*"/, with: #""owner":"\#(owner)""#)
            .replacing(/"(fault|reason)":"[^"]*\."/) { #""\#($0.1)":"….""# }
    }

    /// Returns the text with a name.
    static func named(_ name: String) -> AttemptText {
        all.first { $0.name == name } ?? all[0]
    }

    /// All texts.
    static let all =
        written + [
            // No attempt has all members at once.
            AttemptText(
                name: "every-member", state: .returned, listing: .first, paymentID: "p1",
                sessionID: "s1", outcome: .unknown, course: { try named("every-member").row() })
        ]

    /// The texts that this version writes.
    static let written = [
        AttemptText(name: "claimed", state: .claimed, listing: .open, outcome: .paid) {
            let shop = try Shop { call, now throws(LedgerError) in
                if case .replace = call { throw LedgerError(.ledgerUnavailable) }
            }
            _ = try? await shop.pay()
            return try await shop.last()
        },
        AttemptText(name: "sending", state: .sending, listing: .open, outcome: .unknown) {
            let shop = try Shop { call, now throws(LedgerError) in
                if call.isRecord { throw LedgerError(.ledgerUnavailable) }
            }
            try await shop.pay()
            return try await shop.last()
        },
        AttemptText(
            name: "open", state: .open, listing: .open, paymentID: "p1", outcome: .partlyPaid
        ) {
            let shop = try Shop()
            shop.transport.next(.reserve)
            try await shop.pay()
            shop.books.change("p1") { ($0.authorized, $0.captured) = (600, 499) }
            for _ in 0..<2 {
                shop.clock.pass(200)
                try await shop.payments.recover()
            }
            return try await shop.last()
        },
        AttemptText(
            name: "page", state: .open, listing: .open, sessionID: "page1",
            outcome: .actionRequired
        ) {
            let shop = try Shop(account: BooksGateway(kind: .identifier, hasPages: true))
            try await shop.page()
            shop.clock.pass(200)
            try await shop.payments.recover()
            return try await shop.last()
        },
        AttemptText(name: "paid", state: .paid, paymentID: "p1", outcome: .paid) {
            let shop = try Shop()
            try await shop.pay()
            return try await shop.last()
        },
        AttemptText(name: "stored-card", state: .paid, paymentID: "p1", outcome: .paid) {
            let shop = try Shop(account: BooksGateway(kind: .keys, storesCards: true))
            _ = try await shop.payments.pay(
                #require(Shop.card), for: shop.order(), initiator: .recurring)
            return try await shop.last()
        },
        AttemptText(name: "refused", state: .refused, paymentID: "p1", outcome: .paid) {
            let shop = try Shop()
            shop.transport.next(.decline)
            try await shop.pay()
            return try await shop.last()
        },
        AttemptText(name: "second-slot", state: .paid, paymentID: "p2", outcome: .paid) {
            let shop = try Shop()
            shop.transport.next(.decline)
            try await shop.pay("one")
            try await shop.pay("two")
            return try await shop.last()
        },
        AttemptText(name: "returned", state: .returned, paymentID: "p1", outcome: .returned) {
            let shop = try Shop()
            try await shop.pay()
            shop.books.change("p1") { ($0.refunded, $0.hasChargeback) = (1099, true) }
            _ = await shop.payments.receive(shop.books.message("p1"))
            return try await shop.last()
        },
        AttemptText(name: "released", state: .released, outcome: .paid) {
            let shop = try Shop()
            shop.transport.next(.capture, .notSent)
            _ = try? await shop.pay()
            return try await shop.last()
        },
        AttemptText(name: "given-up", state: .givenUp, outcome: .paid) {
            try await givenUp().last()
        },
        AttemptText(
            name: "second-payment", state: .givenUp, listing: .first, paymentID: "p1",
            outcome: .unknown
        ) {
            let shop = try await givenUp()
            shop.transport.deliver()
            shop.clock.pass(7 * 3_600)
            try await shop.payments.recover()
            return try await shop.last()
        },
        AttemptText(
            name: "operations", state: .open, listing: .open, paymentID: "p1",
            outcome: .partlyReturned
        ) { try await operations() },
        AttemptText(
            name: "operation-sent", state: .paid, listing: .open, paymentID: "p1", outcome: .paid
        ) {
            let isBroken = Lock(false)
            let shop = try Shop { call, now throws(LedgerError) in
                if call.isWrite, now == .before, isBroken.withLock({ $0 }) {
                    throw LedgerError(.ledgerUnavailable)
                }
            }
            try await shop.pay()
            shop.transport.next(.capture, .lost)
            shop.transport.onSend { request in
                if request.movesMoney { isBroken.withLock { $0 = true } }
            }
            _ = try await shop.payments.refund("order-1", amount: 10, operation: "d")
            return try await shop.last()
        },
        AttemptText(name: "unsigned", state: .paid, paymentID: "p1", outcome: .paid) {
            let shop = try Shop(isEncrypted: true)
            _ = try await shop.payments.pay(
                Shop.token("one"), for: shop.order(amount: 5), agePolicy: .anyAge)
            return try await shop.last()
        },
    ]

    /// Returns a shop whose request was late, and given up by a person.
    private static func givenUp() async throws -> Shop {
        let shop = try Shop(.query)
        shop.transport.next(.capture, .late)
        try await shop.pay()
        shop.clock.pass(25 * 3_600)
        try await shop.decide(.refused())
        return shop
    }

    /// Returns an attempt with operations that are done, refused, decided by a person, and pending.
    private static func operations() async throws -> AttemptRecord {
        let shop = try Shop()
        shop.transport.next(.reserve)
        try await shop.pay()
        _ = try await shop.payments.capture(
            "order-1", amount: 600, operation: "ship", isFinal: false)
        _ = try await shop.payments.refund(
            "order-1", amount: 100, operation: "a", reason: "broken 4111111111111111")
        shop.transport.next(.refuse)
        _ = try await shop.payments.cancel("order-1")
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.refund("order-1", amount: 20, operation: "b")
        shop.clock.pass(86_401)
        _ = try await shop.payments.resolve(
            "order-1", operation: "b", isDone: false, by: "Ada", because: "missing")
        shop.transport.next(.wait)
        _ = try await shop.payments.refund("order-1", amount: 50, operation: "c")
        return try await shop.last()
    }

    // MARK: Texts that are not read

    /// A change that makes a text unreadable.
    struct Damage: CustomTestStringConvertible, Sendable {
        /// The name of the text.
        let name: String
        let old: String
        let new: String

        var testDescription: String { "\(old) → \(new)" }
    }

    /// Texts of a later format, of which one differs in nothing but its number and a further member.
    static let laterFormats = [
        #"{"format":2,"money":{"EUR":[1099]},"slot":"one"}"#,
        #"""
        {"amount":1099,"bonus":{"points":5},"currency":"EUR","format":2,"key":"k","owner":"o",\#
        "reference":"order-2","slot":1,"slotBeginning":1800000000}
        """#,
    ]

    /// Members that are missing, have another type, or words and numbers that no version wrote.
    static let damages = [
        Damage(name: "paid", old: #""format":1"#, new: #""format":0"#),
        Damage(name: "paid", old: #""format":1,"#, new: ""),
        Damage(name: "paid", old: "{", new: ""),
        Damage(name: "paid", old: #""amount":1099,"#, new: ""),
        Damage(name: "paid", old: #""amount":1099"#, new: #""amount":"1099""#),
        Damage(name: "paid", old: #""slot":1,"#, new: #""slot":0,"#),
        Damage(name: "paid", old: #""slot":1,"#, new: #""slot":2000000000,"#),
        Damage(
            name: "paid", old: #""currency":"EUR","format""#, new: #""currency":"euro","format""#),
        Damage(name: "paid", old: #""meaning":"booked""#, new: #""meaning":"odd""#),
        Damage(name: "open", old: #""questions":2"#, new: #""questions":-1"#),
        Damage(name: "every-member", old: #""keyGeneration":2"#, new: #""keyGeneration":-1"#),
        Damage(name: "every-member", old: #""sent":3"#, new: #""sent":-1"#),
        Damage(name: "every-member", old: #""answered":2"#, new: #""answered":2000000000"#),
        Damage(name: "claimed", old: #""transactions":[""#, new: #""transactions":["0"#),
        Damage(name: "refused", old: #""origin":"issuer""#, new: #""origin":"odd""#),
        Damage(name: "given-up", old: #""state":"given-up""#, new: #""state":"odd""#),
        Damage(name: "operations", old: #""kind":"capture""#, new: #""kind":"odd""#),
        Damage(name: "operations", old: #""state":"pending""#, new: #""state":"odd""#),
    ]
}
