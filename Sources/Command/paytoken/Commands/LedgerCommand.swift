internal import ApplePayAcceptance
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

extension CommandOption {
    static let ordersBefore = CommandOption(
        "--orders-before", "DATE",
        "also forget settled orders that were changed last before this day, at least \(LedgerCommand.leastAge) days ago; "
            + "with their references, tokens could be charged again", kind: .time)
}

/// `paytoken ledger`: creates a ledger, shows it or one of its claims, and forgets what is old.
struct LedgerCommand: Sendable {
    /// The operation, the command's second word.
    enum Verb: String, Sendable {
        case initialize = "init"
        case show
        case prune
    }

    /// The days for which orders are kept at least: within them, chargebacks and late messages are usual.
    fileprivate static let leastAge = 180

    private let verb: Verb
    private let location: LedgerLocation
    private let window: Int?
    private let isRestored: Bool
    private let transaction: TransactionIdentifier?
    private let ordersBefore: Date?

    /// Returns the options of a verb; the ledger may be an operand, because a transactionId cannot be mistaken for a
    /// location.
    static func options(_ verb: Verb) -> [CommandOption] {
        let ledger = CommandOption.ledger.mandatory.orOperand {
            TransactionIdentifier(hexadecimal: $0) == nil
        }
        return switch verb {
        case .initialize: [ledger, .window.mandatory, .restored]
        case .show: [ledger]
        case .prune: [ledger, .ordersBefore]
        }
    }

    init(_ verb: Verb, _ arguments: Arguments) throws(CommandFailure) {
        self.verb = verb
        location = try LedgerLocation(try arguments.required(.ledger))
        window = try arguments.number(.window).map { Int(clamping: $0) }
        guard window != 0 else {
            throw .usage(
                "\(CommandOption.window) 0 would refuse every token; give the age in seconds that a token may have, such as 300."
            )
        }
        isRestored = arguments.has(.restored)
        transaction = try Self.transaction(arguments.operands, of: verb)
        ordersBefore = try Self.ordersBefore(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let existed = verb == .initialize && (try? location.open()) != nil
        let ledger = try location.open(window: window, isRestored: isRestored)
        do {
            let (line, warnings) = try waiting {
                [self] () async throws(LedgerError) -> (JSONLine, [String]) in
                (try await answer(ledger, existed: existed), try await ledger.warnings())
            }
            if existed {
                Notice.write(
                    "the ledger existed already, with this window, and was kept with its orders and claims."
                )
            }
            for warning in warnings { Notice.write("\(warning).") }
            return line.write() ? .done : .means
        } catch {
            throw .means(error.description)
        }
    }

    /// Does what the verb says, and returns what was done.
    private func answer(
        _ ledger: any AttemptLedger, existed: Bool
    ) async throws(LedgerError) -> JSONLine {
        switch verb {
        case .prune:
            let count = try await ledger.prune()
            let orders = try await prunedOrders(ledger)
            return Self.line { json in
                json.member("pruned", count)
                json.member("prunedOrders", orders)
            }
        case .initialize, .show:
            guard let transaction else {
                return Self.line { json in
                    json.member("ledger", location.kind)
                    json.member("window", ledger.window)
                    json.member("existed", existed ? true : nil)
                }
            }
            let claim = try await ledger.record(of: transaction)
            return Self.line { json in
                json.member("transactionId", "\(transaction)")
                json.member("claimed", claim != nil)
                json.member("serial", claim?.serial)
                json.member("signingTime", claim?.signingTime)
                json.member("expires", claim?.isExpiring)
            }
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
        guard
            let date = InternetTime.date(ExactText(text)) ?? InternetTime.date("\(text)T00:00:00Z")
        else {
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
    private static func line(_ members: (inout JSONOutput) -> Void) -> JSONLine {
        JSONLine { json in
            json.member("status", "ok")
            members(&json)
        }
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
        case .show:
            guard operands.count == 1,
                let transaction = TransactionIdentifier(hexadecimal: operands[0])
            else {
                throw .usage(
                    "ledger \(verb.rawValue) takes one transactionId of 64 hexadecimal digits, as decrypt writes it; of an "
                        + "order, payments show writes the state: `paytoken payments show \(CommandOption.help)`."
                )
            }
            return transaction
        }
    }
}
