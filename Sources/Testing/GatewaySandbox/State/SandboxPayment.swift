/// A payment that a gateway of the sandbox made or refused, with the operations on it.
struct SandboxPayment: Sendable {
    /// The states of a payment.
    enum State: Sendable {
        /// The customer must open a URL first.
        case awaitingCustomer

        /// The customer confirmed; the merchant must complete the payment.
        case confirmed

        /// The payment is in progress.
        case processing

        /// The bank declined the payment.
        case declined

        /// The customer canceled the payment.
        case abandoned

        /// The bank approved the payment; the amounts state what became of it.
        case accepted
    }

    /// The decisions of a customer.
    enum Decision: String, Sendable {
        case confirm, decline, cancel
    }

    /// The reason why an operation is refused.
    enum Refusal: String, Error {
        case notAuthorized = "nothing of the payment is authorized"
        case notCaptured = "nothing of the payment is captured and not returned"
        case amountTooHigh = "the amount is greater than what remains"
        case amountTooLow = "the amount must be at least 1"
    }

    /// The gateway's identifier.
    let id: String

    /// The payment that the request asked for.
    let purchase: Purchase

    /// The course of the payment.
    let scenario: Scenario

    /// The state.
    private(set) var state: State

    /// The operations, in order.
    private(set) var operations: [Operation] = []

    /// Whether what remained of the authorization was released.
    private(set) var isClosed = false

    /// Whether the payment was neither queried nor changed since the answer to the request that made it.
    private(set) var isNew = true

    /// Creates a payment in the state that results from a scenario.
    init(id: String, _ purchase: Purchase, _ scenario: Scenario, waitsForCustomer: Bool = false) {
        self.id = id
        self.purchase = purchase
        self.scenario = scenario
        let waits = waitsForCustomer || scenario == .customerAction
        let isDeclined = purchase.card != .usable
        state =
            isDeclined ? .declined : waits ? .awaitingCustomer : Self.result(scenario)
    }

    private static func result(_ scenario: Scenario) -> State {
        switch scenario {
        case .decline: .declined
        case .pending: .processing
        default: .accepted
        }
    }

    /// Records the customer's decision; a second one changes nothing.
    mutating func decide(_ decision: Decision) {
        guard state == .awaitingCustomer else { return }
        isNew = false
        state =
            switch decision {
            case .decline: .declined
            case .cancel: .abandoned
            case .confirm: purchase.isCompletedByMerchant ? .confirmed : Self.result(scenario)
            }
    }

    /// Completes a payment that the customer confirmed.
    mutating func complete() {
        if state == .confirmed { state = Self.result(scenario) }
    }

    /// Whether the answer has a status word that the vendor does not document.
    var hasUnknownWord: Bool { isNew && scenario == .unknownWord }

    /// Returns the vendor's status word, or ``Scenario/word`` in its place.
    func word(_ documented: String) -> JSON {
        .string(hasUnknownWord ? Scenario.word : documented)
    }

    /// Counts a status query: a payment in progress succeeds, requested operations are done, money is charged back.
    mutating func countQuery() {
        isNew = false
        if state == .processing { state = .accepted }
        for index in operations.indices { operations[index].countQuery() }
        if scenario == .chargeback, refundable > 0 {
            operations.append(
                Operation(kind: .chargeback, id: "\(id)-chargeback", amount: refundable))
        }
    }

    /// Records a capture, a cancellation or a refund.
    ///
    /// - Parameter operation: The operation; without an amount it applies to all that remains.
    /// - Throws: ``Refusal``.
    mutating func perform(_ operation: Operation) throws(Refusal) {
        let rest = operation.kind == .refund ? refundable : authorized
        // A card check has nothing to release, but can be canceled once.
        let endsCheck = operation.kind == .cancel && isOpenCheck
        guard rest > 0 || endsCheck else {
            throw operation.kind == .refund ? .notCaptured : .notAuthorized
        }
        var operation = operation
        let part = operation.amount ?? rest
        guard part >= 1 || endsCheck else { throw .amountTooLow }
        guard part <= rest else { throw .amountTooHigh }
        operation.amount = part
        if scenario == .slowOperations { operation.progress = .requested(queries: 2) }
        operations.append(operation)
        isNew = false
        if operation.isFinal || endsCheck { isClosed = true }
    }

    /// Records an operation that the gateway refused, but lists.
    mutating func refuse(_ operation: Operation) {
        operations.append(operation)
        operations[operations.count - 1].progress = .refused
    }
}
