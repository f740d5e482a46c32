public import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
public import FoundationEssentials

/// A ledger's record of an attempt to pay an order, with its contents.
struct OrderRecord: Sendable {
    /// The record as the ledger has it; its contents are those of ``contents`` when it is replaced.
    var row: AttemptRecord
    /// The contents; a change of them empties those of ``row`` until ``encoded()``, so that they are encoded only then.
    var contents: Contents { didSet { row.contents = "" } }

    /// Everything of a record that a ledger does not read, as JSON in the ledger.
    struct Contents: Codable {
        /// The order, its slot, and the identifiers that the gateway gave.
        var attempt: PaymentAttempt
        /// The account at the gateway; nil if that is not known.
        let account: String?
        /// The process that began the attempt, for people.
        let owner: String
        /// When the first attempt in this slot that may have sent something began: the age of the slot's key.
        let slotBeginning: Date
        /// The last report about the payment, without the gateway's texts; nil as long as there is none.
        var report: PaymentReport?
        /// How often the gateway was asked since the attempt changed.
        var questionCount = 0
        /// The captures, cancellations and refunds, in the order in which they began.
        var operations: [RecordedOperation] = []
        /// The decisions of people, in order.
        var decisions: [RecordedDecision] = []

        /// Returns whether there is an operation with a name.
        func contains(_ name: String) -> Bool {
            operations.contains { $0.operation.name == name }
        }
    }

    /// Creates the record of an attempt that begins.
    init(
        _ attempt: PaymentAttempt, _ transaction: TransactionIdentifier,
        at gateway: any PaymentGateway, owner: String, slotBeginning: Date?, at now: Date
    ) {
        let contents = Contents(
            attempt: attempt, account: gateway.account, owner: owner,
            slotBeginning: slotBeginning ?? now)
        row = AttemptRecord(
            reference: attempt.orderReference, gateway: gateway.name, transaction: transaction,
            at: now,
            contents: "")
        self.contents = contents
    }

    /// Reads a record.
    ///
    /// - Throws: `replay/ledger-unavailable` if its contents cannot be read.
    init(_ row: AttemptRecord) throws(PaymentTokenError) {
        self.row = row
        guard
            let contents = try? JSONDecoder().decode(
                Contents.self, from: Data(row.contents.utf8)),
            (1...Limits.count).contains(contents.attempt.slot),
            (0...Limits.count).contains(contents.questionCount)
        else {
            throw PaymentTokenError(
                .ledgerUnavailable,
                reason: "the record \(row.serial) cannot be read; a newer version may have made it")
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
    func encoded() throws(PaymentTokenError) -> AttemptRecord {
        guard row.contents.isEmpty else { return row }
        guard let data = try? Self.encoder.encode(contents) else {
            throw PaymentTokenError(.ledgerUnavailable, reason: "a record cannot be encoded")
        }
        var row = row
        row.contents = String(decoding: data, as: UTF8.self)
        return row
    }

    /// The order, its slot, and the identifiers that the gateway gave.
    var attempt: PaymentAttempt { contents.attempt }

    /// The state.
    var state: AttemptRecord.State { row.state }

    /// Returns whether the attempt was made at a gateway's account, as far as accounts have identifiers.
    func isAt(_ gateway: any PaymentGateway) -> Bool {
        guard row.gateway == gateway.name else { return false }
        guard let recorded = contents.account, let account = gateway.account else { return true }
        return recorded == account
    }

    /// The description of this record in an outcome.
    var recorded: RecordedPayment {
        RecordedPayment(
            serial: row.serial, attempt: attempt, gateway: row.gateway,
            transaction: row.transaction, beginning: row.beginning, change: row.change)
    }

    /// The last decision of a person if it is the reason for the state.
    var decision: RecordedDecision? { contents.decisions.last { $0.state == state } }

    /// Whether the gateway may have a payment for this attempt: it sent a request, and the gateway did not reject it.
    var mayHavePayment: Bool {
        switch state {
        case .released: row.hasLateCharge
        case .refused: hasLeftSlot || row.hasLateCharge
        default: true
        }
    }

    /// Whether the gateway itself stated that the payment of this slot ended, so that the next attempt gets the next slot.
    ///
    /// A request that the gateway did not accept made no payment, and so keeps the slot.
    var hasLeftSlot: Bool {
        switch state {
        case .refused:
            contents.report?.refusal?.origin != .operator || contents.report?.paymentID != nil
        case .returned: decision == nil
        default: false
        }
    }
}

/// A capture, cancellation or refund, as a ledger recorded it.
public struct RecordedOperation: Hashable, Codable, Sendable {
    /// The operation.
    public let operation: PaymentOperation
    /// Its amount, also if it is all that remained, in minor units.
    let amount: Int64
    /// The payment's captured amount before it, in minor units.
    let captured: Int64
    /// The payment's refunded amount before it, with what was requested, in minor units.
    let refunded: Int64
    /// When it began.
    public let beginning: Date
    /// Its outcome; nil while it is sent.
    public internal(set) var outcome: OperationOutcome?

    /// Whether it may still be done: no other operation of the payment begins meanwhile.
    var isOpen: Bool {
        switch outcome?.state {
        case nil, .pending, .unknown: true
        case .done, .refused: false
        }
    }
}

/// A person's decision about an attempt.
public struct RecordedDecision: Hashable, Codable, Sendable {
    /// The state that the attempt got.
    let state: AttemptRecord.State
    /// The person.
    public let person: String
    /// The reason.
    public let reason: String
    /// The time.
    public let time: Date
}
