internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

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

extension CommandOption {
    static let operationName = CommandOption(
        "--operation", "NAME",
        "your name for the operation, such as refund-1: the same for a repetition, another one for another operation"
    )
    static let partAmount = amount.described(
        "the operation's amount in minor units; default: all of it")
    static let reason = CommandOption("--reason", "TEXT", "why, for the gateway's records")
    static let isFinal = boolean("--final", "whether nothing more will be captured")
    static let serial = CommandOption(
        "--serial", "SERIAL",
        "the attempt that you looked at: its serial, as payments show writes it")
    static let paid = CommandOption(
        "--paid", "ID", "decide that the payment with this identifier of the gateway pays the order"
    )
    static let decidedRefused = flag(
        "--refused", "decide that no payment was made: the order can be paid again")
    static let decidedReturned = flag("--returned", "decide that all of it was given back")
    static let person = CommandOption("--by", "NAME", "who decides, for the record")
    static let decisionReason = CommandOption("--because", "TEXT", "why, for the record")
    static let isConfirmed = flag(
        "--confirmed", "you have compared it with the payments in the gateway's own books")
}

/// `paytoken payments`: lists payments, asks for their state, and captures, cancels, refunds or decides about them.
struct PaymentsCommand: Sendable {
    /// The operation, the command's second word.
    enum Verb: String, Sendable {
        case list, show, recover, capture, cancel, refund, resolve
    }

    /// The greatest number of payments that are listed.
    private static let limit = 10_000

    private let verb: Verb
    private let means: OrderMeans?
    private let location: LedgerLocation
    private let reference: String
    private let operation: PaymentOperation?
    private let resolution: Resolution?

    /// A person's decision.
    private struct Resolution: Sendable {
        let serial: String
        let decision: OrderPayments.Decision
        let person: String
        let reason: String
        let isConfirmed: Bool
    }

    /// Returns the options of a verb.
    static func options(_ verb: Verb) -> [CommandOption] {
        switch verb {
        case .list:
            [
                .ledger.mandatory,
                .gateway.described("only the payments at the gateway of this file"),
            ]
        case .show, .recover: OrderMeans.options
        case .capture: OrderMeans.options + [.partAmount, .operationName, .isFinal]
        case .cancel: OrderMeans.options + [.partAmount, .operationName]
        case .refund: OrderMeans.options + [.partAmount, .operationName, .reason]
        case .resolve:
            OrderMeans.options + [
                .serial.mandatory,
                .paid.mandatory(unless: .decidedRefused, .decidedReturned), .decidedRefused,
                .decidedReturned, .person.mandatory, .decisionReason.mandatory, .isConfirmed,
            ]
        }
    }

    init(_ verb: Verb, _ arguments: Arguments) throws(CommandFailure) {
        self.verb = verb
        let takesReference = verb != .list && verb != .recover
        guard arguments.operands.count == (takesReference ? 1 : 0) else {
            throw .usage(
                takesReference
                    ? "payments \(verb.rawValue) takes one reference of an order."
                    : "payments \(verb.rawValue) takes no operand; leave out \(arguments.operands[0])."
            )
        }
        reference = arguments.operands.first ?? ""
        operation = try Self.operation(verb, arguments)
        resolution = verb == .resolve ? try Self.resolution(arguments) : nil
        location = try LedgerLocation(try arguments.required(.ledger))
        means = arguments.has(.gateway) ? try OrderMeans(arguments) : nil
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let ledger = try location.open()
        guard let means, verb != .list else { return try list(ledger) }
        let payments = try means.payments(in: ledger)
        do {
            return try waiting { [self] () async throws(PaymentTokenError) in
                try await run(payments, at: means.account.name)
            }
        } catch {
            throw explained(error)
        }
    }

    /// Returns the failure with the advice for this command; that of the code is for a payment.
    private func explained(_ error: PaymentTokenError) -> CommandFailure {
        let failure = CommandFailure.unanswered(error)
        switch error.code {
        case .noPayment where operation != nil:
            return failure.explained(
                message: "The ledger has no payment of \(reference) of which anything is left.",
                advice:
                    "It was never paid with this ledger, or all of it was given back. Check the reference; "
                    + "\(location.command("payments list")) lists what is not settled.")
        case .noPayment where verb == .show:
            return failure.explained(
                message: "The ledger has no payment of \(reference).",
                advice:
                    "Check the reference and the ledger; \(location.command("payments list")) lists what is not settled."
            )
        case .unsupportedLength where error.members == ["reason"]:
            return failure.explained(
                advice:
                    "Give \(CommandOption.reason.usage) in a few words, which the gateway shows.")
        case .unsupportedValue where error.members == ["payment"]:
            return failure.explained(
                message: "The gateway has not reported that the payment of \(reference) was made.",
                advice: state)
        case .unsupportedAmount:
            return failure.explained(message: Self.limit(operation?.kind), advice: state)
        default: return failure
        }
    }

    /// Returns which amounts an operation can have.
    private static func limit(_ kind: PaymentOperation.Kind?) -> String {
        switch kind {
        case .refund:
            "The amount cannot be refunded: a refund has 1 minor unit or more, and at most what was captured and is not "
                + "refunded yet."
        case .capture:
            "The amount cannot be captured: a capture has 1 minor unit or more, and at most what is reserved and not "
                + "captured yet."
        case .cancellation, nil:
            "The amount cannot be cancelled: only what is reserved can; what was captured can be refunded."
        }
    }

    /// The command that shows what is reserved, captured and refunded.
    private var state: String {
        "\(means?.command("payments show \(reference.shellWord)", location) ?? "payments show") shows what is reserved, "
            + "captured and refunded."
    }

    private func run(
        _ payments: OrderPayments, at gateway: String
    ) async throws(PaymentTokenError) -> ExitStatus {
        if let operation {
            let outcome = try await payments.perform(operation, on: reference)
            let status = OrderJSON.write(outcome, of: operation, on: reference, at: gateway)
            // The name keeps its outcome, so that it sends nothing twice.
            if outcome.state == .refused,
                let refusal = means?.refusal(
                    outcome.report?.refusal,
                    repeating: "repeat the command with another \(CommandOption.operationName)")
            {
                Notice.write(refusal)
            }
            return status
        }
        if let resolution {
            let outcome = try await payments.resolve(
                reference, serial: resolution.serial, as: resolution.decision,
                by: resolution.person, because: resolution.reason,
                isConfirmed: resolution.isConfirmed)
            // The person's word is the state of the order.
            let isDone = outcome.state == resolution.decision.state
            return OrderJSON.write(outcome, as: isDone ? .done : ExitStatus(outcome))
        }
        if verb == .recover {
            let recovery = try await payments.recover()
            let isWritten = JSONLine { $0.recovery(recovery) }.write()
            return isWritten && recovery.failed == 0 ? .done : .means
        }
        guard let outcome = try await payments.state(of: reference) else {
            throw PaymentTokenError(.noPayment)
        }
        return OrderJSON.write(outcome, as: ExitStatus(outcome))
    }

    /// Writes a line for each payment that is not settled: late charges, then the oldest first.
    private func list(_ ledger: any AttemptLedger) throws(CommandFailure) -> ExitStatus {
        let now = Date()
        let results: [Result<OrderOutcome, PaymentTokenError>]
        do {
            results = try waiting { () async throws(PaymentTokenError) in
                try await OrderPayments.openPayments(in: ledger, limit: Self.limit + 1, at: now)
            }
        } catch {
            throw .unpaid(error)
        }
        if results.count > Self.limit {
            Notice.write("there are more than \(Self.limit) open payments; only these are listed.")
        }
        var status = ExitStatus.done
        for result in results.prefix(Self.limit) {
            switch result {
            case .success(let outcome):
                guard let payment = outcome.payment,
                    means.map({ $0.account.name == payment.gateway }) ?? true
                else { continue }
                guard JSONLine({ $0.open(outcome, payment, at: now) }).write() else {
                    return .means
                }
            case .failure(let error):
                Notice.write("a payment is not listed: \(error.reason ?? error.description).")
                status = .means
            }
        }
        return status
    }

    /// Returns the operation of a verb; nil for a verb that moves no money.
    private static func operation(
        _ verb: Verb, _ arguments: Arguments
    ) throws(CommandFailure) -> PaymentOperation? {
        let kind: PaymentOperation.Kind
        switch verb {
        case .capture: kind = .capture
        case .cancel: kind = .cancellation
        case .refund: kind = .refund
        case .list, .show, .recover, .resolve: return nil
        }
        let amount = try arguments.number(.partAmount)
        var operation = OrderPayments.operation(kind, amount, arguments.text(.operationName))
        operation.reason = arguments.text(.reason)
        operation.isFinal = try arguments.boolean(.isFinal)
        return operation
    }

    private static func resolution(_ arguments: Arguments) throws(CommandFailure) -> Resolution {
        let choices: [CommandOption] = [.paid, .decidedRefused, .decidedReturned]
        let given = choices.filter(arguments.has)
        guard given.count == 1 else {
            throw .usage("give only one of \(given.sentence).")
        }
        let decision: OrderPayments.Decision =
            if let paymentID = arguments.text(.paid) {
                .paid(paymentID: paymentID)
            } else {
                arguments.has(.decidedRefused) ? .refused : .returned
            }
        return Resolution(
            serial: try arguments.required(.serial), decision: decision,
            person: try arguments.required(.person),
            reason: try arguments.required(.decisionReason),
            isConfirmed: arguments.has(.isConfirmed))
    }
}
