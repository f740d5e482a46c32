internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayWire

extension CommandOption {
    static let serial = CommandOption(
        "--serial", "SERIAL",
        "the attempt that you looked at: its serial, as payments show writes it")
    static let paid = CommandOption(
        "--paid", "ID", "decide that the payment with this identifier of the gateway pays the order"
    )
    static let decidedOperation = operationName.described(
        "instead of an attempt: your name of an operation that is not decided, as openOperations of payments show contains it"
    )
    static let lostOrder = orderFile.described(
        "instead of an attempt: an order that the ledger does not have, after a restore; with \(decidedRefused)"
    )
    static let decidedDone = flag(
        "--done", "decide that the operation was done, as the gateway's own books show")
    static let decidedRefused = flag(
        "--refused",
        "decide that no payment was made, so the order can be paid again; of an operation, that it was not done"
    )
    static let decidedReturned = flag("--returned", "decide that all of it was given back")
    static let decidedPayment = CommandOption(
        "--payment-id", "ID",
        "the gateway's identifier of the payment that was declined or given back, if it has one")
    static let adopted = decidedPayment.described(
        "the gateway's identifier of the payment that pays the order: another channel's, or one that was lost with the ledger"
    )
    static let person = CommandOption("--by", "NAME", "who decides, for the record")
    static let decisionReason = CommandOption("--because", "TEXT", "why, for the record")
    static let isConfirmed = flag(
        "--confirmed", "you have compared it with the payments in the gateway's own books")
}

/// A person's decision, as the options of `payments resolve` and `payments adopt` state it.
struct PaymentDecision: Sendable {
    /// The options of `payments resolve` after those of every payment.
    static let options: [CommandOption] =
        [
            .serial.mandatory(unless: .decidedOperation, .lostOrder),
            .decidedOperation, .lostOrder,
            .paid.mandatory(unless: .decidedRefused, .decidedReturned, .decidedDone),
            .decidedRefused, .decidedReturned, .decidedDone, .decidedPayment,
        ] + record + [.isConfirmed]

    /// The options of `payments adopt` after those of every payment.
    static let adoptionOptions: [CommandOption] =
        [.adopted.mandatory, .orderFile.mandatory] + record

    private static let record: [CommandOption] = [.person.mandatory, .decisionReason.mandatory]

    private enum Subject: Sendable {
        case attempt(serial: ExactText, OrderPayments.Decision, isConfirmed: Bool)
        case operation(ExactText, isDone: Bool)
        case lost(Order, isConfirmed: Bool)
        case adoption(paymentID: ExactText, Order)
    }

    private let subject: Subject
    private let person: ExactText
    private let reason: ExactText

    /// Reads the options of `payments resolve`.
    init(about reference: ExactText, _ arguments: Arguments) throws(CommandFailure) {
        person = try arguments.required(exact: .person)
        reason = try arguments.required(exact: .decisionReason)
        if let name = arguments.exactText(.decidedOperation) {
            let others: [CommandOption] = [
                .serial, .paid, .decidedReturned, .decidedPayment, .isConfirmed,
            ]
            let given = others.filter(arguments.has)
            guard given.isEmpty else {
                throw .usage(
                    "\(CommandOption.decidedOperation) decides about an operation; leave out \(given.sentence), which is "
                        + "about an attempt.")
            }
            try Self.requireOne(of: [.decidedDone, .decidedRefused], arguments)
            subject = .operation(name, isDone: arguments.has(.decidedDone))
            return
        }
        if arguments.has(.lostOrder) {
            let others: [CommandOption] = [
                .serial, .paid, .decidedReturned, .decidedPayment, .decidedDone,
            ]
            let given = others.filter(arguments.has)
            guard given.isEmpty, arguments.has(.decidedRefused) else {
                throw .usage(
                    "\(CommandOption.orderFile) decides that an order has no payment; give \(CommandOption.decidedRefused)"
                        + (given.isEmpty ? "." : ", and leave out \(given.sentence)."))
            }
            subject = .lost(
                try Self.order(reference, arguments), isConfirmed: arguments.has(.isConfirmed))
            return
        }
        let choices: [CommandOption] = [.paid, .decidedRefused, .decidedReturned]
        guard !arguments.has(.decidedDone) else {
            throw .usage(
                "\(CommandOption.decidedDone) is about an operation; of an attempt, give one of \(choices.sentence)."
            )
        }
        try Self.requireOne(of: choices, arguments)
        let decision: OrderPayments.Decision =
            if let paymentID = arguments.exactText(.paid) {
                .paid(paymentID: paymentID)
            } else {
                arguments.has(.decidedRefused)
                    ? .refused(paymentID: arguments.exactText(.decidedPayment))
                    : .returned(paymentID: arguments.exactText(.decidedPayment))
            }
        subject = .attempt(
            serial: try arguments.required(exact: .serial), decision,
            isConfirmed: arguments.has(.isConfirmed))
    }

    /// Reads the options of `payments adopt` for an order.
    init(adopting reference: ExactText, _ arguments: Arguments) throws(CommandFailure) {
        subject = .adoption(
            paymentID: try arguments.required(exact: .adopted), try Self.order(reference, arguments)
        )
        person = try arguments.required(exact: .person)
        reason = try arguments.required(exact: .decisionReason)
    }

    /// Returns the order of `--order`, which must be the one of the operand.
    private static func order(
        _ reference: ExactText, _ arguments: Arguments
    ) throws(CommandFailure) -> Order {
        let order = try arguments.requiredOrder()
        guard order.reference == reference else {
            throw .usage(
                "\(CommandOption.orderFile) has the order \(order.reference.printable), not \(reference.printable); give "
                    + "the file of this order.")
        }
        return order
    }

    private static func requireOne(
        of choices: [CommandOption], _ arguments: Arguments
    ) throws(CommandFailure) {
        guard choices.count(where: arguments.has) == 1 else {
            throw .usage("give only one of \(choices.filter(arguments.has).sentence).")
        }
    }

    /// Records the decision, and writes the state of the order or of the operation.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - payments: The payments.
    ///   - gateway: The gateway's name.
    /// - Returns: `done` if the state is the decided one; otherwise the status of the state.
    /// - Throws: The errors of `OrderPayments.resolve` and `adopt`.
    func record(
        about reference: ExactText, _ payments: OrderPayments, at gateway: ExactText
    ) async throws(PaymentError) -> ExitStatus {
        switch subject {
        case .attempt(let serial, let decision, let isConfirmed):
            let outcome = try await payments.resolve(
                reference, serial: serial, as: decision, by: person, because: reason,
                isConfirmed: isConfirmed)
            // The person's word is the state of the order, or ended the question about another payment.
            let isDone =
                outcome.state == decision.state
                || decision.state == .returned && outcome.reason != OrderOutcome.secondPayment
            return OrderJSON.write(outcome, as: isDone ? .done : ExitStatus(outcome))
        case .operation(let name, let isDone):
            let outcome = try await payments.resolve(
                reference, operation: name, isDone: isDone, by: person, because: reason)
            return OrderJSON.write(
                outcome, name, on: reference, at: gateway,
                as: outcome.state == (isDone ? .done : .refused) ? .done : nil)
        case .lost(let order, let isConfirmed):
            let outcome = try await payments.resolve(
                lost: order, by: person, because: reason, isConfirmed: isConfirmed)
            return OrderJSON.write(
                outcome, as: outcome.state == .refused ? .done : ExitStatus(outcome))
        case .adoption(let paymentID, let order):
            let outcome = try await payments.adopt(
                paymentID, for: order, by: person, because: reason)
            return OrderJSON.write(outcome, as: ExitStatus(outcome))
        }
    }
}

extension OrderPayments.Decision {
    /// The state that an order has after it.
    fileprivate var state: OrderOutcome.State {
        switch self {
        case .paid: .paid
        case .refused: .refused
        case .returned: .returned
        }
    }
}
