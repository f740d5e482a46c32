internal import ApplePayPrimitives
internal import FoundationEssentials

extension FileClaims {
    /// Claims the transactions of a group, which must all be different.
    ///
    /// - Parameter requests: At most ``LedgerThreads/groupLimit``.
    /// - Returns: One result per request, in order. After an error a name in `open` may remain; an operator finds it as
    ///   an open claim.
    func claim(_ requests: [ClaimRequest]) -> [Result<Claim, LedgerError>] {
        let group = requests.map(ClaimRecord.init)
        let horizon: Int64
        do {
            horizon = try Horizon(folder).current()
        } catch {
            return requests.map { _ in .failure(LedgerError(error)) }
        }
        var errors = zip(requests, group).map { check($0, $1, horizon) }
        let records = zip(group, errors).filter { $1 == nil }.map(\.0)
        guard !records.isEmpty else {
            return zip(group, errors).map { Self.result($0, $1) }
        }
        do {
            let bytes = ClaimFile.bytes(records)
            let file = try folder.write(bytes, now: now())
            defer { try? folder.new.remove(file) }
            try index(records, file)
            for position in group.indices where errors[position] == nil {
                errors[position] = place(group[position], file)
            }
            // The only sync of the group: after it, all its claims are on the disk.
            try folder.open.sync()
            try recheck(group, file, bytes, &errors)
        } catch {
            for position in group.indices where errors[position] == nil {
                errors[position] = LedgerError(error)
            }
        }
        return zip(group, errors).map { Self.result($0, $1) }
    }

    private static func result(
        _ record: ClaimRecord,
        _ error: LedgerError?
    ) -> Result<Claim, LedgerError> {
        error.map { .failure($0) } ?? .success(record.claim)
    }

    /// Returns why a request must be refused before anything is written; nil if it may be claimed.
    private func check(
        _ request: ClaimRequest,
        _ record: ClaimRecord,
        _ horizon: Int64
    ) -> LedgerError? {
        do {
            try retention.check(window: request.window)
            let current = try LedgerError.onDisk { () throws(FileError) in
                try names(of: request.transaction).current
            }
            try retention.check(record, at: now(), horizon: horizon)
            guard let state = current?.record.state, state != .released else { return nil }
            return LedgerError(state.refusal)
        } catch {
            return error
        }
    }

    /// Lists the claims of a file under the hours after which the ledger may forget them.
    private func index(_ records: [ClaimRecord], _ file: String) throws(FileError) {
        let expiring = records.filter(\.isExpiring)
        for hour in Set(expiring.map { FileForgetting.hour(of: retention.expiry($0)) }) {
            try index(folder.new.path(of: file), as: file, hour)
        }
    }

    /// Links a file into the folder of an hour.
    func index(_ path: String, as name: String, _ number: Int64) throws(FileError) {
        let hour = folder.hour(number)
        // Another process may repeatedly remove the hour's folder before it has an entry, but not endlessly.
        for attempt in 1...16 {
            try hour.create()
            do {
                _ = try hour.link(path, as: name)
                return
            } catch {
                guard error.isMissing, attempt < 16 else { throw error }
            }
        }
    }

    /// Links both names of a claim's transaction to its file; returns the error if a name is taken.
    private func place(_ record: ClaimRecord, _ file: String) -> LedgerError? {
        let transaction = record.claim.transaction
        let path = folder.new.path(of: file)
        do {
            if try folder.open.link(path, as: "\(transaction)"),
                try folder.shard(of: transaction).link(path, as: "\(transaction)")
            {
                return nil
            }
            return try contest(record, path)
        } catch {
            try? withdraw(record.claim)
            return LedgerError(error)
        }
    }

    /// Links both names of a claim although one of them is taken, if the claim that has the name was released.
    private func contest(_ record: ClaimRecord, _ path: String) throws(FileError) -> LedgerError? {
        try locked(record.claim.transaction) { () throws(FileError) in
            // Other processes may link a free name at any time, but only the owner of the lock removes one.
            for _ in 0..<16 {
                if let outcome = try contestOnce(record, path) { return outcome.error }
            }
            return LedgerError(.alreadyClaimed)
        }
    }

    /// The outcome for a claim whose name was taken.
    private struct Contest {
        /// Nil if the claim has both names.
        let error: LedgerError?
    }

    /// Does the next step towards both names; the caller must have locked the transaction's folder.
    ///
    /// - Returns: Nil if another step is needed.
    private func contestOnce(_ record: ClaimRecord, _ path: String) throws(FileError) -> Contest? {
        let transaction = record.claim.transaction
        let name = "\(transaction)"
        let shard = folder.shard(of: transaction)
        let names = try names(of: transaction)
        let isOpen = names.open?.record.claim == record.claim
        if let claimed = names.claimed?.record {
            if claimed.claim == record.claim, claimed.state != .claimed {
                // An operator closed this claim before it was granted.
                return Contest(error: LedgerError(claimed.state.refusal))
            }
            if claimed.claim != record.claim, claimed.state != .released {
                if isOpen { try folder.open.remove(name) }
                if claimed.state == .claimed, isOpen || names.open == nil {
                    // Operators find claims by their open names only.
                    _ = try folder.open.link(shard.path(of: name), as: name)
                }
                return Contest(error: LedgerError(claimed.state.refusal))
            }
        }
        guard let open = names.open?.record else {
            _ = try folder.open.link(path, as: name)
            return nil
        }
        if isOpen {
            if names.claimed == nil {
                return try shard.link(path, as: name) ? Contest(error: nil) : nil
            }
            // The name in `claims` links to this claim, or to an earlier one that was released.
            try restoreName(names, of: transaction)
            return Contest(error: nil)
        }
        guard open.state == .released else {
            return Contest(error: LedgerError(open.state.refusal))
        }
        // A caller released this claim, and died before it removed the open name.
        try restoreName(names, of: transaction)
        try shard.sync()
        try folder.open.remove(name)
        return nil
    }

    /// Removes the open name of a claim that did not get the name in `claims`.
    private func withdraw(_ claim: Claim) throws(FileError) {
        try locked(claim.transaction) { () throws(FileError) in
            let names = try names(of: claim.transaction)
            if names.open?.record.claim == claim, names.claimed?.record.claim != claim {
                try folder.open.remove("\(claim.transaction)")
            }
        }
    }

    /// Checks claims again after both names were linked and synced.
    ///
    /// While this process was suspended, an operator may have released a claim, or the ledger may have forgotten an
    /// earlier claim of the same transaction. In the second case the horizon was advanced before the name became free.
    private func recheck(
        _ group: [ClaimRecord],
        _ file: String,
        _ written: [UInt8],
        _ errors: inout [LedgerError?]
    ) throws(FileError) {
        let path = folder.new.path(of: file)
        guard let bytes = try LedgerFolder.read(path) else {
            throw FileError(
                path: path, reason: "was removed while its claims were made; claim again")
        }
        let open = bytes == written ? nil : try openClaims(bytes, path)
        let horizon = try Horizon(folder).current()
        for (position, record) in group.enumerated() where errors[position] == nil {
            if open?.contains(record.claim) == false {
                errors[position] = LedgerError(.alreadyClaimed)
            } else if record.isExpiring, record.signingTime.secondsSince1970 <= horizon {
                errors[position] = LedgerError(.tooLate)
            }
        }
    }

    /// Returns the claims of a file that are still open.
    private func openClaims(_ bytes: [UInt8], _ path: String) throws(FileError) -> Set<Claim> {
        guard let lines = ClaimFile.lines(bytes) else { throw folder.damaged(path) }
        return Set(lines.map(\.record).filter { $0.state == .claimed }.map(\.claim))
    }
}
