internal import ApplePayPrimitives
internal import FoundationEssentials

/// The folder of a file ledger, and what is in it.
///
///     ledger              the settings
///     horizon             the signing time up to which claims may have been forgotten
///     claims/00 … ff      a name for each transaction, in the folder of its first byte
///     open                the names of the transactions with an open claim
///     expiring/HOUR       the files of the claims that may be forgotten after this hour since 1970
///     new                 files before they get their names
///     set-aside           what `repair` found that is no claim
///
/// The names in `claims`, `open` and `expiring` are hard links to one file, which contains the claims of a group.
struct LedgerFolder: Sendable {
    /// The first line of the settings.
    private static let form = "ApplePayToken ledger 2"

    let root: Folder

    init(_ path: String) {
        root = Folder(path)
    }

    var claims: Folder { root.folder("claims") }
    var open: Folder { root.folder("open") }
    var expiring: Folder { root.folder("expiring") }
    var new: Folder { root.folder("new") }
    var setAside: Folder { root.folder("set-aside") }

    /// The names of the folder's entries; those of an operator's own files are not among them.
    static let names: Set = [
        "ledger", "horizon", "horizon.next", "claims", "open", "expiring", "new", "set-aside",
    ]

    /// Returns the window of the settings; nil when there is no ledger here.
    ///
    /// - Throws: `FileError`, also for a folder that other users may write to.
    func window() throws(FileError) -> Int? {
        let path = root.path(of: "ledger")
        guard let text = try Self.read(path) else { return nil }
        try checkPermissions()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines[0] == Self.form, lines[1].hasPrefix("window "),
            let window = Int(lines[1].dropFirst("window ".count)), window >= 0
        else {
            throw FileError(
                path: path,
                reason:
                    "is not a ledger of this version of ApplePayToken; create a ledger in another folder"
            )
        }
        return window
    }

    /// Creates the folder and what is in it, or completes what an interrupted call left.
    ///
    /// The settings come last, and everything is synced also if it was there before: an interrupted call may have ended
    /// before its syncs.
    func create(window: Int, now: Date) throws(FileError) {
        try root.create()
        guard try root.names().allSatisfy(Self.names.contains) else {
            throw FileError(
                path: root.path,
                reason: "contains files that do not belong to a ledger; name a new folder")
        }
        try checkPermissions()
        for folder in [new, claims, open, expiring] { try folder.create() }
        for number in 0..<256 { try shard(number).create() }
        try checkPermissions()
        for folder in [claims, open, expiring] { try folder.sync() }
        let horizon = Horizon(self)
        try horizon.create(0)
        horizon.reserve()
        let bytes = Array("\(Self.form)\nwindow \(window)\n".utf8)
        let file = try write(bytes, now: now)
        defer { try? root.remove("new/\(file)") }
        _ = try root.link(new.path(of: file), as: "ledger")
        try root.sync()
        try root.folder("..").sync()
    }

    /// Refuses folders that other users may write to: they could remove claims.
    func checkPermissions() throws(FileError) {
        for folder in [root, claims, open, expiring, new] {
            let status: FileStatus
            do throws(FileError) {
                status = try FileStatus(folder.path)
            } catch {
                guard error.isMissing else { throw error }
                continue
            }
            guard status.isFolder, !status.isWritableByOthers else {
                throw FileError(
                    path: folder.path,
                    reason: status.isFolder
                        ? "can be changed by other users; `chmod go-w \(folder.path.shellWord)` prevents that"
                        : "is not a folder; name another folder for the ledger")
            }
        }
    }

    /// Returns one of the 256 folders of transactions.
    func shard(_ number: Int) -> Folder {
        let digits = String(number, radix: 16)
        return claims.folder(digits.count == 1 ? "0" + digits : digits)
    }

    /// Returns the folder with the name of a transaction; its lock guards all names of the transaction.
    func shard(of transaction: TransactionIdentifier) -> Folder {
        claims.folder(String(transaction.description.prefix(2)))
    }

    /// Returns the folder of the claims that may be forgotten after an hour since 1970.
    func hour(_ number: Int64) -> Folder { expiring.folder("\(number)") }

    /// Takes the lock of a transaction's folder, which is given up with the value.
    func lock(_ shard: Folder) throws(FileError) -> FolderLock {
        try FolderLock(shard, waiting: 5)
    }

    /// Writes a file in `new` and syncs it, under a new name, which begins with the time.
    func write(_ bytes: [UInt8], now: Date) throws(FileError) -> String {
        let name = "\(now.secondsSince1970).\(Claim.newSerial())"
        try ExclusiveFile.create(
            new.path(of: name), mode: 0o600,
            contents: SensitiveBytes(SecretBytes(copying: bytes.span)))
        return name
    }

    /// Removes files in `new` that belong to processes that were killed more than an hour ago.
    func removeAbandoned(now: Date) throws(FileError) {
        for name in try new.names() {
            guard let seconds = Int64(name.prefix { $0 != "." }),
                seconds < now.secondsSince1970 - 3_600
            else { continue }
            try new.remove(name)
        }
    }

    /// Returns the claim that a file has for a transaction; nil when there is no such file.
    func line(
        _ path: String,
        of transaction: TransactionIdentifier
    ) throws(FileError) -> ClaimFile.Line? {
        guard let lines = try lines(path) else { return nil }
        guard let line = lines.first(where: { $0.record.claim.transaction == transaction }) else {
            throw damaged(path)
        }
        return line
    }

    /// Returns the claims in a file; nil when there is no such file.
    func lines(_ path: String) throws(FileError) -> [ClaimFile.Line]? {
        guard let bytes = try Self.read(path) else { return nil }
        guard let lines = ClaimFile.lines(bytes) else { throw damaged(path) }
        return lines
    }

    /// The error for a file that is not a claim's.
    func damaged(_ path: String) -> FileError {
        FileError(path: path, reason: "is damaged; \(repairAdvice)")
    }

    /// How to repair the ledger, for a message about one of its files.
    var repairAdvice: String {
        "`paytoken ledger repair --ledger \(root.path.shellWord)` repairs the ledger"
    }

    /// Returns the bytes of a file; nil when there is none.
    static func read(_ path: String) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try FileContents.read(path, limit: ClaimFile.limit).array()
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}
