/// The seconds by which the signing time may differ from the time of receipt, both ends included.
///
/// Source: Apple, *Payment token format reference*, "verify the signature", step 1.e: a difference
/// of more than five minutes may be a replay.
public struct FreshnessWindow: Hashable, Sendable {
    /// How long before its receipt a token may have been signed, in seconds; 300 by default.
    public let maximumAge: Int

    /// How far ahead of the receiver's clock the signing time may be, in seconds; 300 by default.
    public let maximumSkew: Int

    /// Makes a window; a negative number of seconds counts as none.
    ///
    /// - Parameters:
    ///   - maximumAge: Seconds before the receipt.
    ///   - maximumSkew: Seconds after the receipt.
    public init(maximumAge: Int = 300, maximumSkew: Int = 300) {
        self.maximumAge = max(maximumAge, 0)
        self.maximumSkew = max(maximumSkew, 0)
    }
}
