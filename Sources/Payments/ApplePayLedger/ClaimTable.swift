internal import FoundationEssentials

/// The claims of an ``InMemoryLedger``: 64 bytes each, an index of their slots, and a list for each minute of expiry.
///
/// The index is a hash table of slot numbers with linear probing, 3/8 to 3/4 full once it has grown. Removing an entry
/// moves later entries back, so the table needs no deletion marks. A claim takes 64 bytes plus at most 11 bytes of the
/// index. The lists are linked through the entries.
struct ClaimTable {
    /// One claim: 63 bytes, with a stride of 64 bytes.
    private struct Entry {
        let transaction: TransactionIdentifier
        var serial: (high: UInt64, low: UInt64)
        /// Seconds since 1970.
        var signed: Int64
        /// The next entry of the same minute, or the next free entry; ``none`` at the end of the list.
        var next: UInt32
        var state: ClaimState
        var isExpiring: Bool
        /// Whether the entry is in the list of a minute, which may be earlier than the entry's current minute of
        /// expiry.
        var isListed: Bool
    }

    private static let none = UInt32.max
    private static let chunkCount = 1_024

    /// The greatest number of claims that slot numbers can address.
    static let limit = Int(none) - 1

    /// The entries in chunks of fixed size, so that growing neither copies nor doubles them.
    private var chunks: [[Entry]] = []
    private var firstFree = none
    private var index: [UInt32] = Array(repeating: none, count: 16)

    /// The first entry of each minute of expiry that has entries.
    private var heads: [Int64: UInt32] = [:]

    /// The earliest minute in ``heads``.
    private var earliest = Int64.max

    /// The number of claims.
    private(set) var count = 0

    /// Returns the record of a transaction; nil if there is none.
    func record(of transaction: TransactionIdentifier) -> ClaimRecord? {
        let slot = index[position(of: transaction)]
        return slot == Self.none ? nil : Self.record(self[slot])
    }

    /// Returns the open claims, those of the oldest tokens first.
    func open(limit: Int) -> [ClaimRecord] {
        let open = chunks.joined().lazy.filter { $0.state == .claimed }
        return ClaimRecord.open(among: open.map(Self.record), limit: limit)
    }

    /// Adds or replaces the claim of a transaction; `expiry` is the second since 1970 after which it may be forgotten.
    mutating func set(_ record: ClaimRecord, expiry: Int64) {
        let position = position(of: record.claim.transaction)
        var slot = index[position]
        var entry = Entry(
            transaction: record.claim.transaction, serial: Self.number(of: record.claim.serial),
            signed: record.signingTime.secondsSince1970, next: Self.none, state: record.state,
            isExpiring: record.isExpiring, isListed: false)
        if slot == Self.none {
            slot = newSlot(entry)
            index[position] = slot
            count += 1
        } else {
            entry.next = self[slot].next
            entry.isListed = self[slot].isListed
            self[slot] = entry
        }
        if record.isExpiring, !entry.isListed { list(slot, minute: Self.minute(of: expiry)) }
        if count * 4 > index.count * 3 { grow() }
    }

    /// Forgets claims whose minute of expiry has passed.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of entries to examine.
    ///   - now: The current time in seconds since 1970.
    ///   - expiry: Returns the second since 1970 after which a claim with this signing time may be forgotten.
    /// - Returns: The numbers of entries examined and forgotten, and the latest signing time of a forgotten claim.
    mutating func forget(
        atMost limit: Int,
        now: Int64,
        expiry: (Int64) -> Int64
    ) -> (seen: Int, count: Int, latest: Int64) {
        var (seen, forgotten, latest) = (0, 0, Int64.min)
        while seen < limit, earliest < Self.minute(of: now), let slot = heads[earliest] {
            seen += 1
            let entry = self[slot]
            heads[earliest] = entry.next == Self.none ? nil : entry.next
            if entry.next == Self.none { earliest = heads.keys.min() ?? .max }
            self[slot].isListed = false
            guard entry.isExpiring else { continue }
            let minute = Self.minute(of: expiry(entry.signed))
            guard minute < Self.minute(of: now) else {
                // The transaction was released, and claimed again with a later token.
                list(slot, minute: minute)
                continue
            }
            remove(entry.transaction)
            forgotten += 1
            latest = max(latest, entry.signed)
        }
        return (seen, forgotten, latest)
    }

    private subscript(slot: UInt32) -> Entry {
        get { chunks[Int(slot) / Self.chunkCount][Int(slot) % Self.chunkCount] }
        _modify { yield &chunks[Int(slot) / Self.chunkCount][Int(slot) % Self.chunkCount] }
    }

    private mutating func list(_ slot: UInt32, minute: Int64) {
        self[slot].next = heads[minute] ?? Self.none
        self[slot].isListed = true
        heads[minute] = slot
        earliest = min(earliest, minute)
    }

    private mutating func newSlot(_ entry: Entry) -> UInt32 {
        if firstFree != Self.none {
            let slot = firstFree
            firstFree = self[slot].next
            self[slot] = entry
            return slot
        }
        if chunks.last.map({ $0.count == Self.chunkCount }) ?? true {
            var chunk: [Entry] = []
            chunk.reserveCapacity(Self.chunkCount)
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(entry)
        return UInt32((chunks.count - 1) * Self.chunkCount + chunks[chunks.count - 1].count - 1)
    }

    /// Returns the position of a transaction in the index, or the position where it would be added.
    private func position(of transaction: TransactionIdentifier) -> Int {
        var position = home(of: transaction)
        while index[position] != Self.none, self[index[position]].transaction != transaction {
            position = (position + 1) & (index.count - 1)
        }
        return position
    }

    private func home(of transaction: TransactionIdentifier) -> Int {
        transaction.hashValue & (index.count - 1)
    }

    private mutating func remove(_ transaction: TransactionIdentifier) {
        var hole = position(of: transaction)
        let slot = index[hole]
        let mask = index.count - 1
        var next = (hole + 1) & mask
        while index[next] != Self.none {
            let home = home(of: self[index[next]].transaction)
            // Fills the hole with an entry that a search from its home position would no longer find.
            if (next - home) & mask >= (next - hole) & mask {
                index[hole] = index[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        index[hole] = Self.none
        self[slot].state = .released
        self[slot].next = firstFree
        firstFree = slot
        count -= 1
    }

    private mutating func grow() {
        let slots = index.filter { $0 != Self.none }
        index = Array(repeating: Self.none, count: index.count * 2)
        for slot in slots { index[position(of: self[slot].transaction)] = slot }
    }

    private static func minute(of second: Int64) -> Int64 { second / 60 }

    private static func record(_ entry: Entry) -> ClaimRecord {
        ClaimRecord(
            claim: Claim(
                transaction: entry.transaction,
                serial: digits(entry.serial.high) + digits(entry.serial.low)),
            state: entry.state, signingTime: Date(timeIntervalSince1970: Double(entry.signed)),
            isExpiring: entry.isExpiring)
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the number whose hexadecimal digits are a serial that ``Claim`` chose.
    private static func number(of serial: String) -> (high: UInt64, low: UInt64) {
        (UInt64(serial.prefix(16), radix: 16) ?? 0, UInt64(serial.dropFirst(16), radix: 16) ?? 0)
    }
}
