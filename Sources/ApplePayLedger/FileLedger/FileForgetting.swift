internal import ApplePayPrimitives
internal import FoundationEssentials

/// Forgets the claims of a file ledger whose hour of expiry is over.
///
/// Each file of an hour is read, the horizon is moved past its claims and synced, their names are removed, and the file
/// last, so that an interrupted part is done again. One thread uses it.
final class FileForgetting {
    private let claims: FileClaims
    private let folder: LedgerFolder

    /// Files of one hour that is over, which are forgotten next.
    private var files: [String] = []
    private var hour: Int64 = 0

    /// The hour in which files were looked for.
    private var searchedHour: Int64?

    /// The hour in which nothing more was found.
    private var finishedHour: Int64?

    /// Files that could not be read or forgotten, by their paths, and why; they are skipped.
    private(set) var damaged: [String: String] = [:]

    init(_ claims: FileClaims) {
        self.claims = claims
        folder = claims.folder
    }

    /// Returns the hour since 1970 that contains a second.
    static func hour(of second: Int64) -> Int64 { second / 3_600 }

    /// Forgets claims.
    ///
    /// - Parameter limit: After so many claims no other file is begun; a file has at most 64.
    /// - Returns: How many were forgotten.
    /// - Throws: `FileError`; what is left is forgotten the next time.
    func forget(atMost limit: Int) throws(FileError) -> Int {
        var (count, seen) = (0, 0)
        while seen < limit, try findFiles(), let file = files.popLast() {
            let path = folder.hour(hour).path(of: file)
            let lines: [ClaimFile.Line]
            do {
                guard let found = try folder.lines(path) else { continue }
                lines = found
            } catch {
                damaged[path] = "\(error)"
                continue
            }
            let records = lines.map(\.record).filter {
                $0.isExpiring && Self.hour(of: claims.retention.expiry($0)) <= hour
            }
            seen += lines.count
            if let latest = records.map(\.signingTime.secondsSince1970).max() {
                try Horizon(folder).advance(to: latest)
            }
            do {
                for record in records where try forget(record.claim) { count += 1 }
                try folder.hour(hour).remove(file)
            } catch {
                // In an hour, or in another process, it is tried again.
                damaged[path] = "\(error)"
            }
        }
        if count > 0, files.isEmpty { Horizon(folder).reserve() }
        return count
    }

    /// Removes the names of a claim, and none of another claim of the transaction.
    private func forget(_ claim: Claim) throws(FileError) -> Bool {
        let name = "\(claim.transaction)"
        return try claims.locked(claim.transaction) { () throws(FileError) in
            let names = try claims.names(of: claim.transaction)
            if names.open?.record.claim == claim { try folder.open.remove(name) }
            guard names.claimed?.record.claim == claim else { return false }
            try folder.shard(of: claim.transaction).remove(name)
            return true
        }
    }

    /// Finds files of an hour that is over, if none is left from before.
    private func findFiles() throws(FileError) -> Bool {
        guard files.isEmpty else { return true }
        let now = Self.hour(of: claims.now().secondsSince1970)
        guard finishedHour != now else { return false }
        if searchedHour != now { damaged = [:] }
        searchedHour = now
        let hours = try folder.expiring.names().compactMap { Int64($0) }.filter { $0 < now }
        for hour in hours.sorted() {
            let found: [String]
            do {
                found = try folder.hour(hour).names(upTo: 4_096)
            } catch {
                // Another process has removed the hour.
                guard error.isMissing else { throw error }
                continue
            }
            files = found.filter { damaged[folder.hour(hour).path(of: $0)] == nil }
            self.hour = hour
            guard files.isEmpty else { return true }
            try folder.expiring.removeFolder("\(hour)")
        }
        try folder.removeAbandoned(now: claims.now())
        finishedHour = now
        return false
    }
}
