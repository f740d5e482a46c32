internal import ApplePayWire
internal import FoundationEssentials

/// The attempts of an ``InMemoryLedger``.
struct AttemptTable {
    /// The serials of each order's attempts, in the order in which they began, by its reference.
    private var serials: [ExactText: [ExactText]] = [:]
    private var rows: [ExactText: Row] = [:]
    private var added = 0

    /// The number of the last change that was read.
    private(set) var lastChange: Int64 = 0

    /// A record, and the number of records that were added before it.
    private struct Row {
        let number: Int
        var record: AttemptRecord

        /// The number of its last change; nil if that was not read yet, and 0 if it has none.
        var change: Int64?
    }

    /// The number of attempts.
    var count: Int { rows.count }

    /// Returns an order's attempts, in the order in which they began.
    func attempts(of reference: ExactText) -> [AttemptRecord] {
        (serials[reference] ?? []).compactMap { rows[$0]?.record }
    }

    /// Returns whether the order's last attempt is the one that was read, so that another one may begin.
    func canBegin(_ attempt: AttemptRecord, after last: AttemptRecord?) -> Bool {
        let attempts = attempts(of: attempt.reference)
        return attempts.last?.serial == last?.serial && attempts.last?.version == last?.version
            && !attempts.contains { $0.state.isLive } && rows[attempt.serial] == nil
    }

    /// Adds an attempt.
    mutating func add(_ attempt: AttemptRecord) {
        rows[attempt.serial] = Row(
            number: added, record: attempt.asRead, change: attempt.isNews ? nil : 0)
        added += 1
        serials[attempt.reference, default: []].append(attempt.serial)
    }

    /// Returns whether a record still has its version, and its order has no other live attempt if the next one is live.
    func canReplace(_ record: AttemptRecord, with next: AttemptRecord) -> Bool {
        guard let stored = rows[record.serial]?.record, stored.version == record.version else {
            return false
        }
        return !next.state.isLive || stored.state.isLive
            || !attempts(of: stored.reference).contains { $0.state.isLive }
    }

    /// Replaces a record that can be replaced.
    mutating func replace(_ record: AttemptRecord, with next: AttemptRecord) {
        rows[record.serial]?.record = next.asRead
        if next.isNews { rows[record.serial]?.change = nil }
    }

    /// Numbers changes that were not read yet; at most `limit`.
    mutating func numberChanges(limit: Int) {
        let unread = rows.values.filter { $0.change == nil }.sorted { $0.number < $1.number }
        for row in unread.prefix(limit) {
            lastChange += 1
            rows[row.record.serial]?.change = lastChange
        }
    }

    /// Returns the attempts whose last changes have a greater number, in the order of these numbers, and the last number.
    func changes(after number: Int64, limit: Int) -> (attempts: [AttemptRecord], last: Int64) {
        let changed = rows.values.compactMap { row in
            row.change.flatMap { $0 > number ? (change: $0, record: row.record) : nil }
        }.sorted { $0.change < $1.change }.prefix(limit)
        return (changed.map(\.record), changed.last?.change ?? number)
    }

    /// Returns the attempts that satisfy a condition, at most `limit`: in the order of their keys, and those of the same key in
    /// the order in which they began.
    func attempts<Key: Comparable>(
        limit: Int, where isWanted: (AttemptRecord) -> Bool, by key: (AttemptRecord) -> Key
    ) -> [AttemptRecord] {
        let wanted = rows.values.filter { isWanted($0.record) }
            .map { (key: key($0.record), row: $0) }
            .sorted { ($0.key, $0.row.number) < ($1.key, $1.row.number) }
        return wanted.prefix(max(limit, 0)).map(\.row.record)
    }

    /// Returns the open attempts after a position: those that are listed first, then the oldest ones first.
    func openAttempts(after position: AttemptPosition?, limit: Int) -> [AttemptRecord] {
        let start = position.map { position in
            (-position.listing.rawValue, position.beginning, rows[position.serial]?.number ?? -1)
        }
        let open = rows.values.filter { $0.record.listing != .none }
            .map { row in
                (key: (-row.record.listing.rawValue, row.record.beginning, row.number), row: row)
            }
            .filter { element in start.map { $0 < element.key } ?? true }
            .sorted { $0.key < $1.key }
        return open.prefix(max(limit, 0)).map(\.row.record)
    }

    /// Removes attempts that are not listed and were changed last before a time; returns their number.
    mutating func remove(changedBefore time: Date) -> Int {
        let ended = rows.values.map(\.record).filter { $0.listing == .none && $0.change < time }
        for record in ended {
            rows[record.serial] = nil
            let reference = record.reference
            serials[reference]?.removeAll { $0 == record.serial }
            if serials[reference] == [] { serials[reference] = nil }
        }
        return ended.count
    }
}
