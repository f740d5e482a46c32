internal import ApplePayPrimitives
internal import FoundationEssentials

/// The state with which one thread of a file ledger works.
final class FileWorker: LedgerWorker {
    let claims: FileClaims
    private let forgetting: FileForgetting

    init(_ claims: FileClaims) {
        self.claims = claims
        forgetting = FileForgetting(claims)
    }

    /// Claims a group, and forgets up to twice as many old claims, so that the ledger does not grow.
    func claim(
        _ requests: [ClaimRequest],
        deadline: ContinuousClock.Instant
    ) -> [Result<Claim, LedgerError>] {
        let results = claims.claim(requests)
        // Forgetting can be repeated later, so its failure does not affect the claims.
        _ = try? forgetting.forget(atMost: 2 * requests.count)
        return results
    }

    /// Returns the record of a transaction.
    func record(of transaction: TransactionIdentifier) throws(LedgerError) -> ClaimRecord? {
        try LedgerError.onDisk { () throws(FileError) in
            try claims.names(of: transaction).current?.record
        }
    }

    /// Confirms or releases a claim.
    func change(_ claim: Claim, to state: ClaimState) throws(LedgerError) {
        let error = try LedgerError.onDisk { () throws(FileError) in
            try claims.change(claim, to: state)
        }
        if let error { throw error }
    }

    /// Returns the open claims, and a sentence for each other entry in their folder.
    func open() throws(LedgerError) -> (claims: [ClaimRecord], problems: [String]) {
        try LedgerError.onDisk { () throws(FileError) in
            let folder = claims.folder.open
            var (records, problems): ([ClaimRecord], [String]) = ([], [])
            for name in try folder.names() {
                guard let transaction = TransactionIdentifier(hexadecimal: name) else {
                    problems.append(
                        "\(folder.path(of: name)) is not a claim; \(claims.folder.repairAdvice)")
                    continue
                }
                do throws(FileError) {
                    let names = try claims.names(of: transaction)
                    if let current = names.current?.record, current.state == .claimed {
                        records.append(current)
                    }
                } catch {
                    problems.append("\(error)")
                }
            }
            return (records, problems)
        }
    }

    /// Forgets all claims of the hours that have passed.
    func prune() throws(LedgerError) -> Int {
        try LedgerError.onDisk { () throws(FileError) in try forgetting.forget(atMost: .max) }
    }

    /// Returns a sentence for each file that is not as it should be, without reading all claims.
    func problems() throws(LedgerError) -> [String] {
        let strangers = try LedgerError.onDisk { () throws(FileError) in
            try claims.folder.root.names().filter { !LedgerFolder.names.contains($0) }
        }
        return try open().problems + forgetting.damaged.values
            + strangers.map {
                "\(claims.folder.root.path(of: $0)) is not part of the ledger; remove it"
            }
    }
}
