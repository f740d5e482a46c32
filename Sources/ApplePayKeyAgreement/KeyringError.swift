/// Why merchant keys could not be loaded: the file, and what to do about it.
public struct KeyringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder at fault.
    public let path: String

    /// A sentence without its subject, which is the path.
    public let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// The path and the reason.
    public var description: String { "\(path) \(reason)." }
}
