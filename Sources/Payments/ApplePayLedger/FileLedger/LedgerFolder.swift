internal import ApplePayPrimitives
internal import FoundationEssentials

/// The folder of a file ledger, and its entries.
///
///     ledger              the settings
///     horizon             the signing time up to which claims may have been forgotten
///     claims/00 … ff      a name for each transaction, in the folder of its first byte
///     open                the names of the transactions with an open claim
///     expiring/HOUR       the files of the claims that may be forgotten after this hour since 1970
///     new                 files that do not have their names yet
///     set-aside           files that `repair` found and that are not claims
///
/// The names in `claims`, `open` and `expiring` are hard links to one file, which contains the claims of a group.
struct LedgerFolder: Sendable {
    /// The first line of the settings.
    private static let form = "ApplePayToken ledger 2"

    let root: Folder

    let claims: Folder
    let open: Folder
    let expiring: Folder
    let new: Folder
    let setAside: Folder

    /// The 256 folders of transactions.
    private let shards: [Folder]

    init(_ path: String) {
        root = Folder(path)
        claims = root.folder("claims")
        open = root.folder("open")
        expiring = root.folder("expiring")
        new = root.folder("new")
        setAside = root.folder("set-aside")
        shards = (0..<256).map { [claims] number in
            let digits = String(number, radix: 16)
            return claims.folder(digits.count == 1 ? "0" + digits : digits)
        }
    }

    /// The names of the folder's entries; an operator's files are not included.
    static let names: Set = [
        "ledger", "horizon", "horizon.next", "claims", "open", "expiring", "new", "set-aside",
    ]

    /// Returns the window in the settings; nil if the folder is not a ledger.
    ///
    /// - Throws: `FileError`, also if other users may write to the folder.
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

    /// Creates the folder and its entries, or completes what an interrupted call left.
    ///
    /// The settings are written last. Everything is synced even if it existed before, because an interrupted call may
    /// have ended before its syncs.
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
            do {
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
    func shard(_ number: Int) -> Folder { shards[number] }

    /// Returns the folder that contains the name of a transaction; its lock guards all names of the transaction.
    func shard(of transaction: TransactionIdentifier) -> Folder {
        shards[Int(transaction.octets.withSpan { $0[0] })]
    }

    /// Returns the folder of the claims that may be forgotten after an hour, counted from 1970.
    func hour(_ number: Int64) -> Folder { expiring.folder("\(number)") }

    /// Locks a transaction's folder until the returned value is destroyed.
    func lock(_ shard: Folder) throws(FileError) -> FolderLock {
        try FolderLock(shard, waiting: 5)
    }

    /// Writes and syncs a file in `new`; returns its new name, which begins with the time.
    func write(_ bytes: [UInt8], now: Date) throws(FileError) -> String {
        let name = "\(now.secondsSince1970).\(Claim.newSerial())"
        try ExclusiveFile.create(
            new.path(of: name), mode: 0o600,
            contents: SensitiveBytes(SecretBytes(copying: bytes.span)))
        return name
    }

    /// Removes files in `new` that processes left when they were killed more than an hour ago.
    func removeAbandoned(now: Date) throws(FileError) {
        for name in try new.names() {
            guard let seconds = Int64(name.prefix { $0 != "." }),
                seconds < now.secondsSince1970 - 3_600
            else { continue }
            try new.remove(name)
        }
    }

    /// Returns the claim that a file contains for a transaction; nil if the file does not exist.
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

    /// Returns the claims in a file; nil if the file does not exist.
    func lines(_ path: String) throws(FileError) -> [ClaimFile.Line]? {
        guard let bytes = try Self.read(path) else { return nil }
        guard let lines = ClaimFile.lines(bytes) else { throw damaged(path) }
        return lines
    }

    /// Returns the error for a file that is not a claim file.
    func damaged(_ path: String) -> FileError {
        FileError(path: path, reason: "is damaged; \(repairAdvice)")
    }

    /// The advice to repair the ledger, for a message about one of its files.
    var repairAdvice: String {
        "`paytoken ledger repair --ledger \(root.path.shellWord)` repairs the ledger"
    }

    /// Returns the bytes of a file; nil if the file does not exist.
    static func read(_ path: String) throws(FileError) -> [UInt8]? {
        try SmallFile.read(path, limit: ClaimFile.limit)
    }
}
