package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayWire

/// PayPal Orders v2: orders paid with Apple Pay data that the merchant decrypted.
///
/// Source: PayPal, *Orders v2*, and the types of its official server SDK (`ApplePayRequest`,
/// `ApplePayDecryptedTokenData`, `ApplePayPaymentData`).
package struct PayPal: PaymentGateway {
    /// The servers that accept requests.
    package enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api-m.paypal.com"
        /// The sandbox.
        case sandbox = "https://api-m.sandbox.paypal.com"
    }

    /// `intent`: whether the amount is captured at once.
    package enum Intent: String, CaseIterable, Sendable {
        /// The amount is captured at once.
        case capture = "CAPTURE"
        /// The amount is authorized now and captured later.
        case authorize = "AUTHORIZE"
    }

    /// The members of PayPal's orders that are the same for all of them.
    package struct Options: Sendable {
        /// `intent`: whether the amount is captured at once.
        package var intent: Intent = .capture
        /// `purchase_units[0].custom_id`, 1 to 255 characters; nil leaves it out.
        package var customID: String?

        /// Whether the reference is also sent as `purchase_units[0].invoice_id`, 1 to 127 characters, which the
        /// customer sees.
        ///
        /// By default, PayPal takes money only once for an invoice_id of a merchant's account, also after it has
        /// forgotten the payment's key.
        package var sendsInvoiceID = false

        /// Creates options for orders that are captured at once.
        package init() {}
    }

    /// The name in reports.
    package static let gatewayName: ExactText = "paypal"
    /// The REST app's credentials, or an access token.
    package var credentials: OAuthCredentials
    /// Scheme and host: those of an ``Environment``, or of a proxy.
    package var origin: String
    /// Whether the account is for tests, as the environment states it.
    package var isTest: Bool
    /// The identifier of the account, which you choose and never change; PayPal gives none.
    ///
    /// A ledger with attempts of two accounts needs one for each.
    package var account: ExactText = ""
    /// The members of PayPal's orders that are the same for all of them.
    package var options = Options()

    /// Creates a gateway for a merchant's account.
    package init(credentials: OAuthCredentials, environment: Environment) {
        self.credentials = credentials
        origin = environment.rawValue
        isTest = environment != .live
    }

    /// `paypal`.
    package var name: ExactText { Self.gatewayName }

    /// Decrypted payments, which are repeated after a lost answer, and queries by identifier.
    ///
    /// PayPal keeps the key of an order for 6 hours and answers its repetition with the order's latest state.
    ///
    /// Source: PayPal, *Idempotency*; its OpenAPI file for Orders v2, `PayPal-Request-Id`.
    package var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.decrypted], status: [.identifier], repetition: true)
        abilities.keyHours = 6
        return abilities
    }

    /// Checks the amount, the reference, the description and the customer's email address.
    package func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount > 0 else { throw .gateway(.unsupportedAmount, "value") }
        _ = try Self.value(order.amount, order.currency)
        try FieldLength.check(attempt.reference, "reference_id", 1...256)
        try FieldLength.check(order.description, "description", 1...127)
        try FieldLength.check(options.customID, "custom_id", 1...255)
        if options.sendsInvoiceID {
            try FieldLength.check(attempt.reference, "invoice_id", 1...127)
        }
        try FieldLength.check(order.customer?.emailAddress, "email_address", 3...254)
    }

    /// Creates a request for an order that is paid at once: `POST /v2/checkout/orders` with
    /// `payment_source.apple_pay.decrypted_token`, after a login if ``credentials`` are a client's.
    ///
    /// The reference is `reference_id`, the only member that every complete answer repeats. `value` is a decimal string
    /// with the currency's decimals, and without decimals for HUF, JPY and TWD. `expiry` is YYYY-MM. `eci_indicator` is
    /// sent as Apple wrote it; it and `device_manufacturer_id` are left out if Apple gave none. `apple_pay.id` is
    /// PassKit's transactionIdentifier as it was received, or the token's transactionId if there is none.
    /// `transaction_amount` is the token's own amount, which is 0 for a token for 0 that the order accepts. EMV data is
    /// sent in `emv_data` and `pin`. The header `Prefer: return=representation` requests the complete answer, with the
    /// captures in it.
    ///
    /// Errors: `gateway` with code `token-not-decrypted`, `cryptogram-missing` unless the payment is EMV,
    /// `unsupported-amount` for `value` (0, or decimals that PayPal does not take), `unsupported-length` for a member
    /// that is missing (`device_manufacturer_id`), too long or too short (among them `number`, 13 to 19 digits), then
    /// `unsupported-length` or `unsupported-character` for the credentials. The lengths are from the published API
    /// reference.
    ///
    /// Source: PayPal's official server SDK, `OrderRequest`; its OpenAPI file for Orders v2; PayPal, *Currency codes*.
    package func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        try call(
            accepted.attempt, canMoveMoney: true, try paymentRequest(PaymentInput(accepted)),
            Self.paymentReport)
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    package func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }

    /// Creates a query for the order's state: `GET /v2/checkout/orders/{id}`, after a login if ``credentials`` are a
    /// client's.
    ///
    /// Source: PayPal, *Orders v2*, "Show order details".
    package func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        guard let id = attempt.paymentID else { throw .gateway(.unsupportedOperation, "status") }
        return try call(attempt, canMoveMoney: false, try statusRequest(id), Self.statusReport)
    }
}
