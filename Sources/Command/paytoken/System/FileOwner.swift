internal import Glibc

/// The owner, the group and the permissions of a file, also if its path is a symbolic link.
struct FileOwner {
    /// The number of the user.
    let user: UInt32

    /// The number of the group.
    let group: UInt32

    /// The permission bits of the group, such as 0o4 for a file that the group may read.
    let groupRights: UInt32

    /// Whether this process is the owner's.
    var isThisUser: Bool { user == geteuid() }

    /// Examines a file (stat(2)); fails if it cannot be examined.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        user = status.st_uid
        group = status.st_gid
        groupRights = status.st_mode >> 3 & 0o7
    }
}
