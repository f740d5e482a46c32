/// Adyen Checkout: payments with Apple Pay data that the merchant decrypted.
///
/// The members are from the SDKs' types; how decrypted Apple Pay data is put into them is less certain:
/// where clients that work differ, both forms are offered. Try yours in Adyen's test system first.
///
/// Source: Adyen's official SDKs (`PaymentRequest`, `CardDetails`, `ThreeDSecureData`), Checkout API v71.
public enum Adyen {
    /// Where requests go.
    public enum Endpoint: Sendable {
        /// Real money: `https://PREFIX-checkout-live.adyenpayments.com/checkout/v71`, with the prefix
        /// that Adyen gave the company account, such as `1797a841fbb37ca7-AdyenDemo`.
        case live(prefix: String)

        /// `https://checkout-test.adyen.com/v71`.
        case test
    }

    /// What `paymentMethod.brand` says; uncertain.
    public enum Brand: String, CaseIterable, Sendable {
        /// `applepay`.
        case applePay

        /// The card's network as Adyen calls it, from the account number's range: `visa`, `mc`, `amex`,
        /// `discover`, `diners`, `jcb`, `maestro` or `cup`; left out for other networks.
        case network
    }

    /// Which member of `mpiData` holds the cryptogram; uncertain.
    public enum CryptogramField: String, CaseIterable, Sendable {
        /// `cavv`, as clients that work have it.
        case cavv

        /// `tokenAuthenticationVerificationValue`, which the SDKs call the network token cryptogram.
        case tokenAuthenticationVerificationValue
    }
}
