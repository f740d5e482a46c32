/// PayPal Orders v2: orders paid with Apple Pay data that the merchant decrypted.
///
/// Source: PayPal, *Orders v2*, and the types of its official server SDK (`ApplePayRequest`,
/// `ApplePayDecryptedTokenData`, `ApplePayPaymentData`).
public enum PayPal {
    /// Where requests go.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api-m.paypal.com"

        /// The sandbox.
        case sandbox = "https://api-m.sandbox.paypal.com"
    }

    /// `intent`: what happens to the money.
    public enum Intent: String, CaseIterable, Sendable {
        /// It is captured at once.
        case capture = "CAPTURE"

        /// It is authorised, and captured later.
        case authorize = "AUTHORIZE"
    }
}
