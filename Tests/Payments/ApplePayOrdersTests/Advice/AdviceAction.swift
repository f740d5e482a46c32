import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

/// What an advice lets a shop, its customer or a person do, to the letter.
enum AdviceAction: String, CaseIterable, Sendable {
    /// Nothing is done with the order.
    case nothing
    /// The shop asks for the order's state.
    case ask
    /// The shop asks about everything that is due.
    case recover
    /// The customer pays the same order with another payment of Apple Pay.
    case payAgain = "pay again"
    /// The shop sends the same token for the same order again.
    case repeatPayment = "repeat the payment"
    /// The customer pays again, but only if the order certainly has no payment.
    case payIfUnpaid = "pay if certainly not paid"
    /// After the gateway refused the payment, the customer pays the changed order with its reference.
    case payChanged = "pay the changed order"
    /// The shop corrects the order, and keeps its reference.
    case correctOrder = "correct the order"
    /// The customer pays at another gateway, if this one cannot express the payment.
    case otherGateway = "pay at another gateway"
    /// The shop's decryptor takes only younger tokens.
    case lowerAge = "lower the age"
    /// The ledger in memory is replaced by one that is created as restored.
    case replaceLedger = "replace the ledger as restored"
    /// The shop waits until the order can be paid after a restore.
    case wait
    /// The shop states when it stored the order.
    case stateCreated = "state the time of creation"
    /// A person compares the payments with the gateway's own books, and decides.
    case decide
    /// As `decide`, a day after the last request.
    case decideLater = "decide a day later"
    /// A person adopts the payment that the gateway's books contain, and gives any other one of the order back there.
    case adopt
    /// A person decides that the gateway's books contain no payment, if that is so.
    case refuseLost = "decide about a lost order"
    /// A person cancels in the gateway's back office what can still be paid.
    case cancelThere = "cancel in the back office"
    /// A person gives all payments of the order back in the gateway's back office.
    case giveBack = "give back in the back office"
    /// The shop asks until an operation is decided, and repeats its operation.
    case repeatOperation = "repeat the operation"
    /// The shop repeats its operation, and begins another one with another name.
    case nameOperation = "name another operation"
    /// The shop reads all changes from the beginning.
    case readChanges = "read all changes"

    /// The place in the list.
    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The advices and reasons that were heard while advice was followed.
    struct Heard: Sendable {
        var advices: [String] = []
        var reasons: [String] = []

        mutating func hear(_ outcome: OrderOutcome?) {
            if let reason = outcome?.reason { reasons.append(String(reason)) }
        }
    }

    /// Follows the advice, and returns what was heard; the shop may have another ledger afterwards.
    func follow(in shop: inout VendorShop, _ heard: inout Heard) async throws {
        do {
            try await act(in: &shop, &heard)
        } catch let error as PaymentError {
            heard.advices.append(error.advice)
            if let reason = error.reason { heard.reasons.append(reason) }
        }
    }

    private func act(in shop: inout VendorShop, _ heard: inout Heard) async throws {
        switch self {
        case .nothing: break
        case .ask: heard.hear(try await shop.process().state(of: "order-1"))
        case .recover: try await shop.recover()
        case .payAgain:
            heard.hear(try await shop.pay("again", by: shop.process()))
            heard.hear(try await shop.pay("once more", by: shop.process()))
        case .repeatPayment:
            heard.hear(try await shop.pay("one", by: shop.process()))
        case .payIfUnpaid:
            let state = try await shop.process().state(of: "order-1")
            heard.hear(state)
            guard state == nil || state?.state == .refused || state?.state == .returned else {
                break
            }
            heard.hear(try await shop.pay("again", by: shop.process()))
        case .payChanged:
            let state = try await shop.process().state(of: "order-1")
            heard.hear(state)
            guard state?.state == .refused else { break }
            heard.hear(try await shop.pay("changed", amount: 1_299, by: shop.process()))
        case .correctOrder:
            heard.hear(try await shop.pay("changed", amount: 1_299, by: shop.process()))
        case .otherGateway: heard.hear(try await Self.payElsewhere(shop))
        case .lowerAge:
            let payments = try shop.process(with: Shop.strictDecryptor.get())
            heard.hear(try await shop.pay("again", by: payments))
        case .replaceLedger:
            shop = try shop.restored()
            heard.hear(try await shop.pay("again", by: shop.process()))
        case .wait:
            Self.letADayPass(in: shop)
            heard.hear(try await shop.pay("again", by: shop.process()))
        case .stateCreated:
            let token = try Shop.token("again")
            heard.hear(
                try await Courses.pay(
                    shop.process(), token, for: shop.order(), created: TestClock.start - 60))
        case .decide: try await Self.decide(in: shop, &heard)
        case .decideLater:
            Self.letADayPass(in: shop)
            try await Self.decide(in: shop, &heard)
        case .adopt:
            let held = shop.server.payments.filter { $0.money > 0 }
            guard let first = held.first else { return }
            heard.hear(
                try await shop.process().adopt(
                    ExactText(first.id), for: shop.order(), by: "Ada", because: "books"))
            for payment in held.dropFirst() { shop.server.giveBack(payment.id) }
        case .refuseLost:
            Self.letADayPass(in: shop)
            guard shop.server.payments.allSatisfy({ $0.money == 0 }) else { return }
            heard.hear(
                try await shop.process().resolve(
                    lost: shop.order(), by: "Ada", because: "books", isConfirmed: true))
        case .cancelThere:
            shop.server.change { books in
                for payment in books.payments where payment.status == .open {
                    books.change(payment.id) { $0.status = .expired }
                }
            }
            try await shop.recover(after: 7 * 3_600)
        case .giveBack:
            for payment in shop.server.payments where payment.money > 0 {
                shop.server.giveBack(payment.id)
            }
            heard.hear(try await shop.process().state(of: "order-1"))
        case .repeatOperation: try await Self.repeatOperation(in: shop, &heard)
        case .nameOperation:
            for (name, amount) in [("a part", Int64(500)), ("a part", 500), ("another", 300)] {
                try await Self.perform(name, amount, in: shop, &heard)
            }
        case .readChanges:
            let page = try await shop.process().changes(after: nil)
            #expect(page != nil)
        }
    }

    /// Lets more than a day pass, within which every request on its way arrives.
    private static func letADayPass(in shop: VendorShop) {
        shop.server.deliver()
        shop.clock.pass(30 * 3_600)
    }

    /// Pays with a token that the gateway cannot express, and only if it says so, at another gateway.
    private static func payElsewhere(_ shop: VendorShop) async throws -> OrderOutcome {
        do {
            return try await shop.process().pay(
                Shop.plainToken.get(), for: shop.order(), agePolicy: .anyAge)
        } catch let error as PaymentError where error.code == .cryptogramMissing {
            let name = shop.name == .bePaid ? VendorName.worldlineDirect : .bePaid
            return try await shop.pay(
                "elsewhere", by: shop.process(at: VendorServer(name.vendor, shop.clock)))
        }
    }

    /// Decides about everything of the order that is listed, as the gateway's books show it.
    private static func decide(in shop: VendorShop, _ heard: inout Heard) async throws {
        for outcome in try await Courses.open(shop.process()) {
            guard let payment = outcome.payment, payment.attempt.orderReference == "order-1"
            else { continue }
            heard.hear(outcome)
            let decision = decision(about: outcome, payment, in: shop)
            heard.hear(
                try await shop.process().resolve(
                    "order-1", serial: payment.serial, as: decision, by: "Ada", because: "books",
                    isConfirmed: true))
        }
    }

    private static func decision(
        about outcome: OrderOutcome, _ payment: RecordedPayment, in shop: VendorShop
    ) -> OrderPayments.Decision {
        if outcome.reason == OrderOutcome.secondPayment, let second = payment.secondPaymentID {
            // It does not pay the order, so the person gives it back.
            shop.server.giveBack(String(second))
            return .returned(paymentID: second)
        }
        let known = shop.server.own.first { $0.id == payment.attempt.paymentID }
        guard let one = known ?? shop.server.charges.last ?? shop.server.own.last else {
            return .refused()
        }
        if one.money > 0 { return .paid(paymentID: ExactText(one.id)) }
        return one.refunded > 0
            ? .returned(paymentID: ExactText(one.id)) : .refused(paymentID: ExactText(one.id))
    }

    /// Gives a part of the order back, or captures it if it is reserved.
    private static func perform(
        _ name: String, _ amount: Int64?, in shop: VendorShop, _ heard: inout Heard
    ) async throws {
        let payments = try shop.process()
        do {
            let state = try await payments.state(of: "order-1")?.state
            let outcome =
                state == .authorized
                ? try await payments.capture("order-1", amount: amount, operation: ExactText(name))
                : try await payments.refund(
                    "order-1", amount: amount, operation: ExactText(name), reason: "sold out")
            if let reason = outcome.reason { heard.reasons.append(String(reason)) }
        } catch {
            heard.advices.append(error.advice)
            if let reason = error.reason { heard.reasons.append(reason) }
        }
    }

    /// Performs an operation, lets a person decide what is open a day later, and repeats it.
    private static func repeatOperation(
        in shop: VendorShop, _ heard: inout Heard
    ) async throws {
        try await perform("all", nil, in: shop, &heard)
        try await perform("all", nil, in: shop, &heard)
        letADayPass(in: shop)
        try await shop.recover()
        let open = try await shop.process().state(of: "order-1")?.payment?.openOperations ?? []
        for name in open {
            let isDone = shop.server.own.contains { $0.refunded > 0 }
            _ = try await shop.process().resolve(
                "order-1", operation: name, isDone: isDone, by: "Ada", because: "books")
        }
        try await perform("all", nil, in: shop, &heard)
    }
}

extension Shop {
    /// A decryptor that takes only younger tokens than the ledger remembers.
    static let strictDecryptor = Result { try decryptor(maximumAge: 60) }

    /// A token without a cryptogram.
    static let plainToken = Result {
        Data(
            try pki.token(to: pki.testMerchant(), named: "plain") { recipe in
                recipe.payload.amount = 1_099
                recipe.payload.currencyCode = "978"
                recipe.payload["paymentData"] = .object([:])
            }.json)
    }
}
