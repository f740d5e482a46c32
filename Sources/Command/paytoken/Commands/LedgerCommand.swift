internal import ApplePayLedger
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let window = number(
        "--window", "SECONDS", "the longest age at which tokens will be accepted")
    static let serial = CommandOption(
        "--serial", "SERIAL", "the claim's serial, as decrypt and ledger show write it")
    static let ordersBefore = CommandOption(
        "--orders-before", "DATE",
        "also forget settled orders that were changed last before this day, at least \(LedgerCommand.leastAge) days ago; "
            + "with their references, tokens could be charged again", kind: .time)
}

/// `paytoken ledger`: creates a ledger, shows its claims, and records the outcome of a claim.
struct LedgerCommand: Sendable {
    /// The operation, the command's second word.
    enum Verb: String, Sendable {
        case initialize = "init"
        case show
        case confirm
        case release
        case prune
    }

    /// The greatest number of open claims shown.
    private static let openClaimsLimit = 10_000

    /// The days for which orders are kept at least: within them, chargebacks and late messages are usual.
    fileprivate static let leastAge = 180

    private let verb: Verb
    private let location: LedgerLocation
    private let window: Int?
    private let transaction: TransactionIdentifier?
    private let serial: String?
    private let ordersBefore: Date?

    /// Returns the options of a verb; the ledger may be an operand, because a transactionId cannot be mistaken for a
    /// location.
    static func options(_ verb: Verb) -> [CommandOption] {
        let ledger = CommandOption.ledger.mandatory.orOperand {
            TransactionIdentifier(hexadecimal: $0) == nil
        }
        return switch verb {
        case .initialize: [ledger, .window.mandatory]
        case .confirm, .release: [.serial.mandatory, ledger]
        case .show: [ledger]
        case .prune: [ledger, .ordersBefore]
        }
    }

    init(_ verb: Verb, _ arguments: Arguments) throws(CommandFailure) {
        self.verb = verb
        location = try LedgerLocation(try arguments.required(.ledger))
        window = try arguments.number(.window).map { Int(clamping: $0) }
        transaction = try Self.transaction(arguments.operands, of: verb)
        serial = arguments.text(.serial)
        ordersBefore = try Self.ordersBefore(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let ledger: any AttemptLedger
        if let window {
            ledger = try location.create(window: window)
        } else {
            ledger = try location.open()
        }
        do {
            let outcome = try waiting { [self] () async throws(LedgerError) -> Outcome in
                try await self.outcome(ledger)
            }
            for notice in outcome.notices { Notice.write("\(notice).") }
            return outcome.answers.allSatisfy { $0.write() } ? .done : .means
        } catch {
            guard error.code != .ledgerUnavailable else { throw .means(error.description) }
            throw refusal(error)
        }
    }

    /// Returns the failure for a claim that cannot be confirmed or released.
    private func refusal(_ error: LedgerError) -> CommandFailure {
        let failure = CommandFailure.refused(PaymentTokenError(error))
        guard let transaction else { return failure }
        let show =
            "\(location.command("ledger \(Verb.show.rawValue) \(transaction)")) shows its state."
        return switch error.code {
        case .alreadyConfirmed:
            failure.explained(
                message:
                    "The transaction was confirmed as charged, so its claim cannot be released.",
                advice: "If the charge must be undone, refund it at the gateway. \(show)")
        case .notClaimed:
            failure.explained(
                message: verb == .confirm
                    ? "The ledger has no such claim of this transaction, or it was released, so it cannot be confirmed."
                    : "The ledger has no such claim of this transaction, so nothing can be released.",
                advice: "Check the transactionId and the serial. \(show)")
        default: failure
        }
    }

    /// The output of a verb.
    struct Outcome: Sendable {
        var answers: [JSONLine]

        /// Sentences for people, without a full stop.
        var notices: [String] = []
    }

    private func outcome(_ ledger: any AttemptLedger) async throws(LedgerError) -> Outcome {
        let kind = Self.line { json in
            json.member("ledger", location.kind)
            json.member("window", ledger.window)
        }
        switch verb {
        case .initialize: return Outcome(answers: [kind], notices: try await ledger.warnings())
        case .prune:
            let count = try await ledger.prune()
            let orders = try await prunedOrders(ledger)
            let answer = Self.line { json in
                json.member("pruned", count)
                json.member("prunedOrders", orders)
            }
            return Outcome(answers: [answer], notices: try await ledger.warnings())
        case .show, .confirm, .release:
            guard let transaction else { return try await Self.openClaims(ledger, kind) }
            // Another process can have claimed the transaction since; its claim has another serial.
            let claim = Claim(transaction: transaction, serial: serial ?? "")
            if verb == .confirm { try await ledger.confirm(claim) }
            if verb == .release { try await ledger.release(claim) }
            return Outcome(
                answers: [Self.line(try await ledger.record(of: transaction), of: transaction)])
        }
    }

    /// Removes the settled orders of `--orders-before`.
    ///
    /// - Returns: The number of attempts; nil without the option.
    private func prunedOrders(_ ledger: any AttemptLedger) async throws(LedgerError) -> Int? {
        guard let ordersBefore else { return nil }
        return try await ledger.removeAttempts(changedBefore: ordersBefore)
    }

    /// Returns the time of `--orders-before`; nil without the option.
    private static func ordersBefore(_ arguments: Arguments) throws(CommandFailure) -> Date? {
        guard let text = arguments.text(.ordersBefore) else { return nil }
        guard let date = TokenOptions.date(text) ?? TokenOptions.date("\(text)T00:00:00Z") else {
            throw .usage(
                "\(CommandOption.ordersBefore) takes a day such as 2026-03-01, not \(text).")
        }
        guard date.addingTimeInterval(Double(leastAge) * 86_400) <= Date() else {
            throw .usage(
                "\(CommandOption.ordersBefore) takes a day at least \(leastAge) days ago, because gateways still report "
                    + "returns of later payments.")
        }
        return date
    }

    /// Returns a line about the ledger.
    private static func line(_ members: (inout JSONMembers) -> Void) -> JSONLine {
        JSONLine { json in
            json.member("status", "ok")
            members(&json)
        }
    }

    /// Returns the line with the record of a transaction.
    private static func line(
        _ record: ClaimRecord?, of transaction: TransactionIdentifier
    ) -> JSONLine {
        line { json in
            json.member("transactionId", "\(transaction)")
            json.member("state", record?.state.rawValue ?? "unknown")
            json.member("serial", record?.claim.serial)
            json.member("signingTime", record?.signingTime)
            json.member("expires", record?.isExpiring)
        }
    }

    /// Returns the open claims, at most ``openClaimsLimit``, and a sentence if there are more.
    static func openClaims(
        _ ledger: any ReplayLedger,
        _ kind: JSONLine
    ) async throws(LedgerError) -> Outcome {
        let limit = openClaimsLimit
        let open = try await ledger.openClaims(limit: limit + 1)
        let answers = open.prefix(limit).map { line($0, of: $0.claim.transaction) }
        var notices = try await ledger.warnings()
        if open.count > limit {
            notices.append(
                "there are more than \(limit) open claims; only the oldest \(limit) are shown")
        }
        return Outcome(answers: [kind] + answers, notices: notices)
    }

    private static func transaction(
        _ operands: [String],
        of verb: Verb
    ) throws(CommandFailure) -> TransactionIdentifier? {
        switch verb {
        case .initialize, .prune:
            guard let word = operands.first else { return nil }
            throw .usage("ledger \(verb.rawValue) takes only a ledger; leave out \(word).")
        case .show where operands.isEmpty: return nil
        case .show, .confirm, .release:
            guard operands.count == 1,
                let transaction = TransactionIdentifier(hexadecimal: operands[0])
            else {
                throw .usage(
                    "ledger \(verb.rawValue) takes one transactionId of 64 hexadecimal digits, as decrypt writes it."
                )
            }
            return transaction
        }
    }
}
