internal import FoundationEssentials

/// The process that owns the attempts that it begins.
enum OrderOwner {
    /// The process's number and the machine's name, for people: `4711@shop-1`.
    static let name: String = {
        let process = ProcessInfo.processInfo
        return "\(process.processIdentifier)@\(process.hostName)"
    }()
}
