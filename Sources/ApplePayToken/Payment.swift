public import ApplePayDecryption
public import ApplePayTrust

/// An opened token: the payment data, with the proof of where it came from.
///
/// The members of ``data`` can be named on the payment itself: `payment.accountNumber.masked`.
@dynamicMemberLookup
public struct Payment: Sendable {
    /// The token that was opened.
    public let token: VerifiedToken

    /// What it held.
    public let data: PaymentData

    /// The environment that the signer's common name indicates, by Apple's convention.
    public var environment: SigningEnvironment { token.signature.environment }

    /// A member of ``data``.
    ///
    /// - Parameter member: The member.
    /// - Returns: Its value.
    public subscript<Value>(dynamicMember member: KeyPath<PaymentData, Value>) -> Value {
        data[keyPath: member]
    }
}
