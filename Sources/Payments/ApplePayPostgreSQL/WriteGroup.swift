#if PostgreSQL
    internal import ApplePayLedger
    internal import FoundationEssentials

    /// The changes of a group, which share one transaction: those not yet decided, and the outcomes of the others.
    struct WriteGroup {
        /// One outcome per change, in order; nil if it is not yet decided.
        private var outcomes: [LedgerOutcome?]

        /// The changes without an outcome, sorted by transaction.
        private var rest: [Entry] = []

        /// A change, its position in the group, and the hexadecimal digits of its transaction.
        private struct Entry {
            let position: Int
            let write: LedgerWrite
            let transaction: String

            /// The serial of the claim or attempt.
            var serial: String {
                switch write {
                case .claim(let record, _), .begin(_, let record, _, _): record.claim.serial
                case .change(let claim, _): claim.serial
                case .replace(let attempt, _): attempt.serial
                }
            }
        }

        private let retention: Retention

        /// Creates a group, and refuses changes that the ledger cannot make.
        init(_ writes: [LedgerWrite], _ retention: Retention) {
            self.retention = retention
            outcomes = writes.map { _ in nil }
            for (position, write) in writes.enumerated() {
                do throws(LedgerError) {
                    if case .claim(_, let window) = write { try retention.check(window: window) }
                    if case .begin(_, _, let window, _) = write {
                        try retention.check(window: window)
                    }
                    try AttemptRows.check(write)
                    rest.append(
                        Entry(
                            position: position, write: write, transaction: "\(write.transaction)"))
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
            decideRest { .refused(LedgerError($0.isClaim ? .alreadyClaimed : .notClaimed)) }
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
            let changes = rest.compactMap { entry -> (Claim, ClaimState)? in
                if case .change(let claim, let state) = entry.write { (claim, state) } else { nil }
            }
            if !changes.isEmpty { statements.append(ClaimRows.changing(changes)) }
            let replacements = rest.compactMap { entry -> (AttemptRecord, AttemptRecord)? in
                guard case .replace(let attempt, let next) = entry.write else { return nil }
                return (attempt, next)
            }
            if !replacements.isEmpty {
                statements.append(AttemptRows.replacing(replacements, isRepeated: isRepeated))
            }
            return statements
        }

        /// Reads the answers to ``changing(until:isRepeated:)``.
        ///
        /// If a row was inserted although an earlier claim may have been forgotten, the request is refused, and the claim
        /// has to be taken back.
        mutating func noteChanged(_ answers: [[Row]]) throws(LedgerError) {
            var made: Set<String> = []
            var horizon: Int64?
            var now: Double?
            for row in answers.joined() {
                made.formUnion((row[0] ?? "").split(separator: " ").map(String.init))
                horizon = row[1].flatMap { Int64($0) } ?? horizon
                now = row[2].flatMap { Double($0) } ?? now
            }
            var undecided: [Entry] = []
            for entry in rest {
                switch entry.write {
                case .replace: outcomes[entry.position] = .decided(made.contains(entry.serial))
                case _ where !made.contains(entry.serial): undecided.append(entry)
                case .change: outcomes[entry.position] = .decided(true)
                case .claim(let record, _), .begin(_, let record, _, _):
                    guard let horizon, let now else { throw Self.unreadable }
                    outcomes[entry.position] = granted(record, at: now, horizon: horizon)
                }
            }
            rest = undecided
        }

        private func granted(
            _ record: ClaimRecord, at now: Double, horizon: Int64
        ) -> LedgerOutcome {
            do throws(LedgerError) {
                try retention.check(
                    record, at: Date(timeIntervalSince1970: now), horizon: horizon)
                return .decided(true)
            } catch {
                return .uncertain(error)
            }
        }

        // MARK: The second round trip: asking why changes were not made

        /// Returns the statements that ask why the remaining changes were not made.
        func asking(until end: Double) -> [Statement] {
            var statements: [Statement] = []
            let claims = rest.filter { $0.write.isClaim }
            if !claims.isEmpty {
                statements.append(
                    ClaimRows.asking(
                        parameters(of: claims, until: end),
                        claims.map { $0.write.reference }))
            }
            let changes = rest.filter { !$0.write.isClaim }
            if !changes.isEmpty {
                statements.append(
                    ClaimRows.askingAboutChanges(changes.map { ($0.transaction, $0.serial) }))
            }
            return statements
        }

        /// Reads the answers to ``asking(until:)``; changes that the next round may make remain undecided.
        ///
        /// - Returns: Whether the deadline has passed by the server's clock.
        mutating func noteRefused(_ answers: [[Row]]) throws(LedgerError) -> Bool {
            var rows: [String: Row] = [:]
            for row in answers.joined() {
                guard let serial = row[0] else { throw Self.unreadable }
                rows[serial] = row
            }
            var isServerLate = false
            var undecided: [Entry] = []
            for entry in rest {
                guard let row = rows[entry.serial] else { throw Self.unreadable }
                switch entry.write {
                case .claim, .replace: outcomes[entry.position] = Self.refusal(row)
                case .begin(_, _, _, let last):
                    outcomes[entry.position] = Self.outcome(row, after: last)
                case .change(let claim, let state):
                    outcomes[entry.position] = Self.outcome(row, of: claim, to: state)
                }
                guard outcomes[entry.position] == nil else { continue }
                undecided.append(entry)
                if entry.write.isClaim, row[3] == "t" { isServerLate = true }
            }
            rest = undecided
            return isServerLate
        }

        /// Returns why a transaction cannot be claimed; nil if another try may succeed.
        private static func refusal(_ row: Row) -> LedgerOutcome? {
            if let state = row[1].flatMap(ClaimState.init(rawValue:)), state != .released {
                return .refused(LedgerError(state.refusal))
            }
            return row[2] == "t" ? .refused(LedgerError(.tooLate)) : nil
        }

        /// Returns why an attempt was not stored; nil if another try may succeed.
        private static func outcome(
            _ row: Row, after last: AttemptRecord?
        ) -> LedgerOutcome? {
            guard row[4] == last?.serial, row[5] == last?.version, row[6] != "t",
                row[7] != "t"
            else {
                return .decided(false)
            }
            return refusal(row)
        }

        /// Returns why a claim was not changed; nil if another try may succeed.
        private static func outcome(
            _ row: Row, of claim: Claim, to state: ClaimState
        ) -> LedgerOutcome? {
            guard row[3] != "t" else { return .refused(.ofAttempt) }
            guard let serial = row[1], let found = row[2].flatMap(ClaimState.init(rawValue:)),
                serial == claim.serial
            else { return .refused(LedgerError(.notClaimed)) }
            guard found != .claimed, found != state else { return nil }
            return .refused(LedgerError(found == .confirmed ? .alreadyConfirmed : .notClaimed))
        }

        private static let unreadable = LedgerError(
            .ledgerUnavailable, reason: "the database's answer cannot be read")

        // MARK: Parameters

        private func parameters(of entries: [Entry], until end: Double) -> ClaimRows.Parameters {
            let records = entries.compactMap { entry -> ClaimRecord? in
                switch entry.write {
                case .claim(let record, _), .begin(_, let record, _, _): record
                case .change, .replace: nil
                }
            }
            return ClaimRows.Parameters(
                records: records, lastClaimAge: retention.lastClaimAge, end: end)
        }
    }
#endif
