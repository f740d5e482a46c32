/// One merchant's part of a payment that was authorised for several.
public struct AuthenticationResponse: Sendable {
    /// Which merchant: the text that Apple gives, in practice 64 hexadecimal digits.
    public let merchantIdentifier: String

    /// The cryptogram for this merchant.
    public let authenticationData: SensitiveBase64

    /// The merchant's amount in minor units of the payment's currency.
    public let amount: Int64
}
