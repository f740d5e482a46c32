internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// A ledger's record of an attempt to pay an order, with its contents.
struct OrderRecord: Sendable {
    /// The record as the ledger has it; what depends on ``contents`` is that of the contents when it is replaced.
    var row: AttemptRecord
    /// The contents; a change of them empties those of ``row`` until ``encoded()``, so that they are encoded only then.
    var contents: Contents { didSet { row.contents = "" } }

    /// Everything of a record that a ledger does not read; ``StoredAttempt`` is its text.
    struct Contents {
        /// The order, its slot, and the identifiers that the gateway gave.
        var attempt: PaymentAttempt
        /// The transactions that pay the order; none if the customer pays on a page, or a stored card pays it.
        var transactions: [TransactionIdentifier]
        /// The process that owns the attempt, for people.
        var owner: ExactText
        /// When the first attempt in this slot that may have sent something began: the age of the slot's key.
        let slotBeginning: Date
        /// The requests that can move money: each is counted before its first byte.
        var requests = Requests()
        /// The last report about the payment, without the gateway's texts; nil as long as there is none.
        var report: PaymentReport?
        /// The code that the customer's return from the page must contain; nil without a page.
        var returnCode: ExactText?
        /// Payments that hold money and do not pay the order, until a person decides about each.
        private(set) var seconds: [SecondPayment] = []
        /// How often the gateway was asked since the attempt changed.
        var questionCount = 0
        /// The captures, cancellations and refunds, in the order in which they began.
        var operations: [RecordedOperation] = []
        /// The decisions of people, in order.
        var decisions: [RecordedDecision] = []
        /// Who began the payment with a stored card; nil for a token or a page.
        let initiator: PaymentInitiator?
        /// The card that the gateway stored with the payment; nil as long as it stated none.
        var card: PaymentReport.Card?

        /// Requests that can move money.
        struct Requests: Hashable {
            /// How many may have been sent.
            var sent = 0
            /// How many the gateway itself answered.
            var answered = 0
            /// When the last one was counted; nil as long as there is none.
            var last: Date?
        }

        /// A payment whose money does not pay the order: another channel's, or one of an attempt that had ended without it.
        struct SecondPayment: Hashable {
            /// The gateway's identifier; nil if it gave none.
            let paymentID: ExactText?

            /// Returns whether it has an identifier, or has none like a payment without one.
            func isPayment(_ identifier: ExactText?) -> Bool {
                guard let paymentID, let identifier else { return paymentID == identifier }
                return paymentID == identifier
            }
        }

        /// Adds a payment that holds money and does not pay the order.
        ///
        /// - Returns: Whether it is stored; false if there are too many.
        @discardableResult
        mutating func addSecond(_ paymentID: ExactText?) -> Bool {
            let second = SecondPayment(paymentID: paymentID)
            if seconds.contains(where: { $0.isPayment(paymentID) }) { return true }
            guard seconds.count < Limits.seconds else { return false }
            seconds.append(second)
            return true
        }

        /// Removes a payment about which a person has decided; nil is one without an identifier.
        mutating func removeSecond(_ paymentID: ExactText?) {
            seconds.removeAll { $0.paymentID == nil || $0.isPayment(paymentID) }
        }

        /// Returns whether there is an operation with a name.
        func contains(_ name: ExactText) -> Bool {
            operations.contains { $0.operation.name == name }
        }
    }

    /// Creates the record of an attempt that begins.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - transaction: The transaction that pays the order; nil without a token.
    ///   - initiator: Who begins the payment with a stored card; nil without one.
    ///   - gateway: The gateway.
    ///   - slotBeginning: When the first attempt in the slot began that may have sent something; nil if this one is the first.
    ///   - now: The current time.
    init(
        _ attempt: PaymentAttempt, _ transaction: TransactionIdentifier?,
        _ initiator: PaymentInitiator?,
        at gateway: any PaymentGateway, slotBeginning: Date?, at now: Date
    ) {
        row = AttemptRecord(
            reference: attempt.orderReference, account: AttemptAccount(gateway),
            sessionID: attempt.sessionID, at: now, contents: "")
        contents = Contents(
            attempt: attempt, transactions: transaction.map { [$0] } ?? [],
            owner: ThisProcess.name,
            slotBeginning: slotBeginning ?? row.beginning, initiator: initiator)
    }

    /// Reads a record.
    ///
    /// - Throws: `replay/ledger-unavailable` if its contents cannot be read.
    init(_ row: AttemptRecord) throws(PaymentError) {
        self.row = row
        guard let contents = try StoredAttempt(row).contents(of: row) else {
            throw StoredAttempt.unreadable(row)
        }
        self.contents = contents
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Returns the row with the contents, to be stored.
    ///
    /// - Throws: `replay/ledger-unavailable`; a value that cannot be encoded is not known.
    func encoded() throws(PaymentError) -> AttemptRecord {
        var row = row
        row.listing =
            switch state {
            case _ where !contents.seconds.isEmpty: .first
            case .claimed, .sending, .open: .open
            case _ where contents.operations.contains(where: \.isOpen): .open
            case .paid, .refused, .returned, .released, .givenUp: .none
            }
        guard row.contents.isEmpty else { return row }
        guard let data = try? Self.encoder.encode(StoredAttempt(self)) else {
            throw PaymentError(.ledgerUnavailable, reason: "a record cannot be encoded")
        }
        row.paymentID = attempt.paymentID
        row.sessionID = attempt.sessionID
        row.contents = ExactText(utf8: data)
        return row
    }

    /// Whether the gateway or a person has yet to state how it ends, or a person has to decide about a second payment.
    var isOpen: Bool {
        switch state {
        case .claimed, .sending, .open: true
        case .paid, .refused, .returned, .released, .givenUp: !contents.seconds.isEmpty
        }
    }

    /// The order, its slot, and the identifiers that the gateway gave.
    var attempt: PaymentAttempt { contents.attempt }

    /// The state.
    var state: AttemptRecord.State { row.state }

    /// When the last request that can move money was counted, or the attempt began.
    var lastRequest: Date { contents.requests.last ?? row.beginning }

    /// Returns whether the attempt was made at a gateway's account.
    func isAt(_ gateway: any PaymentGateway) -> Bool { row.account == AttemptAccount(gateway) }

    /// Throws `order/reference-changed` for an attempt that was made at another account.
    func checkAccount(of gateway: any PaymentGateway) throws(PaymentError) {
        guard !isAt(gateway) else { return }
        throw .changed(
            "gateway", "\(row.account.description)", "\(AttemptAccount(gateway).description)")
    }

    /// Returns whether the attempt is in the same slot of the same account as another one.
    func isInSlot(of other: OrderRecord) -> Bool {
        attempt.slot == other.attempt.slot && row.account == other.row.account
    }

    /// The description of this attempt in an outcome.
    var payment: RecordedPayment {
        RecordedPayment(
            serial: row.serial, attempt: attempt, gateway: row.account.gateway,
            account: row.account.identifier, isTest: row.account.mode == .test,
            transaction: contents.transactions.last, initiator: contents.initiator,
            card: contents.card,
            secondPaymentID: contents.seconds.first?.paymentID,
            openOperations: contents.operations.filter(\.isOpen).map(\.operation.name),
            beginning: row.beginning,
            change: row.change, requestEnd: requestEnd)
    }

    /// When the last request of an attempt that a person gave up before can arrive at the latest; nil for other attempts.
    private var requestEnd: Date? {
        guard state == .givenUp, !isPage, let decision else { return nil }
        let end = lastRequest.addingTimeInterval(Limits.settling)
        return decision.time < end ? end : nil
    }

    /// That the gateway does not know the payment, and what to compare; without a full stop.
    var absence: String {
        "\(row.account.description) does not know the payment \(attempt.paymentID ?? attempt.reference); look for it in that "
            + "account's back office, and compare account, environment and origin with those of the payment"
    }

    /// The last decision of a person about the attempt if it is the reason for the state.
    var decision: RecordedDecision? { ownDecisions.last { $0.state == state } }

    /// Whether a person gave an open attempt up before.
    var isDecisionOver: Bool { state == .open && ownDecisions.last?.state == .givenUp }

    /// The decisions about the attempt itself, not about an operation or a payment that does not pay the order.
    private var ownDecisions: [RecordedDecision] {
        contents.decisions.filter { decision in
            guard let named = decision.paymentID else { return decision.operation == nil }
            return attempt.paymentID == named
        }
    }

    /// Whether the gateway may have a payment for this attempt: it sent a request, and the gateway did not reject it.
    var mayHavePayment: Bool {
        switch state {
        case .released: !contents.seconds.isEmpty
        case .refused: hasLeftSlot || !contents.seconds.isEmpty
        default: true
        }
    }

    /// Whether the customer pays on a page of the gateway's.
    var isPage: Bool { contents.transactions.isEmpty && contents.initiator == nil }

    /// Whether the gateway itself stated that the payment of this slot ended, so that the next attempt gets the next slot.
    ///
    /// A request that the gateway did not accept made no payment, nor did the customer who closed a page: both keep the slot.
    var hasLeftSlot: Bool {
        switch state {
        case .refused:
            attempt.paymentID != nil || contents.report?.paymentID != nil
                || contents.report?.refusal?.origin == .issuer
        case .returned: decision == nil
        default: false
        }
    }
}

/// A capture, cancellation or refund, as a ledger recorded it.
struct RecordedOperation: Hashable, Sendable {
    /// The operation.
    let operation: PaymentOperation
    /// Its amount, also if it is all that remained, in minor units.
    let amount: Int64
    /// The payment's captured amount before it, in minor units.
    let captured: Int64
    /// The payment's refunded amount before it, with what was requested, in minor units.
    let refunded: Int64
    /// When it began.
    let beginning: Date
    /// Its outcome; nil while it is sent.
    var outcome: OperationOutcome?

    /// Whether it may still be done: no other operation of the payment begins meanwhile.
    var isOpen: Bool {
        switch outcome?.state {
        case nil, .pending, .unknown: true
        case .done, .refused: false
        }
    }
}

/// A person's decision about an attempt, or about a second payment.
struct RecordedDecision: Hashable, Sendable {
    /// The state that the attempt got.
    let state: AttemptRecord.State
    /// The payment that the person named; nil if none was.
    let paymentID: ExactText?
    /// The name of the operation that it is about; nil if it is about a payment.
    let operation: ExactText?
    /// The person.
    let person: ExactText
    /// The reason.
    let reason: ExactText
    /// The time.
    let time: Date
}

extension AttemptAccount {
    /// Creates the account of a gateway.
    package init(_ gateway: any PaymentGateway) {
        self.init(
            gateway: gateway.name, identifier: gateway.account,
            mode: gateway.isTest ? .test : .live)
    }
}

/// The process that owns the attempts that it begins.
enum ThisProcess {
    /// Its number and the machine's name, for people: `4711@shop-1`.
    static let name: ExactText = {
        let process = ProcessInfo.processInfo
        return "\(process.processIdentifier)@\(process.hostName)"
    }()
}
