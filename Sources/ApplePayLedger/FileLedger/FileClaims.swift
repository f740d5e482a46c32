internal import ApplePayPrimitives
internal import FoundationEssentials

/// The claims of a file ledger, and the steps that make and change them.
///
/// A claim first links its file as `open/TXID`, then as `claims/…/TXID`. link(2) gives a name to one caller, so the claim
/// that gets both is the only one. One sync of `open` makes the claims of a whole group durable: the name in `claims` may
/// be lost with the power, but the one in `open` remains until the other has been synced, when the claim is confirmed
/// or released. Names are linked without a lock. To remove or replace one takes the lock of the transaction's folder.
struct FileClaims: Sendable {
    let folder: LedgerFolder
    let retention: Retention
    let now: @Sendable () -> Date

    /// The claims that have the two names of a transaction; normally they are the same.
    struct Names {
        /// In `open`.
        let open: ClaimFile.Line?

        /// In `claims`.
        let claimed: ClaimFile.Line?

        /// The latest claim.
        ///
        /// After a loss of power `claims` may lack the name of the latest claim, or have an earlier claim in its place, one
        /// that was released; `open` has it then. An open claim next to one that was not released was never granted.
        var current: ClaimFile.Line? {
            guard let claimed, let open else { return claimed ?? open }
            let isSuperseded =
                claimed.record.state == .released && claimed.record.claim != open.record.claim
            return isSuperseded ? open : claimed
        }
    }

    /// Reads both names of a transaction.
    func names(of transaction: TransactionIdentifier) throws(FileError) -> Names {
        // Not the other way round: a claim that is closed in between loses the name in `open`.
        let claimed = try claimed(transaction)
        return Names(open: try open(transaction), claimed: claimed)
    }

    /// Reads the name in `claims`.
    func claimed(_ transaction: TransactionIdentifier) throws(FileError) -> ClaimFile.Line? {
        try folder.line(
            folder.shard(of: transaction).path(of: "\(transaction)"), of: transaction)
    }

    /// Reads the name in `open`.
    func open(_ transaction: TransactionIdentifier) throws(FileError) -> ClaimFile.Line? {
        try folder.line(folder.open.path(of: "\(transaction)"), of: transaction)
    }

    /// Does something while no other process removes or replaces a name of the transaction.
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
    /// The state is written in place, then the name in `claims` is synced, and only then the one in `open` is removed: at
    /// every moment one of them is on the disk.
    ///
    /// - Returns: Why the claim cannot be changed; nil when it was.
    func change(_ claim: Claim, to state: ClaimState) throws(FileError) -> LedgerError? {
        try locked(claim.transaction) { () throws(FileError) in
            let transaction = claim.transaction
            let shard = folder.shard(of: transaction)
            let path = shard.path(of: "\(transaction)")
            let names = try names(of: transaction)
            do throws(LedgerError) {
                _ = try ClaimChange.record(names.current?.record, of: claim, changedTo: state)
            } catch {
                return error
            }
            try restoreName(names, of: transaction)
            guard let line = try claimed(transaction), line.record.claim == claim else {
                throw folder.damaged(path)
            }
            // Also when the state is this one already: an earlier call may have failed to sync it.
            try InPlace.write(path, at: line.stateOffset, bytes: [ClaimFile.letter(of: state)])
            try shard.sync()
            if names.open?.record.claim == claim { try folder.open.remove("\(transaction)") }
            return nil
        }
    }

    /// Gives the name in `claims` to the latest claim, if only `open` has it; the folder must be locked.
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

    /// Links a file under the transaction's name in place of another; the transaction's folder must be locked.
    func replaceName(
        of transaction: TransactionIdentifier,
        in target: Folder,
        with file: String
    ) throws(FileError) {
        let name = "\(now().secondsSince1970).\(Claim.newSerial())"
        _ = try folder.new.link(file, as: name)
        do throws(FileError) {
            try target.move(folder.new.path(of: name), to: "\(transaction)")
        } catch {
            try? folder.new.remove(name)
            throw error
        }
        // rename(2) leaves both names if they are links to one file.
        try folder.new.remove(name)
    }
}
