import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

/// The states in which an order can be when somebody follows an advice.
enum AdviceSituation: String, CaseIterable, Sendable {
    /// The order has no attempt.
    case none
    /// The payer died before it could send the request.
    case claimed
    /// The payer sends the request at this moment.
    case sending
    /// The payer was killed, and the gateway has booked its request.
    case silentAndBooked = "silent, booked"
    /// The payer was killed, and its request waits in a queue.
    case silentAndHeld = "silent, in a queue"
    /// The answer was lost, and the gateway has booked the request.
    case openAndBooked = "open, booked"
    /// The request was lost.
    case openAndLost = "open, lost"
    /// The request waits in a queue, and is booked after the advice was followed.
    case openAndHeld = "open, in a queue"
    /// The request waited in a queue, and was booked after the payer's questions.
    case bookedLate = "booked late"
    /// The customer has to confirm the payment.
    case actionRequired = "action required"
    case paid
    case authorized
    /// The issuer declined the card.
    case declined
    /// The gateway refused the merchant's request.
    case refusedAccount = "refused account"
    case returned
    case partlyReturned = "partly returned"
    /// The request of a refund was lost.
    case refundLost = "refund lost"
    /// The answer to a refund was lost.
    case refundUnanswered = "refund unanswered"
    /// A person ended the attempt while its request waits in a queue.
    case givenUp = "given up, in a queue"
    /// A person ended the attempt, of which nothing will arrive.
    case givenUpLate = "given up"
    /// The connection failed before the first byte.
    case released
    /// Another channel's payment holds money, too.
    case foreignPayment = "second payment"
    /// A payment of ours was booked after the order was paid by another one.
    case latePayment = "late payment"
    /// The order was paid, and its ledger was restored from an older backup.
    case restored

    /// Returns whether the state occurs at a vendor.
    func occurs(at name: VendorName) -> Bool {
        switch self {
        case .actionRequired: VendorName.withQuestions.contains(name)
        case .authorized: name == .worldlineDirect || name.reserves
        case .returned, .partlyReturned, .refundLost, .refundUnanswered:
            VendorName.withRefunds.contains(name)
        case .foreignPayment, .latePayment:
            name == .worldlineDirect || VendorName.withSearch.contains(name)
        default: true
        }
    }

    /// How many of our payments hold money, although the library did what it guarantees.
    var charges: Int { self == .latePayment ? 2 : 1 }

    /// Returns a shop at a vendor.
    func shop(at name: VendorName) throws -> VendorShop {
        guard self == .authorized, name == .worldlineDirect else {
            return try EvidenceCoursesTests.shop(name)
        }
        var gateway = try #require(
            try WorldlineDirectServer().gateway(.first) as? WorldlineDirect)
        gateway.options.authorizationMode = .finalAuthorization
        return try VendorShop(name, gateway: gateway)
    }

    /// Brings the order `order-1` into this state, and runs `body` in it.
    func run(
        at name: VendorName, _ body: @Sendable @escaping (VendorShop) async throws -> Void
    ) async throws {
        let shop = try shop(at: name)
        guard self != .sending else { return try await Self.whileSending(shop, body) }
        try await body(try await prepare(shop))
    }

    /// Runs `body` while the first request for the payment is on its way.
    private static func whileSending(
        _ shop: VendorShop, _ body: @Sendable @escaping (VendorShop) async throws -> Void
    ) async throws {
        let begun = TestFlag()
        let failure = Lock<(any Error)?>(nil)
        shop.server.onSend { purpose in
            guard purpose == .payment, begun.raise() else { return }
            do { try await body(shop) } catch { failure.withLock { $0 = error } }
        }
        _ = try? await shop.pay()
        shop.server.onSend(nil)
        if let error = failure.withLock({ $0 }) { throw error }
        #expect(!begun.raise())
    }

    private func prepare(_ shop: VendorShop) async throws -> VendorShop {
        switch self {
        case .none, .sending: break
        case .claimed: try await shop.dieBeforeSending()
        case .silentAndBooked: try await Self.lose(shop, .killed)
        case .silentAndHeld: try await Self.lose(shop, .killedAndHeld)
        case .openAndBooked: try await Self.lose(shop, .answerLost)
        case .openAndLost: try await Self.lose(shop, .lost)
        case .openAndHeld: try await Self.lose(shop, .held(504))
        case .bookedLate:
            try await Self.lose(shop, .held(nil))
            shop.server.deliver()
        case .actionRequired:
            shop.server.next(.challenge)
            try await shop.pay()
        case .paid, .authorized: try await shop.pay()
        case .declined:
            shop.server.next(.decline)
            try await shop.pay()
        case .refusedAccount:
            shop.server.next(.refuse)
            try await shop.pay()
        case .returned: try await Self.refund(nil, shop, .answered)
        case .partlyReturned: try await Self.refund(500, shop, .answered)
        case .refundLost: try await Self.refund(nil, shop, .lost)
        case .refundUnanswered: try await Self.refund(500, shop, .answerLost)
        case .givenUp:
            try await Self.lose(shop, .held(nil))
            // Elsewhere a person has to wait for a day, within which the request arrives.
            guard VendorName.withKeys.contains(shop.name) else {
                shop.server.deliver()
                break
            }
            shop.clock.pass(3_600)
            try await shop.decide(.refused())
        case .givenUpLate:
            try await Self.lose(shop, .lost)
            shop.clock.pass(33 * 86_400)
            try await shop.decide(.refused())
        case .released:
            shop.server.all(.payment, .notSent)
            try await shop.tap("one")
            shop.server.all(.payment, nil)
        case .foreignPayment:
            try await shop.pay()
            let other = shop.server.addForeign(.accept)
            if VendorName.withMessages.contains(shop.name) {
                try await shop.receive(messageAbout: other.id)
            }
        case .latePayment: try await Self.bookLate(shop)
        case .restored:
            try await shop.pay()
            return try shop.restored()
        }
        return shop
    }

    /// Loses the answer to a payment, after which its owner counts as silent.
    private static func lose(_ shop: VendorShop, _ way: VendorServer.Way) async throws {
        shop.server.all(.payment, way)
        _ = try? await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(200)
    }

    private static func refund(
        _ amount: Int64?, _ shop: VendorShop, _ way: VendorServer.Way
    ) async throws {
        try await shop.pay()
        shop.server.next(.operation, way)
        _ = try await shop.process().refund(
            "order-1", amount: amount, operation: "first", reason: "sold out")
    }

    /// Lets a request arrive after its order was given up and paid by another one, later than any guarantee covers.
    private static func bookLate(_ shop: VendorShop) async throws {
        try await lose(shop, .held(504))
        shop.clock.pass(50 * 3_600)
        try await shop.decide(.refused())
        try await shop.pay("paying")
        shop.clock.pass(26 * 3_600)
        shop.server.deliver()
        guard VendorName.withMessages.contains(shop.name) else { return }
        for payment in shop.server.charges { try await shop.receive(messageAbout: payment.id) }
    }
}

extension VendorShop {
    /// Pays with a process that dies when it is about to record that it sends the request.
    func dieBeforeSending() async throws {
        let isDead = Lock(false)
        let ledger = TestLedger(memory, missing: missing) { call, now throws(LedgerError) in
            isDead.withLock { dead in dead = dead || call.isSending && now == .before }
            if isDead.withLock({ $0 }) { throw LedgerError(.ledgerUnavailable) }
        }
        _ = try? await pay(by: process(in: ledger))
        clock.pass(200)
    }

    /// Returns a process of the shop's with another ledger, gateway or decryptor.
    func process(
        in ledger: (any AttemptLedger)? = nil, at other: VendorServer? = nil,
        with decryptor: PaymentTokenDecryptor? = nil
    ) throws -> OrderPayments {
        let decryptor = try decryptor ?? Shop.decryptor.get()
        return try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor,
            ledger: ledger ?? TestLedger(memory, missing: missing) { _, _ in },
            gateway: try other?.vendor.gateway(.first) ?? gateway,
            transport: VendorProcess(other ?? server), time: clock.time)
    }
}
