internal import ApplePayLedger
internal import ApplePayToken

extension CommandOption {
    static let window = number(
        "--window", "SECONDS", "the longest age at which tokens will be accepted")
}

/// `paytoken ledger`: makes a ledger, shows what is in it, and says what became of a claim.
struct LedgerCommand {
    /// What to do with the ledger; the command's second word.
    enum Verb: String {
        case initialize = "init"
        case show
        case confirm
        case release
        case prune
    }

    /// Whoever has more open claims than this is better served by another tool.
    private static let openClaimsLimit = 10_000

    private let verb: Verb
    private let location: LedgerLocation
    private let window: Int?
    private let transaction: TransactionIdentifier?

    /// The options of a verb: a ledger may be given without its option, since a transactionId looks otherwise.
    static func options(_ verb: Verb) -> [CommandOption] {
        let ledger = CommandOption.ledger.mandatory.orOperand {
            TransactionIdentifier(hexadecimal: $0) == nil
        }
        return verb == .initialize ? [ledger, .window.mandatory] : [ledger]
    }

    init(_ verb: Verb, _ arguments: Arguments) throws(CommandFailure) {
        self.verb = verb
        location = try LedgerLocation(try arguments.required(.ledger))
        window = try arguments.number(.window).map { Int(clamping: $0) }
        transaction = try Self.transaction(arguments.operands, of: verb)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let window, verb == .initialize {
            let ledger = try location.create(window: window)
            return LedgerAnswer.ledger(kind: location.kind, window: ledger.window).write()
                ? .done : .means
        }
        let ledger = try location.open()
        do throws(LedgerError) {
            return try answers(ledger).allSatisfy { $0.write() } ? .done : .means
        } catch {
            guard error.code != .ledgerUnavailable else { throw .means(error.description) }
            throw .refused(PaymentTokenError(error))
        }
    }

    private func answers(_ ledger: any ReplayLedger) throws(LedgerError) -> [LedgerAnswer] {
        if verb == .prune { return [.pruned(try ledger.prune())] }
        guard let transaction else {
            let open = try ledger.openClaims(limit: Self.openClaimsLimit + 1)
            if open.count > Self.openClaimsLimit {
                StandardStream.error.write(
                    "There are more than \(Self.openClaimsLimit) open claims; these are the oldest.\n"
                )
            }
            return [.ledger(kind: location.kind, window: ledger.window)]
                + open.prefix(Self.openClaimsLimit).map { .record($0, of: $0.claim.transaction) }
        }
        let record = try ledger.record(of: transaction)
        guard verb != .show else { return [.record(record, of: transaction)] }
        guard let record else { throw LedgerError(.notClaimed) }
        if verb == .confirm {
            try ledger.confirm(record.claim)
        } else {
            try ledger.release(record.claim)
        }
        return [.record(try ledger.record(of: transaction), of: transaction)]
    }

    private static func transaction(
        _ operands: [String],
        of verb: Verb
    ) throws(CommandFailure) -> TransactionIdentifier? {
        switch verb {
        case .initialize, .prune:
            guard let word = operands.first else { return nil }
            throw .usage("ledger \(verb.rawValue) takes a ledger, and not \(word).")
        case .show where operands.isEmpty: return nil
        case .show, .confirm, .release:
            guard operands.count == 1,
                let transaction = TransactionIdentifier(hexadecimal: operands[0])
            else {
                throw .usage(
                    "ledger \(verb.rawValue) takes one transactionId, 64 hexadecimal digits.")
            }
            return transaction
        }
    }
}
