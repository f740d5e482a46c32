public import FoundationEssentials

/// How old a token may be when it is used: a statement by the caller, recorded in the result.
public enum AgePolicy: Hashable, Sendable {
    /// The token was received now, by the clock of this machine.
    case now

    /// The merchant's server received the token at this time; the window is counted from it.
    ///
    /// For a token that waited in a queue this is when it came in, not when its turn came.
    case received(at: Date)

    /// The age does not matter, as for a token from an archive or a dispute.
    case anyAge
}
