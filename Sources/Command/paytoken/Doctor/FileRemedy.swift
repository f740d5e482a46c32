internal import ApplePayPrimitives
internal import ApplePayPrograms

/// The command with which this process can use a file that it cannot read.
///
/// Words in capital letters, such as `KEY`, are for the reader to replace.
struct FileRemedy {
    /// What to do where nothing more is known.
    static let correction = "Correct this, then run doctor again."

    /// The option of install(1) and mv(1) with which a file that they replace is kept under another name.
    static let backup = "--backup=numbered"

    /// The file or folder.
    let path: String

    /// The least number of a group that is not one of the system's own (Debian Policy, section 9.2.2).
    private static let firstOrdinaryGroup: UInt32 = 100

    /// The group of processes without a user of their own, nogroup.
    private static let sharedGroup: UInt32 = 65_534

    /// The placeholder for the file from which a missing one is installed, such as `KEY`.
    let original: String

    /// One or two sentences with a command; nil if the file can be read, or if no command is known.
    var advice: String? {
        if let closed = PathHint.closed(path) {
            return Self.permitting(closed.path, closed.right)
        }
        guard (try? FileStatus(path)) != nil else {
            return Self.advice(forMissing: path, original)
        }
        guard FileRight.read.obstacle(to: path) == .missing else { return nil }
        // The name exists, so it is a symbolic link.
        return
            "It is a symbolic link to a file that does not exist: "
            + "\(Self.command("ln -sfn \(original) \(path.shellWord)", in: path)), lets it point to \(original)."
    }

    private static func advice(forMissing path: String, _ original: String) -> String {
        "Correct the name, or put the file there: \(install(original, as: path, "-D"))."
    }

    /// Returns the command that installs a file for this user; root gives it to the group of this user.
    ///
    /// - Parameters:
    ///   - original: The placeholders for the files to install.
    ///   - path: The path of the installed file, or the folder of several.
    ///   - options: Further options of install(1).
    ///   - first: A command to run before, if there is one.
    /// - Returns: The command between backquotes.
    static func install(
        _ original: String, as path: String, _ options: String = "", after first: String? = nil
    ) -> String {
        let options = options.isEmpty ? "" : "\(options) "
        func command(_ group: String) -> String {
            let start = first.map { "\($0) && " } ?? ""
            return
                "\(start)install \(backup) \(options)-m 640 \(group)\(original) \(path.shellWord)"
        }
        return isPermitted(in: path)
            ? "`\(command(""))`" : "`\(command("-g \(ProcessUser.group) "))`, as root"
    }

    /// Returns whether this process may create a file.
    private static func isPermitted(in path: String) -> Bool {
        var folder = Folder(containing: path).path
        while FileRight.search.obstacle(to: folder) == .missing, folder != "/", folder != "." {
            folder = Folder(containing: folder).path
        }
        return FileRight.write.obstacle(to: folder) == nil
    }

    /// Returns a command that changes a folder, and that only root can run if this process may not write there.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - path: A path in the folder.
    /// - Returns: The command between backquotes.
    static func command(_ command: String, in path: String) -> String {
        isPermitted(in: path) ? "`\(command)`" : "`\(command)`, as root"
    }

    /// Returns how this user gets a right to a file, without taking one from others.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - right: The right as chmod(1) writes it.
    /// - Returns: A sentence with a command.
    private static func permitting(_ path: String, _ right: String) -> String {
        let word = path.shellWord
        guard let status = try? FileStatus(path, followsLinks: true) else {
            return "`ls -ld \(word)`, as root, shows whose it is."
        }
        if status.owner == FileStatus.user {
            return "Permit it to its owner: `chmod u+\(right) \(word)`."
        }
        let subject = "this user, \(ProcessUser.name)"
        if ProcessUser.isMember(ofGroup: status.group) {
            return "Permit it to the group of \(subject): `chmod g+\(right) \(word)`, as root."
        }
        // Groups of the system itself, such as root, disk and shadow, give rights that a service must not have.
        guard status.permissions & 0o050 == 0 || status.group < firstOrdinaryGroup else {
            let group = ProcessUser.name(ofGroup: status.group)
            return
                "Its group may use it; add \(subject), to the group: `usermod -a -G \(group) \(ProcessUser.name)`, as root, "
                + "then start your service again."
        }
        guard ProcessUser.groupNumber != sharedGroup else {
            return
                "Run doctor as the user of the service: the group of \(subject), is one of many programs."
        }
        return
            "Permit it to the group of \(subject): `chgrp \(ProcessUser.group) \(word) && chmod g+\(right) \(word)`, as "
            + "root."
    }
}
