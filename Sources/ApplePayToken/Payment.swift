public import ApplePayDecryption
public import ApplePayTrust
public import FoundationEssentials

/// An opened token: the payment data, with the proof of where it came from.
///
/// The members of ``data`` can be named on the payment itself: `payment.accountNumber.masked`.
@dynamicMemberLookup
public struct Payment: Sendable {
    /// The token that was opened.
    public let token: VerifiedToken

    /// What it held.
    public let data: PaymentData

    /// The token's version.
    public var version: PaymentToken.Version { token.version }

    /// `header.transactionId`: 64 lower-case hexadecimal digits, proven by the signature and the decryption.
    public var transactionId: String { token.token.transactionId }

    /// `header.applicationData`: the SHA-256 of the request's application data, 32 bytes; nil when there is none.
    public var applicationData: [UInt8]? { token.token.applicationData }

    /// When the token was signed, by Apple's clock, to the second.
    public var signingTime: Date { token.signature.signingTime }

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
