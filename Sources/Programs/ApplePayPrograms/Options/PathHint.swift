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
        case nil where !isCreated && Folder(path).permissions != nil:
            return "; name a file in this folder"
        default: return ""
        }
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
