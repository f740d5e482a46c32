/// Why the signing time does not fit the time of receipt.
public struct SigningTimeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The token was signed longer before its receipt than allowed; it may be a replay.
        case tooOld = "too-old"

        /// The token was signed after its receipt by more than clocks may differ.
        case inFuture = "in-future"
    }

    /// What is wrong.
    public let code: Code

    /// The whole seconds between signing and receipt, never negative.
    public let differenceSeconds: Int

    /// The seconds that would have been allowed.
    public let allowedSeconds: Int

    /// One sentence for people.
    public var description: String {
        let order = code == .tooOld ? "before" : "after"
        return "The token was signed \(differenceSeconds) s \(order) its receipt; "
            + "\(allowedSeconds) s are allowed."
    }
}
