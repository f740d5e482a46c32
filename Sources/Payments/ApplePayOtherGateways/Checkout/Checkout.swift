package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayPrimitives
package import ApplePayWire

/// Checkout.com: payments with Apple Pay data that the merchant decrypted.
///
/// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, and its official SDKs.
package struct Checkout: PaymentGateway {
    /// The servers that accept requests.
    package enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "api.checkout.com"
        /// The vendor's test system.
        case sandbox = "api.sandbox.checkout.com"
    }

    /// The form of the secret key in the header Authorization.
    package enum KeyForm: String, CaseIterable, Sendable {
        /// `Bearer KEY`, for accounts on the current platform.
        case bearer
        /// `KEY` without `Bearer`, for accounts on the previous platform (ABC).
        case bare
    }

    /// The form of the expiry date.
    ///
    /// Checkout.com's SDKs use numbers; the sample on its page about decrypted tokens (2022-07-14) uses strings. It
    /// could not be confirmed which of the two the API reference documents (2026-11-22).
    package enum ExpiryForm: String, CaseIterable, Sendable {
        /// `"12"` and `"2025"`.
        case string
        /// `12` and `2025`.
        case number
    }

    /// The members of a payment that are the same for every order.
    package struct Options: Sendable {
        /// `capture`: whether the amount is captured at once; nil leaves it out, which means true.
        package var capture: Bool?
        /// `processing_channel_id`, such as `pc_…`, not empty; accounts on the current platform need it.
        package var processingChannelID: String?
        /// The form of `expiry_month` and `expiry_year`.
        package var expiryForm: ExpiryForm = .number

        /// Creates options with the defaults.
        package init() {}
    }

    /// The name in reports.
    package static let gatewayName: ExactText = "checkout"
    /// The account's secret key: visible ASCII.
    package var secretKey: SensitiveBytes
    /// How the key is sent.
    package var keyForm: KeyForm = .bearer
    /// Scheme and host: those of the account, or of a proxy.
    package var origin: String
    /// Whether the account is for tests, as the environment states it.
    package var isTest: Bool
    /// The identifier of the account, which you choose and never change; Checkout.com gives none.
    ///
    /// A ledger with attempts of two accounts needs one for each.
    package var account: ExactText = ""
    /// The members of a payment that are the same for every order.
    package var options = Options()

    /// Creates a gateway for a merchant's account.
    ///
    /// `subdomain` is the first eight characters of the account's client ID after `cli_` (Checkout.com, *API
    /// endpoints*, 2025-03-05). The SDKs use the address without one only for emergencies (checkout-sdk 4.8.1).
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-length` or `unsupported-character` for
    ///   `subdomain`.
    package init(
        secretKey: SensitiveBytes, environment: Environment, subdomain: String? = nil
    ) throws(PaymentError) {
        self.init(secretKey)
        try use(environment, subdomain)
    }

    /// Creates a gateway for an account of the sandbox.
    package init(_ secretKey: SensitiveBytes) {
        self.secretKey = secretKey
        origin = "https://\(Environment.sandbox.rawValue)"
        isTest = true
    }

    /// Addresses the servers of an environment.
    package mutating func use(
        _ environment: Environment, _ subdomain: String?
    ) throws(PaymentError) {
        let label =
            if let subdomain { try HostLabel.checked(subdomain, "subdomain") + "." } else { "" }
        origin = "https://\(label)\(environment.rawValue)"
        isTest = environment != .live
    }

    /// `checkout`.
    package var name: ExactText { Self.gatewayName }

    /// Decrypted payments, and queries by identifier and by reference.
    ///
    /// A request is not repeated: after an answer 4xx or 5xx, Checkout.com attempts the payment again for the same key
    /// (*Idempotency*, 2026-01).
    package var abilities: GatewayAbilities {
        var abilities = GatewayAbilities([.decrypted], status: [.identifier, .reference])
        abilities.mark = .reference
        return abilities
    }

    /// Checks the amount, the reference and the processing channel.
    package func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        _ = try Self.amount(order)
        try FieldLength.check(attempt.reference, "reference", 1...80)
        try FieldLength.check(options.processingChannelID, "processing_channel_id", 1...Int.max)
    }

    /// Creates a payment request: `POST /payments` with a source of type `network_token` and token type `applepay`.
    ///
    /// `amount` is in Checkout.com's minor units. They are those of ISO 4217, except that CLF, CLP, UYI and UYW have
    /// two decimals: Checkout.com lists these neither among the currencies without decimals nor among those with three.
    /// `expiry_month` and `expiry_year`, such as 12 and 2025, are strings or numbers. `eci` is a string of two digits,
    /// left out if Apple gave none. The cryptogram is sent unchanged, in any length.
    ///
    /// Errors: `gateway` with code `token-not-decrypted`, `unsupported-emv`, `cryptogram-missing`, `unsupported-amount` for `amount`
    /// unless it has 1 to 9 digits, is above 0 and ends in 0 for a currency with three decimals, then
    /// `unsupported-length` or `unsupported-character` for `reference`, `processing_channel_id` and `secretKey`.
    ///
    /// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, *Format the amount value*.
    package func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let captures = options.capture != false
        let request = try paymentRequest(PaymentInput(accepted))
        return GatewayCall(accepted.attempt, at: self, canMoveMoney: true, request) {
            Self.paymentReport($0, captures: captures)
        }
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    package func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }

    /// Creates a query: `GET /payments/{id}`, or `GET /payments?reference={reference}` if the identifier is not known.
    ///
    /// Source: Checkout.com, *Get payment details*, *Get a list of payments*.
    package func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        let request = try statusRequest(attempt)
        return GatewayCall(attempt, at: self, canMoveMoney: false, request) {
            attempt.paymentID == nil
                ? Self.searchReport($0, reference: attempt.reference) : Self.statusReport($0)
        }
    }
}
