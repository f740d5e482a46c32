/// One merchant's part of an order for several merchants.
public struct MerchantAmount: Hashable, Sendable {
    /// The merchant, by the text that Apple gives in `authenticationResponses`.
    public let merchantIdentifier: String

    /// The merchant's part in minor units of the order's currency.
    public let amount: Int64

    /// Makes a part.
    ///
    /// - Parameters:
    ///   - merchantIdentifier: The merchant, by the text that Apple gives.
    ///   - amount: The merchant's part in minor units.
    public init(merchantIdentifier: String, amount: Int64) {
        self.merchantIdentifier = merchantIdentifier
        self.amount = amount
    }
}
