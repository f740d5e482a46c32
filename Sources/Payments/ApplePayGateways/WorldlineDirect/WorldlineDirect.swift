public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire
public import FoundationEssentials

/// Worldline Direct: payments with Apple Pay (payment product 302), and Worldline's payment pages.
///
/// The merchant or Worldline decrypts the token. Before the merchant can do so, Worldline must enable it for the account.
///
/// Source: Worldline Direct, *Apple Pay*, and the field lists of its server SDKs.
public struct WorldlineDirect: PaymentGateway, Worldline.Gateway {
    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://payment.direct.worldline-solutions.com"
        /// The test servers.
        case preproduction = "https://payment.preprod.direct.worldline-solutions.com"
    }

    /// `merchantId`, also called PSPID.
    public var merchantId: String
    /// The key that signs requests.
    public var credentials: Worldline.Credentials
    /// Scheme and host: those of an ``Environment``, or of a proxy.
    public var origin: String
    /// Whether the account is for tests, as the environment states it.
    public package(set) var isTest: Bool
    /// The webhooks keys: each secret by its key identifier; both during a key rotation.
    public var webhookKeys: [ExactText: SensitiveBytes] = [:]
    /// The members of CreatePayment that are the same for every order.
    public var options = Options()
    /// The members of CreateHostedCheckout that are the same for every order.
    public var pageOptions = Worldline.PageOptions()

    /// Creates a gateway for a merchant's account.
    public init(merchantId: String, credentials: Worldline.Credentials, environment: Environment) {
        self.merchantId = merchantId
        self.credentials = credentials
        origin = environment.rawValue
        isTest = environment != .live
    }

    package static var platform: Worldline.Platform { .direct }

    /// `worldline-direct`.
    public var name: ExactText { Self.platform.name }

    /// `merchantId`.
    public var account: ExactText { ExactText(merchantId) }

    /// Decrypted and encrypted payments, parts, and messages; asked by identifier only.
    ///
    /// A repeated key gets the first outcome whatever the request contains (*Idempotent requests*). The mark is
    /// `order.references.merchantParameters`, which queries and webhooks repeat (server SDKs, `PaymentReferences`).
    public var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.decrypted, .encrypted], status: [.identifier], repetition: true,
            operations: [.capture: .part, .cancellation: .part, .refund: .part], messages: true)
        abilities.hasPages = true
        abilities.initiators = [.recurring, .instalment, .unscheduled]
        abilities.ignoresRepeatedBody = true
        abilities.mark = .field
        return abilities
    }

    /// Checks the amount, the reference and the contacts.
    public func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        _ = try Worldline.OrderInput(order, attempt, .direct, options.addressIndicator)
    }

    /// Creates a CreatePayment request: `POST /v2/{merchantId}/payments`.
    ///
    /// A decrypted payment is sent as `decryptedPaymentData`: `amount` is in minor units, `expiryDate` is MMYY, and `eci`
    /// is left out if Apple gave none. A cardholder name with fewer than 2 or more than 51 characters is left out: Direct
    /// does not document a limit, so Connect's is used. An encrypted token is sent as `encryptedPaymentData` (the token's
    /// `data`), `ephemeralKey` and `publicKeyHash`; the API has no member for RSA_v1's wrapped key, nor for the signature,
    /// so Worldline cannot verify it.
    ///
    /// Errors: `gateway` with code `unsupported-emv`, `cryptogram-missing` or `unsupported-version` (`ephemeralKey`), `unsupported-amount`,
    /// `unsupported-length` (`merchantReference`, the contacts' members), `unsupported-value`
    /// (`applePayRecurringPaymentRequest`), then `unsupported-length` or `unsupported-character` for `merchantId`.
    ///
    /// Source: Worldline Direct, *Apple Pay*; its server SDKs, `DecryptedPaymentData`, `MobilePaymentMethodSpecificInput`,
    /// `AmountOfMoney`.
    public func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        charge(accepted.attempt, try paymentRequest(PaymentInput(accepted)))
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    public func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }

    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        let token = input.token
        let isEncrypted = isEncrypted(input)
        let keys = isEncrypted || options.includesTokenKeys ? try TokenKeys(token) : nil
        let data = try decryptedData(input)
        guard options.applePay?.recurringRequest == nil else {
            throw .gateway(.unsupportedValue, "applePayRecurringPaymentRequest")
        }
        return try paymentRequest(input.order, input.attempt) { body in
            writeMobileInput(into: &body) { body in
                if isEncrypted {
                    let bytes = SensitiveBytes(copying: token.signedMessage[token.dataRange].span)
                    body.base64("encryptedPaymentData", bytes)
                }
                keys?.write(into: &body)
                data?.write(into: &body)
                options.applePay?.write(input.order.currency, into: &body)
            }
        }
    }

    /// Creates a CreatePayment request with a stored card: `cardPaymentMethodSpecificInput.token`, the reference, the mark and
    /// the key of ``payment(_:)``.
    ///
    /// A scheduled payment (`recurring`, `instalment`) has `isRecurring`, an unscheduled one `merchantInitiated`, and a card is
    /// stored for one of the two kinds. The scheme's reference is sent if the card has one. `requiresApproval` is not: the
    /// input of cards has no such member. Never tried with a card that an Apple Pay payment stored.
    ///
    /// Errors: `gateway` with code `unsupported-value` (`initiator`) for `customer`, whose payment needs 3-D Secure, then
    /// those of ``check(_:attempt:)``, and `unsupported-length` or `unsupported-character` for `merchantId`.
    ///
    /// Source: Worldline Direct, *Recurring payments*, "Use token for subscriptions/installments" and "Use token for delayed
    /// payments/Pay-per-use" (2026-11-29); its server SDKs, `CardPaymentMethodSpecificInput`.
    public func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        charge(attempt, try cardRequest(card, by: initiator, order, attempt))
    }

    /// Returns the request of ``payment(with:by:for:attempt:)`` without its signature.
    package func cardRequest(
        _ card: PaymentReport.Card, by initiator: PaymentInitiator, _ order: Order,
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        guard initiator != .customer else { throw .gateway(.unsupportedValue, "initiator") }
        return try paymentRequest(order, attempt) { body in
            body.object("cardPaymentMethodSpecificInput") { body in
                body.string("authorizationMode", options.authorizationMode?.rawValue)
                body.string("token", card.identifier)
                body.string("schemeReferenceData", card.agreement)
                if initiator == .unscheduled {
                    Worldline.writeUnscheduled(into: &body)
                } else {
                    body.boolean("isRecurring", true)
                    body.string("transactionChannel", "ECOMMERCE")
                }
            }
        }
    }

    /// Creates a GetPaymentDetails request (`GET /v2/{merchantId}/payments/{paymentId}/details`), or GetHostedCheckout
    /// for the payment of a page whose identifier is not known.
    ///
    /// Only the details contain the operations with their amounts; a payment without an identifier cannot be asked for.
    ///
    /// Source: Worldline Direct server SDKs, `GetPaymentDetails`, `GetHostedCheckout`.
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        try status(of: attempt, suffix: "/details", read: Worldline.detailsReport)
    }

    /// Creates a request for a capture, a cancellation or a refund:
    /// `POST /v2/{merchantId}/payments/{paymentId}/capture`, `/cancel` or `/refund`.
    ///
    /// A capture of everything leaves the amount out.
    ///
    /// Source: the server SDKs, `CapturePaymentRequest`, `CancelPaymentRequest`, `RefundRequest`.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        try performed(operation, on: payment, of: attempt)
    }

    /// Creates a CreateHostedCheckout request (`POST /v2/{merchantId}/hostedcheckouts`), for a Worldline page that offers
    /// Apple Pay.
    ///
    /// Its answer contains `RETURNMAC`, which the customer's return must repeat. Errors: `gateway` with code
    /// `unsupported-amount` and `unsupported-value` for ``pageOptions``, `unsupported-value` (`returnUrl`) unless the order's
    /// return address is absolute, then those of ``check(_:attempt:)``.
    ///
    /// Source: the server SDKs, `CreateHostedCheckoutRequest`, `HostedCheckoutSpecificInput`; Worldline Direct, *Hosted
    /// Checkout Page*, "RETURNMAC" (2026-11-22).
    public func page(
        for order: Order, attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        try hostedPage(order, attempt)
    }

    /// Verifies a webhook and reads its event, or reads a check of its address or a customer's return from a page.
    public func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        try Worldline.read(message, webhookKeys, merchantId, .direct)
    }

    /// The members `ephemeralKey` and `publicKeyHash`.
    private struct TokenKeys {
        private let ephemeralKey: SensitiveBytes
        private let publicKeyHash: SensitiveBytes

        init(_ token: PaymentToken) throws(PaymentError) {
            guard token.version == .ecV1 else {
                throw .gateway(.unsupportedTokenVersion, "ephemeralKey")
            }
            ephemeralKey = SensitiveBytes(copying: token.signedMessage[token.keyRange].span)
            publicKeyHash = token.publicKeyHash.withSpan { SensitiveBytes(copying: $0) }
        }

        func write(into body: inout JSONBody) {
            body.base64("ephemeralKey", ephemeralKey)
            body.base64("publicKeyHash", publicKeyHash)
        }
    }
}
