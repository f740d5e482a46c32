#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import FoundationEssentials

    /// The changes of a group, which share one transaction: those not yet decided, and the outcomes of the others.
    struct WriteGroup {
        /// One outcome per change, in order; nil if it is not yet decided.
        private var outcomes: [LedgerOutcome?]

        /// The changes without an outcome, sorted by transaction.
        private var rest: [Entry] = []

        /// A change, its position in the group, and the hexadecimal digits of its transaction; empty without one.
        private struct Entry {
            let position: Int
            let write: LedgerWrite
            let transaction: String
        }

        private let retention: Retention

        /// Creates a group, and refuses changes that the ledger cannot make.
        init(_ writes: [LedgerWrite], _ retention: Retention) {
            self.retention = retention
            outcomes = writes.map { _ in nil }
            for (position, write) in writes.enumerated() {
                do throws(LedgerError) {
                    try retention.check(window: write.window)
                    try AttemptRows.check(write)
                    let transaction = write.transactions.first.map { "\($0)" } ?? ""
                    rest.append(
                        Entry(position: position, write: write, transaction: transaction))
                } catch {
                    outcomes[position] = .refused(error)
                }
            }
            // Sorted, so that two groups lock rows in the same order and do not deadlock.
            rest.sort { $0.transaction < $1.transaction }
        }

        /// Whether every change has an outcome.
        var isDecided: Bool { rest.isEmpty }

        /// One outcome per change, in order, once all are decided.
        var decided: [LedgerOutcome] { outcomes.compactMap(\.self) }

        /// Decides the changes that are not yet decided.
        mutating func decideRest(_ outcome: (LedgerWrite) -> LedgerOutcome) {
            for entry in rest { outcomes[entry.position] = outcome(entry.write) }
            rest = []
        }

        /// Refuses the changes that were tried again and again in vain.
        mutating func refuseRest() {
            decideRest { write in
                let error = LedgerError(
                    .ledgerUnavailable,
                    reason: "other calls changed the order's record again and again")
                return .refused(write.claim == nil ? error : LedgerError(.alreadyClaimed))
            }
        }

        // MARK: The first round trip: making the changes

        /// Returns the statements that make the changes, one for each kind of change in the group.
        ///
        /// - Parameters:
        ///   - end: The deadline in seconds since 1970, by the server's clock.
        ///   - isRepeated: Whether the answer to an earlier execution was lost.
        /// - Returns: The statements, to be run in this order.
        func changing(until end: Double, isRepeated: Bool) -> [Statement] {
            var statements: [Statement] = []
            let references = rest.compactMap(\.write.reference)
            if !references.isEmpty {
                statements.append(AttemptRows.locking(references))
            }
            let claims = rest.filter { if case .claim = $0.write { true } else { false } }
            if !claims.isEmpty {
                statements.append(ClaimRows.claiming(parameters(of: claims, until: end)))
            }
            let begins = rest.compactMap { entry -> (entry: Entry, BeginningAttempt)? in
                guard case .begin(let attempt, _, _, let last) = entry.write else { return nil }
                return (entry, (attempt, last))
            }
            if !begins.isEmpty {
                statements.append(
                    AttemptRows.beginning(
                        parameters(of: begins.map(\.entry), until: end), begins.map(\.1),
                        isRepeated: isRepeated))
            }
            let withdrawn = rest.compactMap { entry -> Claim? in
                if case .withdraw(let claim) = entry.write { claim } else { nil }
            }
            if !withdrawn.isEmpty { statements.append(ClaimRows.withdrawing(withdrawn)) }
            let replacements = rest.compactMap { entry -> (entry: Entry, AttemptReplacement)? in
                guard case .replace(let record, let next, _, _, let freed) = entry.write else {
                    return nil
                }
                return (entry, (record, next, freed))
            }
            // Most replacements claim nothing, and need no more than their own table.
            let claiming = replacements.filter { $0.entry.write.claim != nil }
            let others = replacements.filter { $0.entry.write.claim == nil }
            if !claiming.isEmpty {
                statements.append(
                    AttemptRows.replacing(
                        claiming.map(\.1), isRepeated: isRepeated,
                        claiming: parameters(of: claiming.map(\.entry), until: end)))
            }
            if !others.isEmpty {
                statements.append(
                    AttemptRows.replacing(others.map(\.1), isRepeated: isRepeated))
            }
            return statements
        }

        /// Reads the answers to ``changing(until:isRepeated:)``.
        ///
        /// If a row was inserted although an earlier claim may have been forgotten, the request is refused, and the claim
        /// has to be taken back.
        mutating func noteChanged(_ answers: [[Row]]) throws(LedgerError) {
            var made: Set<ExactText> = []
            var horizon: Int64?
            var now: Double?
            for row in answers.joined() {
                made.formUnion((row[0] ?? "").split(separator: " ").map { ExactText($0) })
                horizon = row[1].flatMap { Int64($0) } ?? horizon
                now = row[2].flatMap { Double($0) } ?? now
            }
            var undecided: [Entry] = []
            for entry in rest {
                switch entry.write {
                case .replace(let attempt, _, nil, _, _):
                    outcomes[entry.position] = .decided(made.contains(attempt.serial))
                case .withdraw: outcomes[entry.position] = .decided(true)
                case .claim, .begin, .replace:
                    guard made.contains(entry.write.serial) else {
                        undecided.append(entry)
                        continue
                    }
                    guard let horizon, let now else { throw Self.unreadable }
                    outcomes[entry.position] = granted(
                        entry.write.claim, at: now, horizon: horizon)
                }
            }
            rest = undecided
        }

        private func granted(
            _ claim: Claim?, at now: Double, horizon: Int64
        ) -> LedgerOutcome {
            guard let claim else { return .decided(true) }
            do throws(LedgerError) {
                try retention.check(claim, at: Date(timeIntervalSince1970: now), horizon: horizon)
                return .decided(true)
            } catch {
                return .uncertain(error)
            }
        }

        // MARK: The second round trip: asking why changes were not made

        /// Returns the statement that asks why the remaining claims and attempts were not made.
        func asking(until end: Double) -> [Statement] {
            [ClaimRows.asking(parameters(of: rest, until: end), rest.map(\.write.reference))]
        }

        /// Reads the answers to ``asking(until:)``; changes that the next round may make remain undecided.
        ///
        /// - Returns: Whether the deadline has passed by the server's clock.
        mutating func noteRefused(_ answers: [[Row]]) throws(LedgerError) -> Bool {
            var rows: [ExactText: Row] = [:]
            for row in answers.joined() {
                guard let serial = row.text(0) else { throw Self.unreadable }
                rows[serial] = row
            }
            var isServerLate = false
            var undecided: [Entry] = []
            for entry in rest {
                guard let row = rows[entry.write.serial] else { throw Self.unreadable }
                outcomes[entry.position] =
                    switch entry.write {
                    case .begin(_, _, _, let last): Self.outcome(row, after: last)
                    case .replace(let record, let next, _, _, _):
                        Self.outcome(row, replacing: record, with: next)
                    case .claim, .withdraw: Self.refusal(row)
                    }
                guard outcomes[entry.position] == nil else { continue }
                undecided.append(entry)
                if row[3] == "t" { isServerLate = true }
            }
            rest = undecided
            return isServerLate
        }

        /// Returns why a transaction cannot be claimed; nil if another try may succeed.
        private static func refusal(_ row: Row) -> LedgerOutcome? {
            if let holder = row.text(1), holder != row.text(0) {
                return .refused(LedgerError(.alreadyClaimed))
            }
            return row[2] == "t" ? .refused(LedgerError(.tooLate)) : nil
        }

        /// Returns why an attempt was not stored; nil if another try may succeed.
        private static func outcome(
            _ row: Row, after last: AttemptRecord?
        ) -> LedgerOutcome? {
            guard row.text(4) == last?.serial, row.text(5) == last?.version, row[6] != "t",
                row[7] == nil
            else {
                return .decided(false)
            }
            return refusal(row)
        }

        /// Returns why an attempt was not replaced; nil if another try may succeed.
        private static func outcome(
            _ row: Row, replacing record: AttemptRecord, with next: AttemptRecord
        ) -> LedgerOutcome? {
            guard row.text(7) == record.version, !next.state.isLive || row[6] != "t" else {
                return .decided(false)
            }
            // Also the attempt itself may have the claim.
            return row[1] == nil ? refusal(row) : .refused(LedgerError(.alreadyClaimed))
        }

        private static let unreadable = LedgerError(
            .ledgerUnavailable, reason: "the database's answer cannot be read")

        // MARK: Parameters

        private func parameters(of entries: [Entry], until end: Double) -> ClaimRows.Parameters {
            ClaimRows.Parameters(
                claims: entries.map { ($0.write.serial, $0.write.claim) },
                lastClaimAge: retention.lastClaimAge, end: end)
        }
    }
#endif
