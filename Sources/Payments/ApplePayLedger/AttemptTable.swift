internal import FoundationEssentials

/// The attempts of an ``InMemoryLedger``.
struct AttemptTable {
    /// The serials of each order's attempts, in the order in which they began, by the bytes of its reference.
    private var serials: [[UInt8]: [String]] = [:]
    private var records: [String: AttemptRecord] = [:]

    /// The number of attempts.
    var count: Int { records.count }

    /// Returns whether a claim is that of an attempt.
    func contains(_ claim: Claim) -> Bool { records[claim.serial] != nil }

    /// Returns an order's attempts, in the order in which they began.
    func attempts(of reference: String) -> [AttemptRecord] {
        (serials[Array(reference.utf8)] ?? []).compactMap { records[$0] }
    }

    /// Returns whether the order's last attempt is the one that was read, so that another one may begin.
    func canBegin(_ attempt: AttemptRecord, after last: AttemptRecord?) -> Bool {
        let attempts = attempts(of: attempt.reference)
        return attempts.last?.serial == last?.serial && attempts.last?.version == last?.version
            && !attempts.contains { $0.state.isLive } && records[attempt.serial] == nil
    }

    /// Adds an attempt.
    mutating func add(_ attempt: AttemptRecord) {
        records[attempt.serial] = attempt
        serials[Array(attempt.reference.utf8), default: []].append(attempt.serial)
    }

    /// Replaces a record if it still has its version; returns whether it was replaced.
    mutating func replace(_ record: AttemptRecord, with next: AttemptRecord) -> Bool {
        guard let stored = records[record.serial], stored.version == record.version else {
            return false
        }
        if next.state.isLive, !stored.state.isLive,
            attempts(of: stored.reference).contains(where: { $0.state.isLive })
        {
            return false
        }
        records[record.serial] = next
        return true
    }

    /// Returns the attempts that satisfy a condition, in the given order, at most `limit`.
    func attempts(
        limit: Int, where isWanted: (AttemptRecord) -> Bool,
        by precedes: (AttemptRecord, AttemptRecord) -> Bool
    ) -> [AttemptRecord] {
        Array(records.values.filter(isWanted).sorted(by: precedes).prefix(max(limit, 0)))
    }

    /// Removes attempts that are not open and were changed last before a time; returns their number.
    mutating func remove(changedBefore time: Date) -> Int {
        let ended = records.values.filter { !$0.isOpen && $0.change < time }
        for record in ended {
            records[record.serial] = nil
            let reference = Array(record.reference.utf8)
            serials[reference]?.removeAll { $0 == record.serial }
            if serials[reference] == [] { serials[reference] = nil }
        }
        return ended.count
    }
}
