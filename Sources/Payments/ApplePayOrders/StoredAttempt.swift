internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The contents of an attempt's record as JSON, format 1, apart from the types of the program.
///
/// Every format stays readable for ever: TestVectors/attempts has texts of each. A member that may be absent is optional,
/// and its default is stated. Amounts are in minor units, times in seconds since 1970. A change of what is written needs a
/// new format, because programs that know only this one refuse a later one by its number.
struct StoredAttempt: Codable {
    /// The format that this version writes.
    static let format = 1

    /// The format.
    var format = Self.format
    /// The order's amount and currency, three capital letters.
    var amount: Int64
    var currency: ExactText
    /// The order's slot, and what the gateway gets for it: its reference, its key, the mark in a field of its own and the
    /// generation of the key; absent: no mark, generation 0.
    var slot: Int
    var reference: ExactText
    var key: ExactText
    var mark: ExactText?
    var keyGeneration: Int?
    /// The transactions that pay the order, 64 hexadecimal digits each, in the order in which they were claimed; absent: none.
    var transactions: [ExactText]?
    /// Absent: true.
    var isAmountSigned: Bool?
    /// The process that began the attempt, for people.
    var owner: ExactText
    /// When the first attempt in the slot began that may have sent something.
    var slotBeginning: Int64
    /// How many requests that can move money were sent, and how many the gateway answered; absent: not counted.
    var requests: Requests?
    /// How often the gateway was asked since the attempt changed; absent: 0.
    var questions: Int?
    /// The code that the customer's return from the page must contain.
    var returnCode: ExactText?
    /// The last report about the payment, without the gateway's texts.
    var report: Report?
    /// Absent: none.
    var operations: [Operation]?
    /// Absent: none.
    var decisions: [Decision]?
    /// Payments that hold money and do not pay the order, until a person decides about each; absent: none.
    var secondPayments: [SecondPayment]?
    /// Who began the payment with a stored card; absent: a token or a page pays the order.
    var initiator: ExactText?
    /// The card that the gateway stored.
    var card: Card?

    struct Requests: Codable {
        var sent: Int
        var answered: Int
        /// When the last one was counted.
        var last: Int64?
    }

    /// A report; its identifiers are absent if they are those of the attempt's row.
    struct Report: Codable {
        /// Absent: `payment`.
        var about: ExactText?
        var meaning: ExactText
        var status: ExactText?
        var paymentId: ExactText?
        var sessionId: ExactText?
        var operationId: ExactText?
        var reference: ExactText?
        var currency: ExactText?
        var ordered: Int64?
        var authorized: Int64?
        var captureRequested: Int64?
        var captured: Int64?
        var refundRequested: Int64?
        var refunded: Int64?
        var operationAmount: Int64?
        /// Absent: false.
        var hasChargeback: Bool?
        var isTest: Bool?
        var address: ExactText?
        var refusal: Refusal?
        /// Absent: false.
        var canBeAsked: Bool?
        var fault: ExactText?
    }

    struct Refusal: Codable {
        var code: ExactText?
        var origin: ExactText
    }

    struct Operation: Codable {
        var name: ExactText
        var kind: ExactText
        /// Absent: all that remained.
        var requested: Int64?
        var amount: Int64
        var reason: ExactText?
        var isFinal: Bool?
        /// The payment's totals before the operation.
        var captured: Int64
        var refunded: Int64
        var beginning: Int64
        /// Absent while it is sent.
        var outcome: Outcome?
    }

    struct Outcome: Codable {
        var state: ExactText
        var reason: ExactText?
        var report: Report?
    }

    struct Decision: Codable {
        var state: ExactText
        var paymentId: ExactText?
        var operation: ExactText?
        var person: ExactText
        var reason: ExactText
        var time: Int64
    }

    struct SecondPayment: Codable {
        var paymentId: ExactText?
    }

    struct Card: Codable {
        var identifier: ExactText
        var maskedNumber: ExactText?
        var expiry: ExactText?
        var network: ExactText?
        var agreement: ExactText?
    }
}

// MARK: Reading

extension StoredAttempt {
    /// Reads the contents of a row.
    ///
    /// - Throws: `replay/ledger-unavailable`, with the record's serial, and the format if it is a later one.
    init(_ row: AttemptRecord) throws(PaymentError) {
        struct Format: Decodable { let format: Int }
        let text = Data(row.contents.utf8)
        if let stored = try? JSONDecoder().decode(Self.self, from: text),
            stored.format == Self.format
        {
            self = stored
            return
        }
        let format = (try? JSONDecoder().decode(Format.self, from: text))?.format ?? 0
        guard format > Self.format else { throw Self.unreadable(row) }
        throw PaymentError(
            .ledgerUnavailable,
            reason:
                "the record \(row.serial) has format \(format), and this version reads only format \(Self.format); "
                + "upgrade ApplePayToken")
    }

    /// Returns the error for a record that cannot be read; a backup would lack the records after it.
    static func unreadable(_ row: AttemptRecord) -> PaymentError {
        PaymentError(
            .ledgerUnavailable,
            reason:
                "the record \(row.serial) cannot be read; keep the ledger, and look for the payment in the gateway's books"
        )
    }

    /// Returns the contents for a row; nil if one of the texts is not known or a number is not possible.
    func contents(of row: AttemptRecord) -> OrderRecord.Contents? {
        guard let currency = Currency(alphabetic: currency), (1...Limits.count).contains(slot),
            (0...Limits.count).contains(questions ?? 0),
            (0...Limits.count).contains(keyGeneration ?? 0),
            (0...Limits.count).contains(requests?.sent ?? 0),
            (0...Limits.count).contains(requests?.answered ?? 0),
            let transactions = Self.all(
                transactions ?? [], { TransactionIdentifier(hexadecimal: String($0)) }),
            let operations = Self.all(operations ?? [], { $0.operation(row) }),
            let decisions = Self.all(decisions ?? [], { $0.decision }),
            let initiators = Self.all(initiator.map { [$0] } ?? [], { PaymentInitiator($0) })
        else { return nil }
        var attempt = PaymentAttempt(
            orderReference: row.reference, amount: amount, currency: currency, slot: slot,
            reference: reference, key: key, paymentID: row.paymentID, sessionID: row.sessionID,
            isAmountSigned: isAmountSigned ?? true)
        attempt.mark = mark
        attempt.keyGeneration = keyGeneration ?? 0
        var contents = OrderRecord.Contents(
            attempt: attempt, transactions: transactions, owner: owner,
            slotBeginning: Date(timeIntervalSince1970: Double(slotBeginning)),
            initiator: initiators.first)
        contents.questionCount = questions ?? 0
        contents.returnCode = returnCode
        contents.operations = operations
        contents.decisions = decisions
        for second in secondPayments ?? [] {
            guard contents.addSecond(second.paymentId) else { return nil }
        }
        if let requests {
            contents.requests = .init(
                sent: requests.sent, answered: requests.answered,
                last: requests.last.map { Date(timeIntervalSince1970: Double($0)) })
        }
        contents.card = card?.card
        if let report {
            guard let read = report.report(row) else { return nil }
            contents.report = read
        }
        return contents
    }

    private static func all<Stored, Value>(
        _ stored: [Stored], _ read: (Stored) -> Value?
    ) -> [Value]? {
        let values = stored.compactMap(read)
        return values.count == stored.count ? values : nil
    }
}

extension StoredAttempt.Report {
    fileprivate func report(_ row: AttemptRecord) -> PaymentReport? {
        guard let meaning = PaymentReport.Meaning(meaning) else { return nil }
        var report = PaymentReport(
            gateway: row.account.gateway,
            about: about.map { .init(rawValue: $0) } ?? .payment)
        report.meaning = meaning
        report.status = status
        report.paymentID = paymentId ?? row.paymentID
        report.sessionID = sessionId ?? row.sessionID
        report.operationID = operationId
        report.reference = reference
        report.currency = currency
        report.ordered = ordered
        report.authorized = authorized
        report.captureRequested = captureRequested
        report.captured = captured
        report.refundRequested = refundRequested
        report.refunded = refunded
        report.operationAmount = operationAmount
        report.hasChargeback = hasChargeback ?? false
        report.isTest = isTest
        report.address = address.flatMap { URL(string: String($0)) }
        report.canBeAsked = canBeAsked ?? false
        report.fault = fault
        if let refusal {
            guard let origin = PaymentReport.Refusal.Origin(refusal.origin) else {
                return nil
            }
            report.refusal = PaymentReport.Refusal(code: refusal.code, origin: origin)
        }
        return report
    }
}

extension StoredAttempt.Operation {
    fileprivate func operation(_ row: AttemptRecord) -> RecordedOperation? {
        guard let kind = PaymentOperation.Kind(kind) else { return nil }
        var operation = PaymentOperation(kind, amount: requested, name: name)
        operation.reason = reason
        operation.isFinal = isFinal
        var read = RecordedOperation(
            operation: operation, amount: amount, captured: captured, refunded: refunded,
            beginning: Date(timeIntervalSince1970: Double(beginning)))
        if let outcome {
            guard let state = OperationOutcome.State(outcome.state) else { return nil }
            read.outcome = OperationOutcome(
                state, outcome.report?.report(row), outcome.reason)
        }
        return read
    }
}

extension StoredAttempt.Decision {
    fileprivate var decision: RecordedDecision? {
        AttemptRecord.State(state).map {
            RecordedDecision(
                state: $0, paymentID: paymentId, operation: operation, person: person,
                reason: reason,
                time: Date(timeIntervalSince1970: Double(time)))
        }
    }
}

extension StoredAttempt.Card {
    /// The card; nil for an identifier that is none.
    fileprivate var card: PaymentReport.Card? {
        var card = PaymentReport.Card(identifier)
        card?.maskedNumber = maskedNumber
        card?.expiry = expiry
        card?.network = network
        card?.agreement = agreement
        return card
    }

    fileprivate init(_ card: PaymentReport.Card) {
        self.init(
            identifier: card.identifier, maskedNumber: card.maskedNumber, expiry: card.expiry,
            network: card.network, agreement: card.agreement)
    }
}

// MARK: Writing

extension StoredAttempt {
    /// Creates the contents of a record.
    init(_ record: OrderRecord) {
        let (contents, attempt) = (record.contents, record.attempt)
        self.init(
            amount: attempt.amount, currency: attempt.currency.alphabetic, slot: attempt.slot,
            reference: attempt.reference, key: attempt.key, owner: contents.owner,
            slotBeginning: contents.slotBeginning.secondsSince1970)
        transactions =
            contents.transactions.isEmpty
            ? nil : contents.transactions.map { ExactText($0.description) }
        isAmountSigned = attempt.isAmountSigned ? nil : false
        questions = contents.questionCount == 0 ? nil : contents.questionCount
        returnCode = contents.returnCode
        report = contents.report.map { Report($0, of: attempt) }
        operations =
            contents.operations.isEmpty
            ? nil : contents.operations.map { Operation($0, of: attempt) }
        decisions = contents.decisions.isEmpty ? nil : contents.decisions.map(Decision.init)
        secondPayments =
            contents.seconds.isEmpty
            ? nil : contents.seconds.map { SecondPayment(paymentId: $0.paymentID) }
        mark = attempt.mark
        keyGeneration = attempt.keyGeneration == 0 ? nil : attempt.keyGeneration
        let requests = contents.requests
        self.requests =
            requests == .init()
            ? nil
            : Requests(
                sent: requests.sent, answered: requests.answered,
                last: requests.last?.secondsSince1970)
        initiator = contents.initiator.map { ExactText($0.rawValue) }
        card = contents.card.map(Card.init)
    }
}

extension StoredAttempt.Report {
    fileprivate init(_ report: PaymentReport, of attempt: PaymentAttempt) {
        self.init(meaning: ExactText(report.meaning.rawValue))
        about = report.about == .payment ? nil : report.about.rawValue
        status = report.status
        paymentId = report.paymentID == attempt.paymentID ? nil : report.paymentID
        sessionId = report.sessionID == attempt.sessionID ? nil : report.sessionID
        operationId = report.operationID
        reference = report.reference
        currency = report.currency
        ordered = report.ordered
        authorized = report.authorized
        captureRequested = report.captureRequested
        captured = report.captured
        refundRequested = report.refundRequested
        refunded = report.refunded
        operationAmount = report.operationAmount
        hasChargeback = report.hasChargeback ? true : nil
        isTest = report.isTest
        address = report.address.map { ExactText($0.absoluteString) }
        refusal = report.refusal.map { .init(code: $0.code, origin: ExactText($0.origin.rawValue)) }
        canBeAsked = report.canBeAsked ? true : nil
        fault = report.fault
    }
}

extension StoredAttempt.Operation {
    fileprivate init(_ recorded: RecordedOperation, of attempt: PaymentAttempt) {
        let operation = recorded.operation
        self.init(
            name: operation.name, kind: ExactText(operation.kind.rawValue),
            requested: operation.amount,
            amount: recorded.amount, reason: operation.reason, isFinal: operation.isFinal,
            captured: recorded.captured, refunded: recorded.refunded,
            beginning: recorded.beginning.secondsSince1970)
        outcome = recorded.outcome.map { outcome in
            .init(
                state: ExactText(outcome.state.rawValue), reason: outcome.reason,
                report: outcome.report.map { .init($0, of: attempt) })
        }
    }
}

extension StoredAttempt.Decision {
    fileprivate init(_ decision: RecordedDecision) {
        self.init(
            state: ExactText(decision.state.rawValue), paymentId: decision.paymentID,
            operation: decision.operation, person: decision.person, reason: decision.reason,
            time: decision.time.secondsSince1970)
    }
}
