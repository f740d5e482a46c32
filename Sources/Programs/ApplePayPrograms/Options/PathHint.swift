internal import ApplePayPrimitives
internal import ApplePayWire

/// What to do about a path that cannot be used, as the continuation of a message.
package enum PathHint {
    /// Returns the continuation; empty if there is nothing to add.
    ///
    /// - Parameters:
    ///   - path: The path as it was given; `-` is standard input.
    ///   - isCreated: Whether the file was to be created.
    /// - Returns: A text such as `; did you mean token.json?`, without a full stop.
    package static func text(for path: String, isCreated: Bool = false) -> String {
        guard path != "-", !path.isEmpty else { return "" }
        let folder = Folder(containing: path)
        switch FileRight.read.obstacle(to: isCreated ? folder.path : path) {
        case .missing where isCreated:
            return "; `mkdir -p \(folder.path.shellWord)` creates its folder"
        case .missing: return missing(path, folder)
        case .rights: return denied(closed(isCreated ? folder.path : path))
        case nil where !isCreated && Folder(path).permissions != nil:
            return "; name a file in this folder"
        case nil where isCreated && FileRight.write.obstacle(to: folder.path) == .rights:
            return denied((folder.path, "wx"))
        default: return ""
        }
    }

    /// Returns the outermost folder or the file of a path that this user may not use to read it; nil if permissions are no
    /// obstacle.
    ///
    /// - Parameter path: The path of a file or folder.
    /// - Returns: The obstacle, and the right that is missing as chmod(1) writes it.
    package static func closed(_ path: String) -> (path: String, right: String)? {
        var folders: [String] = []
        var folder = Folder(containing: path).path
        while !folders.contains(folder) {
            folders.append(folder)
            folder = Folder(containing: folder).path
        }
        if let closed = folders.last(where: { FileRight.search.obstacle(to: $0) == .rights }) {
            return (closed, "x")
        }
        guard FileRight.read.obstacle(to: path) == .rights else { return nil }
        return (path, (try? FileStatus(path))?.isFolder == true ? "rx" : "r")
    }

    private static func denied(_ closed: (path: String, right: String)?) -> String {
        let remedy = "run it as a user who may use it, or let the owner permit it"
        guard let closed,
            let status = try? FileStatus(closed.path, followsLinks: true)
        else { return "; this program runs as the user \(ProcessUser.name): \(remedy)" }
        let (mode, owner) = (FileStatus.octal(status.permissions), status.owner)
        guard owner != FileStatus.user else {
            let command = "chmod u+\(closed.right) \(closed.path.shellWord)"
            return
                "; \(closed.path) has mode \(mode), which its owner, \(ProcessUser.name), can change: `\(command)`"
        }
        return
            "; this program runs as the user \(ProcessUser.name), and \(closed.path) belongs to the user "
            + "\(ProcessUser.name(ofUser: owner)) and the group \(ProcessUser.name(ofGroup: status.group)), with mode "
            + "\(mode): \(remedy)"
    }

    private static func missing(_ path: String, _ folder: Folder) -> String {
        guard !ExactText(path).contains("://") else {
            return "; this is an address, so download it, and name the file"
        }
        guard FileRight.read.obstacle(to: folder.path) != .missing else {
            return "; there is no folder \(folder.path)"
        }
        let last = String(path.split(separator: "/").last ?? "")
        let similar = (try? folder.names())?.sorted().suggestion(for: last)
        guard let similar else { return "; check the name and the folder" }
        let start = path.dropLast(
            path.count
                - (path.lastIndex(of: "/").map {
                    path.distance(from: path.startIndex, to: $0) + 1
                } ?? 0))
        return "; did you mean \(start)\(similar)?"
    }
}
