internal import ApplePayPrimitives
internal import FoundationEssentials

/// Reads all of a file ledger and repairs what can be repaired.
///
/// In unclear cases the transaction stays claimed: if its file cannot be read, it gets an open claim, and an operator
/// decides. A repair can be interrupted at any point and run again.
struct FileRepair {
    private let claims: FileClaims
    private let folder: LedgerFolder
    private var findings: [String] = []

    init(_ claims: FileClaims) {
        self.claims = claims
        folder = claims.folder
    }

    /// Returns a sentence for each finding and its repair.
    func run() throws(FileError) -> [String] {
        var repair = self
        try repair.repairAll()
        return repair.findings
    }

    private mutating func repairAll() throws(FileError) {
        try repairHorizon()
        var expiring: [String: TransactionIdentifier] = [:]
        for number in 0..<256 {
            let shard = folder.shard(number)
            if try shard.create() { findings.append("\(shard.path) was missing") }
            for name in try shard.names() {
                guard let transaction = transaction(name, in: shard) else {
                    try setAside(name, of: shard)
                    continue
                }
                if let record = try repair(transaction), record.isExpiring {
                    expiring[record.claim.serial] = transaction
                }
            }
            try shard.sync()
        }
        for name in try folder.open.names() {
            if let transaction = TransactionIdentifier(hexadecimal: name),
                name == "\(transaction)"
            {
                _ = try repair(transaction)
            } else {
                try setAside(name, of: folder.open)
            }
        }
        try folder.open.sync()
        try repairIndex(&expiring)
        try folder.claims.sync()
        try folder.root.sync()
        try folder.removeAbandoned(now: claims.now())
        for name in try folder.root.names() where !LedgerFolder.names.contains(name) {
            findings.append("\(folder.root.path(of: name)) is not part of the ledger; remove it")
        }
    }

    /// Writes a new horizon if there is none: every claim that may have been forgotten by now counts as forgotten.
    private mutating func repairHorizon() throws(FileError) {
        let horizon = Horizon(folder)
        do {
            if try horizon.read() != nil { return }
        } catch {
            findings.append("\(error)")
        }
        try horizon.replace(
            claims.now().secondsSince1970 - Int64(claims.retention.lastKeptAge))
        findings.append("the file horizon was missing or damaged, and was written again")
    }

    /// Returns the transaction that a file name denotes, if the file is in the right folder.
    private func transaction(_ name: String, in shard: Folder) -> TransactionIdentifier? {
        TransactionIdentifier(hexadecimal: name).flatMap {
            name == "\($0)" && folder.shard(of: $0) == shard ? $0 : nil
        }
    }

    /// Repairs the names of a transaction, and returns its latest claim; nil if it has none.
    private mutating func repair(
        _ transaction: TransactionIdentifier
    ) throws(FileError) -> ClaimRecord? {
        let (record, found) = try claims.locked(transaction) { () throws(FileError) in
            try repairLocked(transaction)
        }
        // A transaction is found by each of its two names.
        findings += found.filter { !findings.contains($0) }
        return record
    }

    private func repairLocked(
        _ transaction: TransactionIdentifier
    ) throws(FileError) -> (ClaimRecord?, [String]) {
        let name = "\(transaction)"
        let shard = folder.shard(of: transaction)
        var found: [String] = []
        let claimed = try readable(shard.path(of: name), of: transaction, &found)
        let open = try readable(folder.open.path(of: name), of: transaction, &found)
        if claimed.isUnreadable || open.isUnreadable { return (nil, found) }
        guard claimed.exists || open.exists else { return (nil, found) }
        let current = FileClaims.Names(open: open.line, claimed: claimed.line).current?.record
        let record =
            current
            ?? ClaimRecord(
                claim: Claim(transaction: transaction), state: .claimed, signingTime: claims.now(),
                isExpiring: false)
        if current == nil {
            found.append(
                "transaction \(transaction) had no readable claim and now has an open claim; find out whether it "
                    + "was charged, then confirm or release it")
        }
        let isClaimed = claimed.isSound && claimed.line?.record.claim == record.claim
        let isOpen = open.isSound && open.line?.record.claim == record.claim
        let isWhole = isClaimed && (record.state == .claimed ? isOpen : !open.exists)
        guard !isWhole else { return (record, found) }
        // Links to the file of the other name, since its claim may be in progress; writes a new file only if both names
        // are unsound.
        let new =
            isClaimed || isOpen
            ? nil : try folder.write(ClaimFile.bytes([record]), now: claims.now())
        defer { if let new { try? folder.new.remove(new) } }
        let path =
            new.map(folder.new.path) ?? (isClaimed ? shard : folder.open).path(of: name)
        if !isClaimed { try claims.replaceName(of: transaction, in: shard, with: path) }
        try shard.sync()
        if record.state != .claimed {
            try folder.open.remove(name)
        } else if !isOpen {
            try claims.replaceName(of: transaction, in: folder.open, with: path)
            try folder.open.sync()
        }
        found.append(
            "transaction \(transaction): missing or damaged copies of its claim were restored")
        return (record, found)
    }

    /// The file to which one of the two names of a transaction links.
    private struct Name {
        var exists = true
        var line: ClaimFile.Line?
        /// Whether this process is not permitted to read the file, so that the repair cannot decide anything.
        var isUnreadable = false
        /// Whether the file needs no repair.
        var isSound = false
    }

    private func readable(
        _ path: String,
        of transaction: TransactionIdentifier,
        _ found: inout [String]
    ) throws(FileError) -> Name {
        let status: FileStatus
        do {
            status = try FileStatus(path)
        } catch {
            guard error.isMissing else { throw error }
            return Name(exists: false)
        }
        guard status.isFile else {
            found.append("\(path) is not a file; remove it and repair again")
            return Name(isUnreadable: true)
        }
        let bytes: [UInt8]
        do {
            guard let read = try LedgerFolder.read(path) else { return Name(exists: false) }
            bytes = read
        } catch {
            found.append(
                "\(error); repeat the repair as the user that owns the file, or as root")
            return Name(isUnreadable: true)
        }
        let line = ClaimFile.lines(bytes)?.first { $0.record.claim.transaction == transaction }
        if line == nil { found.append("\(path) was damaged") }
        let isOurs = status.owner == FileStatus.user
        if !isOurs { found.append("\(path) belonged to another user") }
        return Name(line: line, isSound: line != nil && isOurs)
    }

    /// Lists expiring claims that no hour lists; otherwise they would never be forgotten.
    private mutating func repairIndex(
        _ expiring: inout [String: TransactionIdentifier]
    ) throws(FileError) {
        for name in try folder.expiring.names() {
            let hour = folder.expiring.folder(name)
            guard let files = try files(of: hour, named: name) else {
                try setAside(name, of: folder.expiring)
                continue
            }
            for file in files {
                do {
                    for line in try folder.lines(hour.path(of: file)) ?? [] {
                        expiring[line.record.claim.serial] = nil
                    }
                } catch {
                    try setAside(file, of: hour)
                }
            }
        }
        for (serial, transaction) in expiring {
            guard let record = try claims.names(of: transaction).current?.record,
                record.claim.serial == serial
            else { continue }
            let path = folder.shard(of: transaction).path(of: "\(transaction)")
            try claims.index(
                path, as: serial, FileForgetting.hour(of: claims.retention.expiry(record)))
            findings.append("transaction \(transaction) was not listed under its hour of expiry")
        }
    }

    /// Returns the names of the files of an hour; nil if `name` is not a number, or if a file has that name.
    private func files(of hour: Folder, named name: String) throws(FileError) -> [String]? {
        guard let number = Int64(name), name == "\(number)" else { return nil }
        do {
            return try FileStatus(hour.path).isFolder ? hour.names() : nil
        } catch {
            // Another process forgot the last claim of the hour and removed its folder.
            guard error.isMissing else { throw error }
            return []
        }
    }

    /// Moves a file that is not a claim to the folder `set-aside`.
    private mutating func setAside(_ name: String, of parent: Folder) throws(FileError) {
        let path = parent.path(of: name)
        try folder.setAside.create()
        let target = Claim.newSerial()
        try folder.setAside.move(path, to: target)
        findings.append(
            "\(path) is not a claim; it was moved to \(folder.setAside.path(of: target))")
    }
}
