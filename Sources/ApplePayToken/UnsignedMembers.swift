/// What PassKit puts beside `paymentData`: shown to people, signed by nobody.
///
/// Decide nothing by it. The network that charges the card follows from the account number.
public struct UnsignedMembers: Hashable, Sendable {
    /// `transactionIdentifier`, as it was written; in every wrapper it names the same transaction as the
    /// signed transactionId, or the token is refused.
    public let transactionIdentifier: String?

    /// `paymentMethod.displayName`, such as `Visa 0492`.
    public let displayName: String?

    /// `paymentMethod.network` in PassKit's spelling, such as `MasterCard`.
    public let network: String?

    /// `paymentMethod.type`, such as `debit`.
    public let type: String?

    /// Returns these members, with those of the wrapper around them where one is missing.
    func completed(by outer: UnsignedMembers?) -> UnsignedMembers {
        UnsignedMembers(
            transactionIdentifier: transactionIdentifier ?? outer?.transactionIdentifier,
            displayName: displayName ?? outer?.displayName,
            network: network ?? outer?.network,
            type: type ?? outer?.type
        )
    }
}
