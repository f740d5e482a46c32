internal import ApplePayPrimitives

/// The user to whom a ledger in a file belongs.
///
/// SQLite creates files beside the ledger. If they were root's, the service could no longer use its ledger.
package enum LedgerOwner {
    /// Lets this process become the user to whom the folder of a ledger belongs, if it is root's.
    ///
    /// That user decides what is in the folder, such as a link to one of root's files. The owner of a link in place of the folder
    /// comes before that of the folder; a link is followed only if it and its folder are root's. Read keys and secrets before:
    /// the user may not be permitted to.
    ///
    /// - Parameter path: The path of the ledger.
    /// - Throws: `CommandFailure` if the system refuses; the process then may have lost some of root's rights.
    package static func become(of path: String) throws(CommandFailure) {
        guard FileStatus.user == 0 else { return }
        let folder = Folder(containing: path).path
        let found = [
            try? FileStatus(folder), try? FileStatus(folder, followsLinks: true),
            try? FileStatus(path), try? FileStatus(path, followsLinks: true),
        ]
        guard let status = found.lazy.compactMap(\.self).first(where: { $0.owner != 0 }) else {
            return
        }
        guard ProcessUser.become(status.owner, group: status.group) else {
            throw .means(
                "this process is root's, and cannot become the user \(status.owner), to whom "
                    + "\(path) belongs; run it as that user.")
        }
    }
}
