internal import ApplePayToken

/// Adyen Checkout: payments with Apple Pay data that the merchant decrypted.
///
/// The members are from the types of Adyen's SDKs. Where working clients send decrypted Apple Pay data in different
/// members, both forms are offered: try yours in Adyen's test system first.
///
/// Source: Adyen's official SDKs (`PaymentRequest`, `CardDetails`, `ThreeDSecureData`), Checkout API v71.
public enum Adyen {
    /// The servers that accept requests.
    public enum Endpoint: Sendable {
        /// Real money: `https://PREFIX-checkout-live.adyenpayments.com/checkout/v71`, with the prefix
        /// that Adyen gave the company account, such as `1797a841fbb37ca7-AdyenDemo`.
        case live(prefix: String)

        /// `https://checkout-test.adyen.com/v71`.
        case test

        /// Returns the origin and the path for payments.
        ///
        /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `prefix`.
        func address() throws(PaymentTokenError) -> (origin: String, path: String) {
            switch self {
            case .live(let prefix):
                let label = try HostLabel.checked(prefix, "prefix")
                return (
                    "https://\(label)-checkout-live.adyenpayments.com", "/checkout/v71/payments"
                )
            case .test: return ("https://checkout-test.adyen.com", "/v71/payments")
            }
        }
    }
}
