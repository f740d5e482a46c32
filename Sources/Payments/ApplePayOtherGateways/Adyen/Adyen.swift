package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayPrimitives
package import ApplePayWire

/// Adyen Checkout: payments with Apple Pay data that the merchant decrypted.
///
/// The members are from the types of Adyen's SDKs. Where working clients send decrypted Apple Pay data in different
/// members, both forms are offered: try yours in Adyen's test system first.
///
/// Source: Adyen's official SDKs (`PaymentRequest`, `CardDetails`, `ThreeDSecureData`), Checkout API v71.
package struct Adyen: PaymentGateway {
    /// The servers that accept requests.
    package enum Environment: Sendable {
        /// Real money: `https://PREFIX-checkout-live.adyenpayments.com/checkout/v71`, with the prefix
        /// that Adyen gave the company account, such as `1797a841fbb37ca7-AdyenDemo`.
        case live(prefix: String)
        /// `https://checkout-test.adyen.com/v71`.
        case test
    }

    /// The value of `paymentMethod.brand`; Adyen's documentation does not settle which is right.
    package enum Brand: String, CaseIterable, Sendable {
        /// `applepay`.
        case applePay
        /// Adyen's name of the card's network, derived from the range of the account number: `visa`, `mc`, `amex`,
        /// `discover`, `diners`, `jcb`, `maestro` or `cup`; left out for other networks.
        case network
    }

    /// The member of `mpiData` that contains the cryptogram; Adyen's documentation does not settle which is right.
    package enum CryptogramField: String, CaseIterable, Sendable {
        /// `cavv`, as working clients send it.
        case cavv
        /// `tokenAuthenticationVerificationValue`, which the SDKs call the network token cryptogram.
        case tokenAuthenticationVerificationValue
    }

    /// The optional members of a payment.
    package struct Options: Sendable {
        /// `paymentMethod.brand`: the value of `brand`; nil leaves it out.
        package var brand: Brand? = .applePay
        /// The member of `mpiData` that contains the cryptogram.
        package var cryptogramField: CryptogramField = .cavv

        /// Creates options with the defaults.
        package init() {}
    }

    /// The name in reports.
    package static let gatewayName: ExactText = "adyen"
    /// The API key: visible ASCII.
    package var apiKey: SensitiveBytes
    /// The merchant account's name; not empty.
    package var merchantAccount: String
    /// Scheme and host: those of the ``Environment``, or of a proxy.
    package var origin: String
    /// Whether the account is for tests, as the environment states it.
    package var isTest: Bool
    /// The optional members of a payment.
    package var options = Options()
    /// The path of payments, which depends on the environment.
    private(set) var path: String

    /// Creates a gateway for a merchant account.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `prefix`.
    package init(
        apiKey: SensitiveBytes, merchantAccount: String, environment: Environment
    ) throws(PaymentError) {
        self.init(testing: apiKey, merchantAccount: merchantAccount)
        if case .live(let prefix) = environment { try useLiveServers(prefix) }
    }

    /// Creates a gateway for an account of the test servers.
    package init(testing apiKey: SensitiveBytes, merchantAccount: String) {
        self.apiKey = apiKey
        self.merchantAccount = merchantAccount
        origin = "https://checkout-test.adyen.com"
        path = "/v71/payments"
        isTest = true
    }

    /// Addresses the live servers with the merchant's prefix.
    package mutating func useLiveServers(_ prefix: String) throws(PaymentError) {
        let label = try HostLabel.checked(prefix, "prefix")
        origin = "https://\(label)-checkout-live.adyenpayments.com"
        path = "/checkout/v71/payments"
        isTest = false
    }

    /// `adyen`.
    package var name: ExactText { Self.gatewayName }

    /// `merchantAccount`.
    package var account: ExactText { ExactText(merchantAccount) }

    /// Decrypted payments, which are repeated after a lost answer: the state of a payment cannot be asked for.
    ///
    /// Keys are valid for at least 7 days; older copies of the page state 31.
    ///
    /// Source: Adyen, *API idempotency*; its OpenAPI file for Checkout.
    package var abilities: GatewayAbilities {
        var abilities = GatewayAbilities([.decrypted], repetition: true)
        abilities.keyHours = 7 * 24
        return abilities
    }

    /// Checks the amount, the reference, the return address and the merchant's members.
    package func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount >= 0 else { throw .gateway(.unsupportedAmount, "value") }
        _ = try Self.scale.amount(order.amount, of: order.currency, "value")
        try FieldLength.check(merchantAccount, "merchantAccount", 1...Int.max)
        try FieldLength.check(attempt.reference, "reference", 1...80)
        try FieldLength.check(order.customerReference, "shopperReference", 3...256)
        try FieldLength.check(order.returnURL ?? "", "returnUrl", 1...Int.max)
    }

    /// Creates a payment request: `POST /v71/payments` with a payment method of type `scheme` and `mpiData`.
    ///
    /// `amount.value` is in Adyen's minor units, which are those of ISO 4217 except for CLP and ISK (two decimals) and
    /// for CVE and IDR (no decimals). `expiryMonth` is MM, `expiryYear` is YYYY. `mpiData.eci` has two digits and is
    /// left out if Apple gave none; `authenticationResponse` and `directoryResponse` are `Y`. The cryptogram is sent
    /// unchanged. Adyen's types document 20 bytes and Mastercard's cryptograms often have 19: 28 characters of base64
    /// are accepted, and the 40 bytes of some American Express cards are refused. `returnUrl` is the order's return
    /// address, without which Adyen answers "Return URL is missing" (14_030), and `shopperReference` its customer
    /// reference, if there is one.
    ///
    /// Errors: `gateway` with code `token-not-decrypted`, `unsupported-emv`, `cryptogram-missing`, `unsupported-length` for the
    /// cryptogram, `unsupported-amount` for `value`, then `unsupported-length` or `unsupported-character` for
    /// `merchantAccount`, `reference`, `shopperReference`, `returnUrl` and `apiKey`. The lengths of `shopperReference`
    /// were not confirmed.
    ///
    /// Source: Adyen's official SDKs and OpenAPI file, Checkout API v71; Adyen, *Currency codes and minor units*.
    package func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        GatewayCall(
            accepted.attempt, at: self, canMoveMoney: true,
            try paymentRequest(PaymentInput(accepted)), report: Self.paymentReport)
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    package func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }
}
