internal import ApplePayPrimitives
internal import FoundationEssentials

/// The folder of a file ledger: what lies in it, and the single steps that change it.
///
/// `ledger` holds the settings; `claims/00` to `claims/ff`, by the first byte of the transaction, have
/// a file for each claim, with `.released` behind its name when it was released; in `new` files are
/// written before they get their name.
struct ClaimFolder: Sendable {
    /// The first line of the settings.
    private static let form = "ApplePayToken ledger 1"

    /// No claim's file is longer; one that is was not written here.
    private static let limit = 256

    /// After so many seconds a file in `new` is what a process left that died.
    private static let abandonedAge: Int64 = 3600

    private let folder: Folder

    init(_ path: String) {
        folder = Folder(path)
    }

    /// The window of the settings; nil when there is no ledger here.
    func window() throws(FileError) -> Int? {
        let path = folder.path(of: "ledger")
        guard let text = try read(path) else { return nil }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines[0] == Self.form, lines[1].hasPrefix("window "),
            let window = Int(lines[1].dropFirst("window ".count)), window >= 0
        else { throw FileError(path: path, reason: "is of a form that is not known") }
        return window
    }

    /// Makes the folder and what is in it; the settings come last, so that there is a ledger or none.
    func make(window: Int, now: Date) throws(FileError) {
        try folder.create()
        let known: Set = ["ledger", "claims", "new"]
        guard try folder.names().allSatisfy(known.contains) else {
            throw FileError(path: folder.path, reason: "holds other things than a ledger")
        }
        try folder.folder("new").create()
        try folder.folder("claims").create()
        for number in 0..<256 { try shard(number).create() }
        try folder.folder("claims").sync()
        try write("\(Self.form)\nwindow \(window)\n", now: now) { file throws(FileError) in
            _ = try folder.link(file, as: "ledger")
        }
        try folder.sync()
        try folder.folder("..").sync()
    }

    /// The claim that has the transaction's name; nil when the name is free.
    func holder(of transaction: TransactionIdentifier) throws(FileError) -> ClaimRecord? {
        try record(shard(of: transaction).path(of: transaction.description), of: transaction)
    }

    /// The claim that was released last.
    func released(of transaction: TransactionIdentifier) throws(FileError) -> ClaimRecord? {
        try record(
            shard(of: transaction).path(of: Self.releasedName(transaction)), of: transaction)?
            .with(.released)
    }

    /// Gives a claim the transaction's name; false when another has it.
    func place(_ record: ClaimRecord, now: Date) throws(FileError) -> Bool {
        let transaction = record.claim.transaction
        let shard = shard(of: transaction)
        let isPlaced = try write(FileLedgerRecord(record).text, now: now) {
            file throws(FileError) in try shard.link(file, as: transaction.description)
        }
        guard isPlaced else { return false }
        do throws(FileError) {
            try shard.sync()
        } catch {
            // Nobody was told of the claim, and nobody else can have changed it.
            try? shard.remove(transaction.description)
            throw error
        }
        return true
    }

    /// Writes a claim anew in place of what it was; the transaction's folder must be locked.
    func replace(_ record: ClaimRecord, now: Date) throws(FileError) {
        let transaction = record.claim.transaction
        let shard = shard(of: transaction)
        try write(FileLedgerRecord(record).text, now: now) { file throws(FileError) in
            try shard.move(file, to: transaction.description)
        }
        try shard.sync()
    }

    /// Frees the transaction's name, keeping the claim as released; its folder must be locked.
    func release(_ transaction: TransactionIdentifier) throws(FileError) {
        let shard = shard(of: transaction)
        try shard.move(
            shard.path(of: transaction.description), to: Self.releasedName(transaction))
        try shard.sync()
    }

    /// Removes the claims of one of the 256 folders that may be forgotten; it must be locked.
    func prune(
        _ number: Int,
        mayForget: (ClaimRecord) -> Bool
    ) throws(FileError) -> Int {
        let names = try records(number).filter { mayForget($0.record) }.map(\.name)
        for name in names { try shard(number).remove(name) }
        return names.count
    }

    /// The claims of one of the 256 folders, by the names of their files.
    func records(_ number: Int) throws(FileError) -> [(name: String, record: ClaimRecord)] {
        let shard = shard(number)
        var records: [(name: String, record: ClaimRecord)] = []
        for name in try shard.names() {
            guard let transaction = TransactionIdentifier(hexadecimal: String(name.prefix(64))),
                let record = try record(shard.path(of: name), of: transaction)
            else { continue }
            let isReleased = name == Self.releasedName(transaction)
            records.append((name, isReleased ? record.with(.released) : record))
        }
        return records
    }

    /// Removes what processes left in `new` that died while they claimed.
    func removeAbandoned(now: Date) throws(FileError) {
        let new = folder.folder("new")
        for name in try new.names() {
            guard let seconds = Int64(name.prefix { $0 != "." }),
                seconds < now.secondsSince1970 - Self.abandonedAge
            else { continue }
            try new.remove(name)
        }
    }

    /// One of the 256 folders.
    func shard(_ number: Int) -> Folder {
        let digits = String(number, radix: 16)
        return folder.folder("claims").folder(digits.count == 1 ? "0" + digits : digits)
    }

    /// The folder of a transaction.
    func shard(of transaction: TransactionIdentifier) -> Folder {
        folder.folder("claims").folder(String(transaction.description.prefix(2)))
    }

    private static func releasedName(_ transaction: TransactionIdentifier) -> String {
        "\(transaction).released"
    }

    private func record(
        _ path: String,
        of transaction: TransactionIdentifier
    ) throws(FileError) -> ClaimRecord? {
        guard let text = try read(path) else { return nil }
        guard let record = FileLedgerRecord(text, of: transaction) else {
            throw FileError(path: path, reason: "is damaged")
        }
        return record.record
    }

    /// The bytes of a file; nil when there is none.
    private func read(_ path: String) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try FileContents.read(path, limit: Self.limit).array()
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Writes and syncs a file under a name of its own, and takes that name away again.
    @discardableResult
    private func write<Result>(
        _ text: String,
        now: Date,
        body: (String) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let new = folder.folder("new")
        let name = "\(now.secondsSince1970).\(Claim.newSerial())"
        try ExclusiveFile.create(
            new.path(of: name), mode: 0o600,
            contents: SensitiveBytes(SecretBytes(copying: Array(text.utf8).span)))
        defer { try? new.remove(name) }
        return try body(new.path(of: name))
    }
}
