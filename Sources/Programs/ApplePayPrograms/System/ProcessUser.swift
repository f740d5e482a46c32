internal import Glibc

/// The user and the group of this process, as commands name them.
package enum ProcessUser {
    /// The user's name; its number if it has none.
    package static var name: String { name(ofUser: geteuid()) }

    /// Returns the name of a user; its number if it has none.
    static func name(ofUser number: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let result = unsafe getpwuid_r(number, &entry, &buffer, buffer.count, &found)
        guard result == 0, let found = unsafe found, let name = unsafe found.pointee.pw_name else {
            return "\(number)"
        }
        return unsafe String(cString: name)
    }

    /// The name of the process's own group; its number if it has none.
    package static var group: String { name(ofGroup: getegid()) }

    /// The number of the process's own group.
    package static var groupNumber: UInt32 { getegid() }

    /// Returns the name of a group; its number if it has none.
    package static func name(ofGroup number: UInt32) -> String {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let result = unsafe getgrgid_r(number, &entry, &buffer, buffer.count, &found)
        guard result == 0, let found = unsafe found, let name = unsafe found.pointee.gr_name else {
            return "\(number)"
        }
        return unsafe String(cString: name)
    }

    /// Returns the number of a user by its name, or by its number as text; nil if there is none.
    package static func number(ofUser name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let result = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        guard result == 0, let found = unsafe found else { return number(name) }
        return unsafe found.pointee.pw_uid
    }

    /// Returns the number of a group by its name, or by its number as text; nil if there is none.
    package static func number(ofGroup name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let result = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        guard result == 0, let found = unsafe found else { return number(name) }
        return unsafe found.pointee.gr_gid
    }

    /// Returns the number that a text of digits states.
    private static func number(_ digits: String) -> UInt32? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(digits) : nil
    }

    /// Lets root's process become another user, with that user's groups, for ever.
    ///
    /// - Parameters:
    ///   - user: The number of the user.
    ///   - group: The only group of a user whom the system does not know.
    ///   - entersHome: Whether `HOME` becomes the user's home; then no other thread may read the environment.
    /// - Returns: Whether the system permits it; otherwise, the process may have lost some of root's rights.
    package static func become(
        _ user: UInt32, group: UInt32, entersHome: Bool = false
    ) -> Bool {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        let result = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        var own = group
        if result == 0, let found = unsafe found, let name = unsafe found.pointee.pw_name {
            own = unsafe found.pointee.pw_gid
            guard unsafe initgroups(name, own) == 0 else { return false }
            if entersHome, let home = unsafe found.pointee.pw_dir {
                guard unsafe setenv("HOME", home, 1) == 0 else { return false }
            }
        } else {
            guard setgroups(0, nil) == 0 else { return false }
        }
        // For a new user, the system forgets that the process may not be dumped (prctl(2), PR_SET_DUMPABLE).
        return setgid(own) == 0 && setuid(user) == 0 && ProcessGuard.disableCoreDumps()
    }

    /// Whether this process is in a group.
    package static func isMember(ofGroup number: UInt32) -> Bool {
        guard number != getegid() else { return true }
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = unsafe getgroups(Int32(groups.count), &groups)
        return count > 0 && groups.prefix(Int(count)).contains(number)
    }
}
