internal import ApplePayPrimitives
internal import FoundationEssentials

/// The claims of a file ledger, and the steps that create and change them.
///
/// To claim, a process links the claim's file first as `open/TXID`, then as `claims/…/TXID`. link(2) lets only one
/// caller create a name, so only one claim gets both. One sync of `open` makes the claims of a whole group durable: a
/// power failure may lose the name in `claims`, but the name in `open` remains until the claim is confirmed or
/// released, and the name in `claims` is synced before that. Names are linked without a lock. Removing or replacing a
/// name requires the lock of the transaction's folder.
struct FileClaims: Sendable {
    let folder: LedgerFolder
    let retention: Retention
    let now: @Sendable () -> Date

    /// The claims to which the two names of a transaction link; normally they are the same.
    struct Names {
        /// The claim in `open`.
        let open: ClaimFile.Line?

        /// The claim in `claims`.
        let claimed: ClaimFile.Line?

        /// The latest claim.
        ///
        /// After a power failure, `claims` may lack the name of the latest claim or still link to an earlier, released
        /// claim; `open` then has the latest one. If `claims` links to a claim that was not released, another claim in
        /// `open` was never granted.
        var current: ClaimFile.Line? {
            guard let claimed, let open else { return claimed ?? open }
            let isSuperseded =
                claimed.record.state == .released && claimed.record.claim != open.record.claim
            return isSuperseded ? open : claimed
        }
    }

    /// Reads both names of a transaction.
    func names(of transaction: TransactionIdentifier) throws(FileError) -> Names {
        // In this order, because a claim that is closed between the two reads loses its name in `open`.
        let claimed = try claimed(transaction)
        return Names(open: try open(transaction), claimed: claimed)
    }

    /// Reads the claim in `claims`.
    func claimed(_ transaction: TransactionIdentifier) throws(FileError) -> ClaimFile.Line? {
        try folder.line(
            folder.shard(of: transaction).path(of: "\(transaction)"), of: transaction)
    }

    /// Reads the claim in `open`.
    func open(_ transaction: TransactionIdentifier) throws(FileError) -> ClaimFile.Line? {
        try folder.line(folder.open.path(of: "\(transaction)"), of: transaction)
    }

    /// Runs `body` while no other process removes or replaces a name of the transaction.
    func locked<Result>(
        _ transaction: TransactionIdentifier,
        _ body: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let lock = try folder.lock(folder.shard(of: transaction))
        let result = try body()
        _ = consume lock
        return result
    }

    /// Confirms or releases a claim.
    ///
    /// The state is written in place, then the name in `claims` is synced, and only then the name in `open` is removed,
    /// so that at least one of the names is on the disk at all times.
    ///
    /// - Returns: Nil if the claim was changed; otherwise the reason why it cannot be.
    func change(_ claim: Claim, to state: ClaimState) throws(FileError) -> LedgerError? {
        try locked(claim.transaction) { () throws(FileError) in
            let transaction = claim.transaction
            let shard = folder.shard(of: transaction)
            let names = try names(of: transaction)
            guard let current = names.current else { return LedgerError(.notClaimed) }
            do throws(LedgerError) {
                _ = try ClaimChange.record(current.record, of: claim, changedTo: state)
            } catch {
                return error
            }
            // From here on, the name in `claims` links to the file that was read.
            try restoreName(names, of: transaction)
            // Written even if the state is unchanged, because an earlier call may have failed to sync it.
            try InPlace.write(
                shard.path(of: "\(transaction)"), at: current.stateOffset,
                bytes: [ClaimFile.letter(of: state)])
            try shard.sync()
            if names.open?.record.claim == claim { try folder.open.remove("\(transaction)") }
            return nil
        }
    }

    /// Links the name in `claims` to the latest claim if only `open` has it; the caller must have locked the folder.
    func restoreName(
        _ names: Names,
        of transaction: TransactionIdentifier
    ) throws(FileError) {
        guard let current = names.current,
            current.record.claim != names.claimed?.record.claim
        else { return }
        try replaceName(
            of: transaction, in: folder.shard(of: transaction),
            with: folder.open.path(of: "\(transaction)"))
    }

    /// Replaces a name of the transaction with a link to another file; the caller must have locked the transaction's
    /// folder.
    func replaceName(
        of transaction: TransactionIdentifier,
        in target: Folder,
        with file: String
    ) throws(FileError) {
        let name = "\(now().secondsSince1970).\(Claim.newSerial())"
        _ = try folder.new.link(file, as: name)
        do {
            try target.move(folder.new.path(of: name), to: "\(transaction)")
        } catch {
            try? folder.new.remove(name)
            throw error
        }
        // rename(2) keeps both names if they link to the same file.
        try folder.new.remove(name)
    }
}
