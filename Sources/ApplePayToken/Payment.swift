public import ApplePayDecryption

/// An opened token: the payment data, with the proof of where it came from.
///
/// The members of ``data`` can be named on the payment itself: `payment.accountNumber.masked`.
@dynamicMemberLookup
public struct Payment: Sendable {
    /// The token that was opened.
    public let token: VerifiedToken

    /// What it held.
    public let data: PaymentData

    /// A member of ``data``.
    ///
    /// - Parameter member: The member.
    /// - Returns: Its value.
    public subscript<Value>(dynamicMember member: KeyPath<PaymentData, Value>) -> Value {
        data[keyPath: member]
    }
}
