internal import ApplePayPrimitives
internal import FoundationEssentials

/// Forgets the claims of a file ledger whose hour of expiry has passed.
///
/// For each file of an hour: read it, advance the horizon past its claims and sync it, remove the claims' names, and
/// remove the file last, so that an interrupted run is repeated. Only one thread uses an instance.
final class FileForgetting {
    private let claims: FileClaims
    private let folder: LedgerFolder

    /// The next files to forget, all of one hour that has passed.
    private var files: [String] = []
    private var hour: Int64 = 0

    /// The hour in which files were last searched for.
    private var searchedHour: Int64?

    /// The hour for which a search found no remaining files.
    private var finishedHour: Int64?

    /// The paths of files and folders that could not be read or forgotten, with the reasons; they are skipped.
    private(set) var damaged: [String: String] = [:]

    init(_ claims: FileClaims) {
        self.claims = claims
        folder = claims.folder
    }

    /// Returns the hour, counted from 1970, that contains a second.
    static func hour(of second: Int64) -> Int64 { second / 3_600 }

    /// Forgets claims.
    ///
    /// - Parameter limit: The number of claims after which no further file is started; a file has at most 64.
    /// - Returns: The number of claims forgotten.
    /// - Throws: `FileError`; the next call forgets the remaining claims.
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
                // Another process, or this one an hour later, tries the file again.
                damaged[path] = "\(error)"
            }
        }
        if count > 0, files.isEmpty { Horizon(folder).reserve() }
        return count
    }

    /// Removes the names of a claim unless they link to another claim of the transaction.
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

    /// Searches for files of an hour that has passed, if none remain from the last search.
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
                // Another process may have removed the hour's folder.
                if !error.isMissing { damaged[folder.hour(hour).path] = "\(error)" }
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
