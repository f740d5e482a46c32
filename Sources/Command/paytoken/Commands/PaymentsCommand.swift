internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

extension CommandOption {
    static let operationName = CommandOption(
        "--operation", "NAME",
        "your name for the operation, such as refund-1: the same for a repetition, another one for another operation"
    )
    static let partAmount = amount.described(
        "the operation's amount in minor units; default: all of it")
    static let reason = CommandOption("--reason", "TEXT", "why, for the gateway's records")
    static let after = CommandOption(
        "--after", "CURSOR", "the cursor of the last call's last line; default: 0, the beginning")
    static let isFinal = boolean("--final", "whether nothing more will be captured")
}

/// `paytoken payments`: lists payments, asks for their state, and captures, cancels, refunds or decides about them.
struct PaymentsCommand: Sendable {
    /// The operation, the command's second word.
    enum Verb: String, Sendable {
        case list, changes, show, recover, capture, cancel, refund, resolve, adopt
    }

    /// The number of payments that are read at once.
    private static let limit = 1_000

    private let verb: Verb
    private let setup: OrderSetup?
    private let location: LedgerLocation
    private let reference: ExactText
    private let operation: PaymentOperation?
    private let decision: PaymentDecision?
    private let start: ChangeStart?

    static func options(_ verb: Verb) -> [CommandOption] {
        switch verb {
        case .list:
            [
                .ledger.mandatory,
                .gateway.described("only the payments at the gateway of this file"),
            ]
        case .changes: [.ledger.mandatory, .after]
        case .show, .recover: OrderSetup.options
        case .capture: OrderSetup.options + [.partAmount, .operationName, .isFinal]
        case .cancel: OrderSetup.options + [.partAmount, .operationName]
        case .refund: OrderSetup.options + [.partAmount, .operationName, .reason]
        case .resolve: OrderSetup.options + PaymentDecision.options
        case .adopt: OrderSetup.options + PaymentDecision.adoptionOptions
        }
    }

    init(_ verb: Verb, _ arguments: Arguments) throws(CommandFailure) {
        self.verb = verb
        let takesReference = ![.list, .changes, .recover].contains(verb)
        guard arguments.operands.count == (takesReference ? 1 : 0) else {
            throw .usage(
                takesReference
                    ? "payments \(verb.rawValue) takes one reference of an order."
                    : "payments \(verb.rawValue) takes no operand; leave out \(arguments.operands[0])."
            )
        }
        reference = ExactText(arguments.operands.first ?? "")
        operation = try Self.operation(verb, arguments)
        decision =
            switch verb {
            case .resolve: try PaymentDecision(about: reference, arguments)
            case .adopt: try PaymentDecision(adopting: reference, arguments)
            default: nil
            }
        start = try Self.start(arguments)
        location = try LedgerLocation(try arguments.required(.ledger))
        setup = arguments.has(.gateway) ? try OrderSetup(arguments) : nil
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let ledger = try location.open()
        guard let setup, verb != .list else {
            return verb == .changes ? try changes(ledger) : try list(ledger)
        }
        let payments = try setup.payments(in: ledger)
        do {
            return try waiting { [self] () async throws(PaymentError) in
                try await run(payments, at: setup.account.gatewayName)
            }
        } catch {
            throw explained(error)
        }
    }

    /// Returns the failure with the option or the command that helps to follow its advice.
    private func explained(_ error: PaymentError) -> CommandFailure {
        let show =
            setup?.command("payments show \(String(reference).shellWord)", location)
            ?? "payments show"
        let help: String? =
            switch error.code {
            case .noPayment where error == .noPayment(of: reference):
                "\(location.command("payments list")) lists what is not settled."
            case .noPayment: "\(show) writes its state, with serial and openOperations."
            case .unsupportedValue where error.members == ["payment"],
                .unsupportedAmount where operation != nil:
                "\(show) shows what is reserved, captured and refunded."
            default: nil
            }
        return CommandFailure.unpaid(error).explained(
            advice: help.map { "\(error.advice) \($0)" })
    }

    private func run(
        _ payments: OrderPayments, at gateway: ExactText
    ) async throws(PaymentError) -> ExitStatus {
        if let operation {
            let outcome = try await payments.perform(operation, on: reference)
            return OrderJSON.write(
                outcome, operation.name, of: operation, on: reference, at: gateway)
        }
        if let decision {
            return try await decision.record(about: reference, payments, at: gateway)
        }
        if verb == .recover {
            let recovery = try await payments.recover()
            if let reason = recovery.reason {
                Notice.write(
                    "\(gateway) did not answer about \(recovery.unanswered) of \(recovery.asked) payments, which are asked about "
                        + "again: \(reason).")
            }
            let open = recovery.asked > 0 ? nil : try? await payments.openQuestions()
            let unasked = (open ?? [:]).map(unasked).sorted()
            for sentence in unasked { Notice.write(sentence) }
            let isWritten = JSONLine { $0.recovery(recovery, unasked) }.write()
            let isDone = isWritten && recovery.failed + recovery.unanswered == 0
            return isDone ? .done : .means
        }
        guard let outcome = try await payments.state(of: reference) else {
            throw PaymentError.noPayment(of: reference)
        }
        return OrderJSON.write(outcome, as: ExitStatus(outcome), showsCard: true)
    }

    /// Returns a sentence about an account's open payments, of which recovery asked about none.
    private func unasked(_ account: AttemptAccount, _ questions: [Date?]) -> String {
        guard account == setup.map({ AttemptAccount($0.gateway) }) else {
            return
                "\(account) was not asked about its open payments in this ledger (\(questions.count)); recovery with its own "
                + "gateway file asks about them."
        }
        let next = questions.compactMap(\.self).min().map {
            "; the next one from \($0.internetTime) on"
        }
        return
            "Open payments at \(account): \(questions.count). None is to be asked about now\(next ?? "")."
    }

    /// Writes a line for each payment that is not settled: those with a second payment, then the oldest first.
    private func list(_ ledger: any AttemptLedger) throws(CommandFailure) -> ExitStatus {
        let now = Date()
        var status = ExitStatus.done
        var position: AttemptPosition?
        repeat {
            let page: OrderPayments.OpenPage
            do {
                page = try waiting { [position] () async throws(PaymentError) in
                    try await OrderPayments.openPayments(
                        in: ledger, after: position, limit: Self.limit, at: now)
                }
            } catch {
                throw .unpaid(error)
            }
            for result in page.results {
                switch result {
                case .success(let outcome):
                    guard let payment = outcome.payment,
                        setup?.account.gateway.map(payment.isAt) ?? true
                    else { continue }
                    guard JSONLine({ $0.open(outcome, payment, at: now) }).write() else {
                        return .means
                    }
                case .failure(let error): status = Self.unlisted(error)
                }
            }
            position = page.next
        } while position != nil
        return status
    }

    /// Writes a line for each order whose outcome changed, and one with the next cursor.
    private func changes(_ ledger: any AttemptLedger) throws(CommandFailure) -> ExitStatus {
        let now = Date()
        var status = ExitStatus.done
        var cursor = start?.cursor
        while true {
            let page: OrderPayments.ChangePage?
            do {
                page = try waiting { [cursor] () async throws(PaymentError) in
                    try await OrderPayments.changes(in: ledger, after: cursor, at: now)
                }
            } catch {
                throw .unpaid(error)
            }
            guard let page else {
                throw .means(
                    "\(ChangeStart.fault): leave out \(CommandOption.after), or give 0.")
            }
            for result in page.results {
                switch result {
                case .success(let outcome):
                    guard JSONLine({ $0.order(outcome) }).write() else { return .means }
                case .failure(let error): status = Self.unlisted(error)
                }
            }
            guard page.cursor != cursor else {
                let line = JSONLine { $0.member("cursor", page.cursor.description) }
                return line.write() ? status : .means
            }
            cursor = page.cursor
        }
    }

    private static func unlisted(_ error: PaymentError) -> ExitStatus {
        Notice.write("a payment is not listed: \(error.reason ?? error.description).")
        return .means
    }

    private static func start(_ arguments: Arguments) throws(CommandFailure) -> ChangeStart? {
        guard let text = arguments.text(.after) else { return nil }
        guard let start = ChangeStart(text) else {
            throw .usage(
                "\(CommandOption.after) takes the cursor of the last call's last line, or 0 to begin, not \(text.printable)."
            )
        }
        return start
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
        case .list, .changes, .show, .recover, .resolve, .adopt: return nil
        }
        let amount = try arguments.number(.partAmount)
        var operation = OrderPayments.operation(kind, amount, arguments.exactText(.operationName))
        operation.reason = arguments.exactText(.reason)
        operation.isFinal = try arguments.boolean(.isFinal)
        return operation
    }
}
