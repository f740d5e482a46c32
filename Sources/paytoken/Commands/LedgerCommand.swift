internal import ApplePayLedger
internal import ApplePayToken

/// `paytoken ledger`: makes a ledger, shows what is in it, and says what became of a claim.
struct LedgerCommand {
    private enum Verb: String, CaseIterable {
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

    init(_ words: [String]) throws(CommandFailure) {
        guard let verb = words.first.flatMap(Verb.init(rawValue:)) else {
            throw .usage("ledger needs one of init, show, confirm, release and prune.")
        }
        self.verb = verb
        let options: Set = verb == .initialize ? ["--ledger", "--window"] : ["--ledger"]
        let arguments = try Arguments(Array(words.dropFirst()), options: options)
        var operands = arguments.operands
        var place = try arguments.one("--ledger")
        if place == nil, let index = operands.firstIndex(where: Self.isLocation) {
            place = operands.remove(at: index)
        }
        guard let place else {
            throw .usage(
                "ledger \(verb.rawValue) takes --ledger with a folder or a postgresql:// URI.")
        }
        location = try LedgerLocation(place)
        window = try arguments.number("--window").map { Int(clamping: $0) }
        guard verb != .initialize || window != nil else {
            throw .usage(
                "ledger init takes --window SECONDS: the longest age at which tokens will be let in."
            )
        }
        transaction = try Self.transaction(operands, of: verb)
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
            return Answer.refused(PaymentTokenError(error)).write() ? .refused : .means
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

    /// A ledger may stand without its option, since a transactionId looks otherwise.
    private static func isLocation(_ word: String) -> Bool {
        TransactionIdentifier(hexadecimal: word) == nil
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
