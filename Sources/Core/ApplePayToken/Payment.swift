public import ApplePayDecryption
public import ApplePayTrust
public import FoundationEssentials

/// The data of a decrypted token, with the proof that Apple signed it.
///
/// The members of ``data`` are also members of the payment: `payment.accountNumber.masked`.
@dynamicMemberLookup
public struct Payment: Sendable {
    /// The verified token from which the data was decrypted.
    public let token: VerifiedToken

    /// The decrypted payment data.
    public let data: PaymentData

    /// The token's version.
    public var version: PaymentToken.Version { token.version }

    /// `header.transactionId`: 64 lower-case hexadecimal digits.
    ///
    /// The signature and the decryption together prove that it is authentic.
    public var transactionId: String { token.parsed.transactionId }

    /// `header.applicationData`: the SHA-256 of the request's application data, 32 bytes; nil when there is none.
    public var applicationData: [UInt8]? { token.parsed.applicationData }

    /// When the token was signed, by Apple's clock, to the second.
    public var signingTime: Date { token.signature.signingTime }

    /// The environment that the signer's common name indicates, by Apple's convention.
    public var environment: SigningEnvironment { token.signature.environment }

    /// Returns a member of ``data``.
    ///
    /// - Parameter member: The key path of the member.
    /// - Returns: Its value.
    public subscript<Value>(dynamicMember member: KeyPath<PaymentData, Value>) -> Value {
        data[keyPath: member]
    }
}
