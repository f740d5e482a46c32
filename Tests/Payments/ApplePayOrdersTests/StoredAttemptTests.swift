import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

/// What a ledger stores of an attempt, in texts of format 1 that stay readable for ever.
@Suite("A stored attempt")
struct StoredAttemptTests {
    /// The order of all texts.
    private static let order = "order-1"

    private let start = TestClock.start

    // MARK: Every text

    @Test("has a row for each text of the folder")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: AttemptText.folder.path())
        #expect(Set(files) == Set(AttemptText.all.map { "\($0.name).json" }))
    }

    @Test(
        "is written with the same text as it was when its format was made",
        arguments: AttemptText.written)
    func written(_ text: AttemptText) async throws {
        let row = try await text.course()
        #expect(
            AttemptText.comparable(String(row.contents))
                == AttemptText.comparable(try text.contents()))
        #expect(row.state == text.state && row.listing == text.listing)
        #expect(row.paymentID == text.paymentID && row.sessionID == text.sessionID)
        #expect(row.reference == Self.order && row.account.gateway == "books")
    }

    @Test("is read, and written again with the same text", arguments: AttemptText.written)
    func readAndWritten(_ text: AttemptText) throws {
        var record = try OrderRecord(text.row())
        // A change of the contents, although an equal one, encodes them.
        record.contents.questionCount += 0
        #expect(record.row.contents.isEmpty)
        let row = try record.encoded()
        #expect(row.contents == (try text.contents()))
        #expect(row == (try text.row()))
    }

    @Test(
        "loses no member that the format has when it is read and written",
        arguments: AttemptText.all)
    func everyMember(_ text: AttemptText) throws {
        let stored = try StoredAttempt(text.row())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let written = String(decoding: try encoder.encode(stored), as: UTF8.self)
        #expect(written == (try text.contents()))
    }

    @Test(
        "keeps the order's amount, reference, key, slot, owner and transactions",
        arguments: AttemptText.written)
    func attempt(_ text: AttemptText) throws {
        let record = try OrderRecord(text.row())
        let slot = text.name == "second-slot" ? 2 : 1
        var expected = try PaymentAttempt(
            Order(
                reference: ExactText(Self.order), amount: text.name == "unsigned" ? 5 : 1099,
                currency: try #require(Currency(alphabetic: "EUR"))), slot: slot,
            at: BooksGateway(kind: .query))
        expected.paymentID = text.paymentID
        expected.sessionID = text.sessionID
        expected.isAmountSigned = !["page", "stored-card", "unsigned"].contains(text.name)
        #expect(record.attempt == expected)
        #expect(record.contents.owner == AttemptText.owner)
        #expect(record.contents.slotBeginning == start)
        let token = slot == 2 ? "two" : "one"
        let transaction = try PaymentToken(parsing: Shop.token(token)).transactionId
        #expect(
            record.contents.transactions.map(\.description)
                == (["page", "stored-card"].contains(text.name) ? [] : [transaction]))
        #expect(record.state == text.state)
    }

    @Test(
        "gives the order its state, and permits another payment only if it ended without one",
        arguments: AttemptText.all)
    func outcome(_ text: AttemptText) async throws {
        let shop = try Shop(account: BooksGateway(kind: .query, hasPages: true))
        let row = try text.row()
        var first = row
        (first.state, first.listing) = (.claimed, .open)
        #expect(try await shop.memory.begin(first, claiming: nil, after: nil))
        #expect(try await shop.memory.replace(first, with: row, freeing: []))
        // The owner of an attempt that had sent nothing is gone.
        shop.clock.pass(200)
        let order = try OrderRecord(row).attempt
        let outcome = try await shop.payments.pay(
            Shop.token("new", amount: Int(order.amount)),
            for: shop.order(amount: order.amount), agePolicy: .anyAge)
        #expect(outcome.state == text.outcome)
        let isPaidAgain =
            [.claimed, .refused, .released, .givenUp].contains(text.state)
            && text.listing != .first
        #expect(shop.transport.sent.count == (isPaidAgain ? 1 : 0))
        #expect((outcome.payment?.serial == row.serial) == !isPaidAgain)
    }

    // MARK: Each text

    private func contents(_ name: String) throws -> OrderRecord.Contents {
        try OrderRecord(AttemptText.named(name).row()).contents
    }

    @Test(
        "of which nothing was heard has neither report, operations nor decisions",
        arguments: ["claimed", "sending", "released"])
    func unheard(_ name: String) throws {
        let contents = try contents(name)
        #expect(contents.report == nil && contents.returnCode == nil && contents.seconds.isEmpty)
        #expect(contents.operations.isEmpty && contents.decisions.isEmpty)
        #expect(contents.questionCount == 0)
    }

    /// Returns a report of the test gateway's about the payment `p1`.
    private func report(
        _ meaning: PaymentReport.Meaning, _ status: ExactText, authorized: Int64 = 0,
        captured: Int64 = 0, refunded: Int64 = 0
    ) -> PaymentReport {
        var report = PaymentReport(gateway: "books")
        (report.meaning, report.status, report.paymentID) = (meaning, status, "p1")
        (report.reference, report.currency, report.ordered) = ("order-1", "EUR", 1099)
        (report.authorized, report.captured, report.refunded) = (authorized, captured, refunded)
        report.canBeAsked = true
        return report
    }

    @Test("keeps the amounts of a payment that is partly captured, and the number of questions")
    func open() throws {
        let contents = try contents("open")
        #expect(
            contents.report == report(.booked, "authorized", authorized: 600, captured: 499))
        #expect(contents.questionCount == 2)
    }

    @Test("keeps the address of a page and the code of the customer's return")
    func page() throws {
        let contents = try contents("page")
        #expect(contents.returnCode == "code1" && contents.questionCount == 1)
        var expected = PaymentReport(gateway: "books")
        (expected.meaning, expected.status) = (.awaitingCustomer, "open")
        (expected.sessionID, expected.reference) = ("page1", "order-1")
        (expected.currency, expected.ordered) = ("EUR", 1099)
        expected.address = URL(string: "https://books.example/pages/page1")
        expected.canBeAsked = true
        #expect(contents.report == expected)
    }

    @Test("keeps the report that the order is paid")
    func paid() throws {
        #expect(try contents("paid").report == report(.booked, "captured", captured: 1099))
    }

    @Test("keeps a refusal, its code and its origin, without the gateway's text")
    func refused() throws {
        var expected = report(.refused, "declined")
        expected.refusal = PaymentReport.Refusal(code: "05", origin: .issuer)
        #expect(try contents("refused").report == expected)
        #expect(try !AttemptText.named("refused").contents().contains("secret"))
    }

    @Test("keeps a chargeback")
    func returned() throws {
        var expected = report(.booked, "captured", captured: 1099, refunded: 1099)
        expected.hasChargeback = true
        let record = try OrderRecord(AttemptText.named("returned").row())
        #expect(record.contents.report == expected)
        #expect(record.outcome.returnCause == .chargeback)
    }

    @Test("keeps a person's decision")
    func givenUp() throws {
        let record = try OrderRecord(AttemptText.named("given-up").row())
        #expect(
            record.contents.decisions == [
                RecordedDecision(
                    state: .givenUp, paymentID: nil, operation: nil, person: "Ada", reason: "empty",
                    time: start + 90_007)
            ])
        #expect(record.outcome.reason == "empty")
        #expect(record.contents.report?.fault != nil && record.contents.report?.paymentID == nil)
    }

    @Test("keeps money that does not pay the order, with the decision before it")
    func secondPayment() throws {
        let record = try OrderRecord(AttemptText.named("second-payment").row())
        #expect(!record.contents.seconds.isEmpty && record.isOpen)
        #expect(record.contents.decisions.map(\.state) == [.givenUp])
        #expect(record.contents.report == report(.booked, "captured", captured: 1099))
        #expect(record.outcome.reason == OrderOutcome.secondPayment)
    }

    @Test("keeps each operation with its amount, the totals before it and its outcome")
    func operations() throws {
        let operations = try contents("operations").operations
        #expect(operations.map(\.operation.name) == ["ship", "a", "cancellation", "b", "c"])
        #expect(
            operations.map(\.operation.kind) == [
                .capture, .refund, .cancellation, .refund, .refund,
            ])
        #expect(operations.map(\.operation.amount) == [600, 100, nil, 20, 50])
        #expect(operations.map(\.amount) == [600, 100, 499, 20, 50])
        #expect(operations.map(\.captured) == [0, 600, 600, 600, 600])
        #expect(operations.map(\.refunded) == [0, 0, 100, 100, 100])
        #expect(operations.map(\.operation.isFinal) == [false, nil, nil, nil, nil])
        #expect(operations.map(\.operation.reason) == [nil, "broken …", nil, nil, nil])
        #expect(
            operations.map { $0.outcome?.state } == [.done, .done, .refused, .refused, .pending])
        #expect(operations.map(\.isOpen) == [false, false, false, false, true])
        #expect(
            operations.map { $0.beginning.timeIntervalSince(start) } == [0, 0, 0, 0, 86_401])
        var done = PaymentReport(gateway: "books", about: .refund)
        (done.meaning, done.paymentID) = (.booked, "p1")
        (done.operationID, done.operationAmount) = ("o2", 100)
        #expect(operations[1].outcome?.report == done)
        #expect(operations[2].outcome?.report?.refusal?.origin == .operator)
        #expect(operations[3].outcome?.report == nil)
        let decisions = try contents("operations").decisions
        #expect(decisions.map(\.operation) == ["b"])
        let sent = try contents("operation-sent").operations
        #expect(sent.map { $0.outcome == nil } == [true] && sent.map(\.isOpen) == [true])
    }

    @Test("keeps every member that the format has")
    func allMembers() throws {
        let text = AttemptText.named("every-member")
        let (stored, record) = (try StoredAttempt(text.row()), try OrderRecord(text.row()))
        #expect(stored.mark == "m-1" && stored.keyGeneration == 2)
        #expect(stored.requests?.sent == 3 && stored.requests?.answered == 2)
        #expect(stored.secondPayments?.map(\.paymentId) == ["p9"])
        let card = stored.card
        #expect(card?.identifier == "card-1" && card?.maskedNumber == "400000******0002")
        #expect(card?.expiry == "2031-12" && card?.network == "visa" && card?.agreement == "a-1")
        #expect(record.attempt.slot == 2 && record.attempt.reference == "order-1.r2")
        #expect(!record.attempt.isAmountSigned && !record.contents.seconds.isEmpty)
        #expect(
            record.contents.transactions.map(\.description) == [
                String(repeating: "0a", count: 32), String(repeating: "0b", count: 32),
            ])
        #expect(record.payment.transaction == record.contents.transactions.last)
        #expect(record.contents.slotBeginning == start && record.contents.questionCount == 7)
        #expect(record.contents.returnCode == "code1")
        var expected = PaymentReport(gateway: "books", about: .chargeback)
        (expected.meaning, expected.status) = (.refused, "odd")
        (expected.paymentID, expected.sessionID, expected.operationID) = ("p8", "s8", "o8")
        (expected.reference, expected.currency, expected.ordered) = ("order-1.r2", "EUR", 1)
        (expected.authorized, expected.captureRequested, expected.captured) = (2, 3, 4)
        (expected.refundRequested, expected.refunded, expected.operationAmount) = (5, 6, 7)
        (expected.hasChargeback, expected.isTest, expected.canBeAsked) = (true, false, true)
        expected.address = URL(string: "https://books.example/pages/page1?a=1&b=%20")
        expected.refusal = PaymentReport.Refusal(code: "05", origin: .customer)
        expected.fault = "a fault"
        #expect(record.contents.report == expected)
        let operation = try #require(record.contents.operations.first)
        #expect(record.contents.operations.count == 1)
        #expect(operation.operation.kind == .cancellation && operation.operation.name == "n")
        #expect(operation.operation.amount == 8 && operation.operation.isFinal == true)
        #expect(operation.operation.reason == "why" && operation.amount == 9)
        #expect(operation.captured == 10 && operation.refunded == 11)
        #expect(operation.beginning == start + 12)
        #expect(operation.outcome?.state == .refused && operation.outcome?.reason == "because")
        #expect(operation.outcome?.report?.refusal?.origin == .issuer)
        // Identifiers that are absent are those of the attempt.
        #expect(operation.outcome?.report?.paymentID == "p1")
        #expect(operation.outcome?.report?.about == .cancellation)
        #expect(
            record.contents.decisions == [
                RecordedDecision(
                    state: .returned, paymentID: nil, operation: "n", person: "Ada",
                    reason: "given back",
                    time: start + 13)
            ])
    }

    @Test("keeps the defaults of members that are absent")
    func fewestMembers() throws {
        let text = #"""
            {"amount":1099,"currency":"EUR","format":1,"key":"k","owner":"o","reference":"order-1",\#
            "report":{"meaning":"undocumented"},"slot":1,"slotBeginning":1800000000}
            """#
        let record = try OrderRecord(AttemptText.named("open").row(text))
        #expect(record.attempt.isAmountSigned && record.contents.transactions.isEmpty)
        #expect(record.contents.operations.isEmpty && record.contents.decisions.isEmpty)
        #expect(record.contents.questionCount == 0 && record.contents.returnCode == nil)
        #expect(record.contents.seconds.isEmpty)
        var expected = PaymentReport(gateway: "books")
        expected.paymentID = "p1"
        #expect(record.contents.report == expected)
    }

    @Test("keeps members that this version does not use when it changes a record")
    func unusedMembers() throws {
        let text = AttemptText.named("every-member")
        var record = try OrderRecord(text.row())
        record.contents.questionCount += 0
        #expect(try record.encoded().contents == text.contents())
    }

    // MARK: Texts that are not read

    /// A ledger with the attempts of three orders, of which the second order has one of a later format.
    private func later(_ contents: String) async throws -> (Shop, AttemptRecord) {
        let shop = try Shop(.query)
        shop.transport.all(.lost, questions: .lost)
        for number in 1...3 { try await shop.pay("\(number)", reference: "order-\(number)") }
        shop.transport.all(nil)
        let row = try await shop.last("order-2")
        var changed = row.next(at: shop.clock.now)
        changed.contents = ExactText(contents)
        #expect(try await shop.memory.replace(row, with: changed, freeing: []))
        return (shop, changed)
    }

    @Test(
        "of a later format is refused with its number and the record's serial, and hides no other one",
        arguments: AttemptText.laterFormats)
    func laterFormat(_ contents: String) async throws {
        let (shop, row) = try await later(contents)
        let reason =
            "the record \(row.serial) has format 2, and this version reads only format 1; upgrade ApplePayToken"
        let calls: [() async throws -> Void] = [
            { try await shop.pay("four", reference: "order-2") },
            { _ = try await shop.payments.state(of: "order-2") },
            { _ = try await shop.payments.refund("order-2") },
            {
                _ = try await shop.payments.resolve(
                    "order-2", serial: row.serial, as: .refused(), by: "Ada", because: "empty",
                    isConfirmed: true)
            },
            { _ = try await shop.payments.openPayments() },
        ]
        for call in calls {
            await #expect {
                try await call()
            } throws: { error in
                let error = error as? PaymentError
                return error?.code == .ledgerUnavailable && error?.reason == reason
            }
        }
        #expect(try await shop.last("order-2") == row)
        #expect(shop.transport.sent.count == 3)
        let listed = try await OrderPayments.openPayments(
            in: shop.memory, limit: 10, at: shop.clock.now)
        #expect(
            listed.results.compactMap { try? $0.get().payment?.attempt.orderReference } == [
                "order-1", "order-3",
            ])
        let failures = listed.results.compactMap { result in
            if case .failure(let error) = result { error.reason } else { nil }
        }
        #expect(failures == [reason])
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        shop.clock.pass(61)
        let recovery = try await shop.payments.recover()
        #expect(recovery.failed == 1 && recovery.asked == 2)
        #expect(try await shop.pay("four", reference: "order-4").state == .paid)
    }

    @Test(
        "of the same order in a later format prevents another attempt, and answers messages with 503"
    )
    func laterAttempt() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.decline)
        try await shop.pay("one")
        let row = try await shop.last()
        var changed = row.next(at: shop.clock.now)
        changed.contents = ExactText(AttemptText.laterFormats[0])
        #expect(try await shop.memory.replace(row, with: changed, freeing: []))
        #expect(await Shop.refusal { try await shop.pay("two") } == "replay/ledger-unavailable")
        #expect(shop.transport.sent.count == 1)
        #expect(try await shop.claim(of: "two") == nil)
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
    }

    @Test(
        "that is damaged is refused with the record's serial, and a sentence about backups",
        arguments: AttemptText.damages)
    func damaged(_ damage: AttemptText.Damage) throws {
        let text = AttemptText.named(damage.name)
        let contents = try text.contents().replacing(damage.old, with: damage.new)
        #expect(try contents != text.contents())
        let row = try text.row(contents)
        #expect {
            try OrderRecord(row)
        } throws: { error in
            let error = error as? PaymentError
            return error?.code == .ledgerUnavailable
                && error?.reason
                    == "the record \(row.serial) cannot be read; keep the ledger, and look for the payment in the gateway's books"
        }
    }
}
