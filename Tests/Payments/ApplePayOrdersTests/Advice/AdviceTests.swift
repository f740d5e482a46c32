import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// D6: every advice about orders, claims and gateways, followed in every state of an order; then the books are counted.
@Suite("Advice")
struct AdviceTests {
    typealias Code = PaymentError.Code

    // MARK: What the advices let people do

    /// The advice of each code of the stages order, replay and gateway, and what it lets people do.
    ///
    /// A new code, or a changed text, fails ``codes()`` until its actions are stated here.
    static let codes: [(codes: [Code], text: String, actions: [AdviceAction])] = [
        (
            [.orderMismatch],
            "Do not charge: show the customer the order again, and ask for another payment.",
            [.payAgain]
        ),
        (
            [.invalidReference],
            "Give each order a short reference that is unique in your shop, such as its number, and keep it.",
            [.payAgain]
        ),
        (
            [.referenceChanged],
            "Do not charge, and keep the order's reference: ask for its state; after the gateway refused the payment, "
                + "this reference takes the changed order.",
            [.ask, .payChanged]
        ),
        (
            [.noPayment],
            "Check the order's reference, that this is the ledger with which it was paid, and the serial or the operation if "
                + "you named one.",
            [.ask, .decide]
        ),
        (
            [.operationOpen],
            "Ask for the order's state until that is decided, then try again.",
            [.ask, .repeatOperation]
        ),
        (
            [.decisionRefused],
            "Ask for the order's state; if it is still open, look at the payment in the gateway's own books, and decide again.",
            [.ask, .decide]
        ),
        (
            [.alreadyClaimed],
            "Do not charge: only if the order certainly has no payment, ask the customer for another one.",
            [.payIfUnpaid]
        ),
        (
            [.ledgerFull],
            "Do not charge: wait until old claims expire; a restart with another ledger would forget the orders of this one.",
            [.wait]
        ),
        (
            [.ledgerUnavailable],
            "Do not charge: keep the ledger's files, repair what the reason names, then try again.",
            [.repeatPayment, .payAgain]
        ),
        (
            [.windowTooWide],
            "Lower the decryptor's maximum age to the ledger's window, which cannot be changed.",
            [.lowerAge]
        ),
        (
            [.tooLate],
            "Do not charge: this token came too late to be claimed; only if the order certainly has no payment, ask the "
                + "customer for another one.",
            [.payIfUnpaid]
        ),
        (
            [.unsupportedEMV],
            "Remove supportsEMV from the merchantCapabilities of your page or app, and keep supports3DS: the same card then "
                + "makes a 3-D Secure payment, with which the customer can pay the same order.",
            [.payAgain]
        ),
        (
            [.cryptogramMissing, .unknownCurrency, .unsupportedTokenVersion],
            "Ask the customer for another card, or pay the same order at another gateway: this payment cannot be "
                + "expressed here.",
            [.payAgain, .otherGateway]
        ),
        (
            [.unsupportedLength, .unsupportedAmount, .unsupportedCharacter, .unsupportedValue],
            "Correct the value that the message names, in the order, the gateway's options or the customer's data, but "
                + "keep the order's reference.",
            [.correctOrder, .nameOperation]
        ),
        (
            [.tokenNotDecrypted],
            "Load the key with which the token can be decrypted, or use a gateway that takes encrypted tokens.",
            [.repeatPayment]
        ),
        (
            [.unsupportedOperation],
            "Use what the table of abilities lists for the gateway; capture, cancel or refund an existing payment in its "
                + "back office.",
            [.giveBack, .repeatOperation]
        ),
        (
            [.notSent],
            "Do what the reason says, or repair what it names, such as the network, the gateway's address or certificate, "
                + "or the account's secrets, then repeat the request; if it was a payment, the customer can also pay the same order again.",
            [.payAgain, .repeatPayment, .repeatOperation]
        ),
        (
            [.notJSON, .missingMember, .malformed],
            "Use nothing of the text: ask for the order's state, and look for a proxy that answers in the gateway's place.",
            [.ask]
        ),
        (
            [.unknownKey, .wrongSignature, .outsideWindow, .otherAccount],
            "Refuse the message, and ask for the order's state; if all messages are refused, compare key, account and clock "
                + "with the gateway's.",
            [.ask]
        ),
        (
            [.invalidKey, .unsupportedMessages],
            "Give the key for messages that the gateway's back office shows; until then ask for the state of orders.",
            [.ask]
        ),
        (
            [.orderLibraryFailure, .gatewayLibraryFailure],
            "Check the memory and the OpenSSL of this machine, then try again.",
            [.repeatPayment, .payAgain]
        ),
    ]

    /// The advices of errors that are not those of their codes, each with what it lets people do.
    private static let errors: [(errors: [PaymentError], text: String, actions: [AdviceAction])] = [
        (
            [PaymentError(.referenceChanged, reason: "its name")],
            "Repeat an operation unchanged, and give another one its own name.",
            [.repeatOperation, .nameOperation]
        ),
        (
            ["gateway", "mode", "account"].map {
                PaymentError(.referenceChanged, members: [$0], reason: "it was another one")
            },
            "Use the account at which the order was tried, with the same gateway and environment; another one can pay the "
                + "order only after that gateway refused the payment.",
            [.ask, .otherGateway]
        ),
        (
            [PaymentError(.unsupportedLength, member: "reason")],
            "Give the reason of the refund in a few words: --reason in the shell, reason over HTTP and in Swift.",
            [.repeatOperation]
        ),
        (
            [PaymentError(.unsupportedAmount, members: ["amount"], reason: "nothing is left")],
            "Ask for the order's state, which has what is reserved, captured and refunded, and begin only what it permits.",
            [.ask, .nameOperation]
        ),
        (
            [PaymentError(.unsupportedValue, member: "payment")],
            "Ask for the order's state, and repeat the operation when the gateway reports the payment.",
            [.ask, .repeatOperation]
        ),
        (
            [PaymentError(.unsupportedValue, member: "session")],
            "Ask for the order's state; if it has no payment, let your page or app create another session, for this order, its "
                + "amount and this account.",
            [.payIfUnpaid]
        ),
        (
            [PaymentError(.notSent, member: "created")],
            "State in the order's created when the shop stored it, in UTC and never the present time, or decide about an "
                + "earlier payment as the reason says; then the customer can pay the same order again.",
            [.stateCreated, .adopt, .refuseLost, .payAgain]
        ),
        (
            [
                PaymentError(.unsupportedLength, member: "reference"),
                PaymentError(.unsupportedAmount, member: "amount"),
                PaymentError(.unsupportedValue, member: "returnUrl"),
            ], Code.unsupportedValue.advice, [.correctOrder]
        ),
    ]

    /// The reasons of outcomes and errors that people read, with an ellipsis for each value, and what they let them do.
    ///
    /// A new reason fails ``reasons()`` or ``followed(_:)`` until its actions are stated here.
    static let reasons: [(actions: [AdviceAction], texts: [String])] = [
        (
            [.ask, .recover],
            [
                String(OrderOutcome.inProgress),
                "The gateway did not answer in time. The payment may have been made: ask the gateway for its status "
                    + "before anything else.",
                "HTTP status …: The text is not JSON.",
                "The request may have been sent, and its result is not known.",
                "The gateway may have repeated an answer to an earlier attempt; it has to be asked.",
                "The report is about a …, not about the payment; ask the gateway.",
                "The report is about a ….",
                "A message about a … came; the gateway cannot be asked.",
                "The gateway refused this request…, but an earlier one was not answered, and may be carried out.",
                "The gateway does not know the payment, which proves nothing: the request may still arrive.",
                "The gateway has not decided.",
                "the gateway has not reported that it was made",
                "the customer has not confirmed the payment yet",
                "it was … at the attempt, and is … now", "the order is refused",
                "The attempt was made at …, and not at …: …",
                "… does not know the payment …; look for it in that account's back office, and compare account, "
                    + "environment and origin with those of the payment", "there is no report",
                "its answer lacks what it stated before",
                "The gateway has not answered the question about the payment yet.",
                "The gateway states that money moved, but not ….",
                "The status … is not documented.",
                "The status … is not documented for a ….", "The status is not documented.",
                "The gateway states no status.", "The report is about another reference than ….",
                "The report is about another payment than ….",
                "The report is about another payment.",
                "The payment is in another currency than ….",
                "The payment is for … minor units, the order for ….",
                "The gateway states another amount: … minor units.", "The payment is a test.",
                "The payment is not a test.", "An amount is negative.",
                "More was given back than captured.",
                "More is reserved and captured than was ordered.",
                "A refund was requested, but nothing is captured.",
                "The payment has ended, but money is still reserved.",
                "The card was verified, but nothing was reserved.",
                "The status contradicts the amounts.",
                "Neither reserved nor captured money is stated.",
                "The answer to the payment was lost.", "The operation is gone.",
                "The account of the attempt is …, this one is not.",
            ]
        ),
        (
            [.payAgain, .repeatPayment],
            [
                "the gateway did not answer whether the order has a payment already, so the customer must not pay in "
                    + "another way: …",
                "the order's time is in the future by this machine's clock",
                "the gateway may have forgotten the key",
                "This process paused before it could send the request",
                "This process paused, and another one ended the attempt",
                "other calls changed the order's record again and again",
            ]
        ),
        (
            [.wait],
            [
                "\(OrderOutcome.restored): it can be paid from …",
                "an earlier request of this order may still be carried out; try again a day after it, or pay with a token "
                    + "and without a session",
            ]
        ),
        (
            [.stateCreated, .adopt, .refuseLost],
            [
                "the ledger was restored, and an earlier payment of this order cannot be asked for; state when the shop "
                    + "stored the order, adopt its payment that the gateway's books contain and give any other one back "
                    + "there, or decide that they contain none"
            ]
        ),
        (
            [.decide, .decideLater, .cancelThere],
            [
                String(OrderOutcome.secondPayment),
                "The decision that no payment was made held as long as the gateway remembered the key; decide again.",
                "an attempt pays the order, or may; decide about it first",
                "another attempt pays the order; give one payment back first",
                "nothing was sent for the attempt; nothing is to be decided",
                "the attempt is …; nothing is to be decided",
                "the operation … is …; nothing is to be decided",
                "… did not state it: …; repeat this when that is repaired, and confirm only what you saw in its back office",
                "a person must decide first about …, which holds money and does not pay the order",
                "no key protects the payment, so it may still be carried out; decide a day after it began",
                "its request may still be carried out; decide a day after it began",
                "the gateway …; if …, confirm that: --confirmed in the shell, confirmed over HTTP, isConfirmed in Swift",
                "the gateway has the payment …, which can still be made; cancel it there, or wait until it ends",
                "the gateway has the payment …; adopt it, or end it there first",
                "the ledger has an attempt of the order; decide about it by its serial",
                "a request from before the ledger was restored or created may still be carried out; decide a day after it",
                "the attempt changed meanwhile; look at it again",
                "the payment changed meanwhile; look at it again",
                "the attempt has the payment …", "the other payment is …",
                "the payment … is another order's",
                "the payment … is not one that was requested here for this order",
                "the gateway has no payment … that was requested here for this order",
                "the gateway reports money of the payment …", "the gateway reports money for it",
                "the gateway states … of the payment …", "the gateway did not answer",
                "the gateway does not state it",
            ]
        ),
        (
            [.repeatOperation, .nameOperation],
            [
                "the order is being paid", "the operation … had another kind or amount",
                "the operation … was on an earlier payment of the order",
                "… did not state how much of the payment remains: …",
                "the order is …; there is nothing for a …",
                "…; nothing is left for a …",
                "a person decided about the payment, and the gateway cannot be asked for it",
                "nothing is …", "a … has … to … minor units, which is …",
                "the gateway does this only with all of it, … minor units",
            ]
        ),
        (
            [.ask],
            [
                "no attempt of the order … has the serial …; the one that decides has …",
                "the order … has no operation with the name …",
                "the ledger has no payment of the order …; give the order's reference as it was paid, not the gateway's "
                    + "identifier",
            ]
        ),
        (
            [.correctOrder],
            ["after a refusal the order is paid with the reference …"]
        ),
        (
            [.nothing],
            [
                // Why a person decided, in these tests.
                "books", "The message is about no order of this ledger.",
                "The return is from no page of this ledger.",
                "… The message has no body: pass it on as it came.", "a record cannot be encoded",
                "the record … has format …, and this version reads only format …; upgrade ApplePayToken",
                "the record … cannot be read; keep the ledger, and look for the payment in the gateway's books",
            ]
        ),
    ]

    /// Parts of sentences, which advise nothing by themselves.
    private static let parts: Set = [
        "… of … minor units were given back", "all of the order was released or returned",
        "…: …", "…: it can be paid from …", " (…)", "how much", "in which currency",
        "for which reference", "the status …", "no status", "that there is no such payment",
        "you saw it in the gateway's books", "its books contain no such payment",
    ]

    @Test("of each code is known here, with what it lets people do")
    func codes() {
        #expect(
            Self.codes.flatMap(\.codes).sorted { $0.rawValue < $1.rawValue }
                == Code.allCases.sorted { $0.rawValue < $1.rawValue })
        for advice in Self.codes {
            for code in advice.codes {
                #expect(code.advice == advice.text, "\(code.rawValue)")
            }
        }
        for advice in Self.errors {
            for error in advice.errors { #expect(error.advice == advice.text, "\(error)") }
        }
    }

    @Test("of each reason in the sources is known here, with what it lets people do")
    func reasons() throws {
        let root = URL(filePath: #filePath).pathComponents.prefix { $0 != "Tests" }
        let sources = URL(filePath: root.joined(separator: "/")).appending(path: "Sources/Payments")
        let orders = try FileManager.default.contentsOfDirectory(
            at: sources.appending(path: "ApplePayOrders"), includingPropertiesForKeys: nil)
        let outcomes = ["OrderOutcome", "OperationOutcome"].map {
            sources.appending(path: "ApplePayGateways/Model/\($0).swift")
        }
        let known = Self.reasons.flatMap(\.texts)
        var found: Set<String> = []
        for file in orders + outcomes where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                found.formUnion(Self.sentences(in: line))
            }
        }
        #expect(found.count > 60)
        let unknown = found.subtracting(Self.parts).filter { sentence in
            !known.contains { $0.hasPrefix(sentence) }
        }
        #expect(unknown.isEmpty)
    }

    /// Returns the texts with several words in a line of Swift, without continuations, with an ellipsis for each value.
    private static func sentences(in line: Substring) -> [String] {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), !code.hasPrefix("+") else { return [] }
        var (texts, text, depth) = ([String](), String?.none, 0)
        var rest = code
        while let character = rest.popFirst() {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if character == "\\", rest.first == "(", text != nil {
                rest.removeFirst()
                depth = 1
                text?.append("…")
            } else if character == "\"" {
                if let text { texts.append(text) }
                text = text == nil ? "" : nil
            } else {
                text?.append(character)
            }
        }
        return texts.filter { $0.contains(" ") && $0.contains(where: \.isLetter) }
    }

    // MARK: The books

    /// Follows an advice in a state of an order, then those that it led to, and returns what is wrong afterwards.
    static func faults(
        after action: AdviceAction, in situation: AdviceSituation, at name: VendorName
    ) async throws -> [String] {
        try await faults(in: situation, at: name) { shop, heard in
            try await action.follow(in: &shop, &heard)
            // What was answered is an advice, too.
            let next = heard
            let known = codes.map { ($0.text, $0.actions) } + errors.map { ($0.text, $0.actions) }
            for advice in Set(next.advices) {
                for action in known.first(where: { $0.0 == advice })?.1 ?? [] {
                    try await action.follow(in: &shop, &heard)
                }
            }
        }
    }

    /// Runs `body` in a state of an order, and returns what is wrong afterwards.
    static func faults(
        in situation: AdviceSituation, at name: VendorName,
        _ body:
            @Sendable @escaping (inout VendorShop, inout AdviceAction.Heard) async throws ->
            Void
    ) async throws -> [String] {
        let end = Lock<(VendorShop, serials: Set<ExactText>, AdviceAction.Heard)?>(nil)
        try await situation.run(at: name) { shop in
            var (shop, heard) = (shop, AdviceAction.Heard())
            let serials = await Set(shop.memory.attempts(of: "order-1").map(\.serial))
            let memory = shop.memory
            try await body(&shop, &heard)
            let isKept = shop.memory === memory
            let state = (shop, isKept ? serials : [], heard)
            end.withLock { $0 = state }
        }
        let (shop, serials, heard) = try #require(end.withLock { $0 })
        // What is under way arrives, what is due is asked about, and the customer taps again.
        shop.server.deliver()
        try await shop.settle()
        _ = try? await shop.tap("last")
        try await shop.settle()
        return try await count(shop, serials, situation) + unknown(heard)
    }

    /// Returns what is wrong with the books or with the ledger.
    private static func count(
        _ shop: VendorShop, _ serials: Set<ExactText>, _ situation: AdviceSituation
    ) async throws -> [String] {
        let end = try await shop.end()
        var faults: [String] = []
        if end.charges > situation.charges { faults.append("\(end.charges) charges") }
        if shop.server.own.contains(where: { $0.refunded > $0.captured }) {
            faults.append("more given back than captured")
        }
        let isRestored = shop.missing != nil
        let kept = await Set(shop.memory.attempts(of: "order-1").map(\.serial))
        if !serials.isSubset(of: kept) { faults.append("a record is lost") }
        let money = shop.server.payments.filter { $0.money > 0 }.count
        let agrees =
            switch end.state {
            case .paid, .authorized, .partlyPaid, .partlyReturned, .partlyAuthorized: money == 1
            case .refused, .returned: end.charges == 0
            // A restored ledger knows nothing of the order until it was asked for.
            case nil: end.charges == 0 || isRestored
            case .pending, .returning, .actionRequired, .unknown: false
            }
        if !agrees, !end.isListed {
            faults.append("\(end.charges) charges are recorded as \(end.state?.rawValue ?? "none")")
        }
        return faults
    }

    /// Returns the reasons that were heard and are not known here.
    private static func unknown(_ heard: AdviceAction.Heard) -> [String] {
        heard.reasons.filter { reason in
            !reasons.contains { $0.texts.contains { matches(reason, $0) } }
        }.map { "unknown: \($0)" }
    }

    /// Returns whether a reason is a text of ``reasons`` with its values.
    private static func matches(_ reason: String, _ text: String) -> Bool {
        var rest = reason[...]
        let parts = text.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }

    @Test(
        "charges nothing twice, and loses no payment and no record",
        arguments: AdviceAction.allCases)
    func followed(_ action: AdviceAction) async throws {
        for (number, situation) in AdviceSituation.allCases.enumerated() {
            let vendors = VendorName.allCases.filter(situation.occurs)
            // Unless long tests run, each state occurs at one vendor, and each vendor in some of them.
            let one = vendors[(number + action.number) % vendors.count]
            for name in LongTest.step == 1 ? vendors : [one] {
                let faults = try await Self.faults(after: action, in: situation, at: name)
                #expect(faults.isEmpty, "\(situation.rawValue), \(name.rawValue)")
            }
        }
    }

    // MARK: What these tests find

    @Test(
        "to give the order a new reference would be found to charge twice",
        arguments: [
            AdviceSituation.openAndBooked, .openAndHeld, .silentAndHeld, .bookedLate, .paid,
            .givenUp,
        ])
    func newReference(_ situation: AdviceSituation) async throws {
        for name in [VendorName.worldlineDirect, .bePaid, .cyberSource]
        where situation != .givenUp || VendorName.withKeys.contains(name) {
            let faults = try await Self.faults(in: situation, at: name) { shop, _ in
                try await shop.pay("again", reference: "order-2", by: shop.process())
            }
            #expect(faults.contains("2 charges"), "\(name.rawValue)")
        }
    }

    @Test("to create another ledger would be found to charge twice")
    func anotherLedger() async throws {
        for name in [VendorName.worldlineDirect, .adyen] {
            let faults = try await Self.faults(in: .paid, at: name) { shop, _ in
                shop = try shop.restored(isMarked: false)
                shop.clock.pass(33 * 86_400)
                try await shop.pay("again", by: shop.process())
            }
            #expect(faults.contains("2 charges"), "\(name.rawValue)")
        }
    }

    @Test("to give a refund back once more would be found")
    func secondRefund() async throws {
        let faults = try await Self.faults(in: .refundUnanswered, at: .bePaid) { shop, _ in
            let id = try #require(shop.server.own.first?.id)
            shop.server.change { _ = $0.refund(id, 1_099, operation: "again") }
        }
        #expect(faults.contains("more given back than captured"))
    }
}
