internal import ApplePayPrimitives
internal import Glibc

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
        // For a new user, the system forgets that the process may not be dumped (prctl(2), PR_SET_DUMPABLE).
        guard become(user: status.owner, group: status.group), ProcessGuard.disableCoreDumps()
        else {
            throw .means(
                "this process is root's, and cannot become the user \(status.owner), to whom "
                    + "\(path) belongs; run it as that user.")
        }
    }

    /// Gives up root's rights; returns false if the system refuses.
    private static func become(user: uid_t, group: gid_t) -> Bool {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let result = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        // A user without an entry has no groups but that of the file.
        guard result == 0, let found = unsafe found, let name = unsafe found.pointee.pw_name else {
            return setgroups(0, nil) == 0 && setgid(group) == 0 && setuid(user) == 0
        }
        let own = unsafe found.pointee.pw_gid
        return (unsafe initgroups(name, own) == 0) && setgid(own) == 0 && setuid(user) == 0
    }
}
