#if PostgreSQL
    internal import ApplePayLedger

    /// The server settings that decide whether a claim survives a failover or a power failure.
    struct FailoverSettings {
        /// One sentence, without a full stop, for each setting that allows claims to be lost.
        let warnings: [String]

        /// Reads the server's settings; every database user may run it.
        ///
        /// Source: PostgreSQL, *High Availability*, "Synchronous Replication".
        static let statement = """
            SELECT current_setting('fsync'), current_setting('full_page_writes'),
                current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
                (SELECT count(*) FROM pg_stat_replication)
                    + (SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'physical')
            """

        /// Reads the answer to ``statement``.
        init(_ rows: [Row]) throws(LedgerError) {
            guard let row = rows.first, let fsync = row[0], let pages = row[1],
                let names = row[2], let commit = row[3], let standbys = row[4].flatMap({ Int($0) })
            else {
                throw LedgerError(
                    .ledgerUnavailable, reason: "the PostgreSQL server does not report its settings"
                )
            }
            var warnings: [String] = []
            if fsync != "on" || pages != "on" {
                warnings.append(
                    "claims can be lost in a power failure: the server runs with fsync=\(fsync) and "
                        + "full_page_writes=\(pages); set both to on")
            }
            if standbys > 0, names.isEmpty {
                warnings.append(
                    "transactions can be claimed twice after a failover: the server has standbys, but does not "
                        + "wait for them; set synchronous_standby_names, and keep synchronous_commit=on"
                )
            }
            if !names.isEmpty, !["on", "remote_apply"].contains(commit) {
                warnings.append(
                    "transactions can be claimed twice after a failover: synchronous_commit=\(commit) does not wait "
                        + "until a standby has written a claim to its disk; set it to on")
            }
            self.warnings = warnings
        }
    }
#endif
