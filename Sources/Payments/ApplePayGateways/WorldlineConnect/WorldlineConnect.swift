public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire
public import FoundationEssentials

/// Worldline Connect, formerly GlobalCollect: payments with Apple Pay (payment product 302), and Worldline's payment
/// pages.
///
/// It differs from Worldline Direct: the path is `/v1/`, amounts have two decimals in every currency,
/// `encryptedPaymentData` is the whole of `paymentData`, and payments can be asked for by reference.
///
/// Source: Worldline Connect, *Apple Pay: decrypt in your systems*, and its server SDKs.
public struct WorldlineConnect: PaymentGateway, Worldline.Gateway {
    /// The servers that accept requests.
    ///
    /// Source: Worldline Connect's documentation of its endpoints (2026-11-22). The sandbox's host is that of older SDKs
    /// and could not be confirmed.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api.connect.worldline-solutions.com"
        /// Tests against acquirers.
        case preproduction = "https://api.preprod.connect.worldline-solutions.com"
        /// Tests.
        case sandbox = "https://eu.sandbox.api-ingenico.com"
    }

    /// The members of CreatePayment that are the same for every order.
    public struct Options: Sendable, Worldline.PaymentOptions {
        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: Worldline.AuthorizationMode?
        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?
        /// `order.shipping.addressIndicator`, such as `different-than-billing`; nil leaves it out.
        public var addressIndicator: String?
        /// `tokenize`: whether Worldline stores the card; nil leaves it out.
        public var tokenize: Bool?
        /// `isRecurring`: whether more payments will follow; nil leaves it out.
        public var isRecurring: Bool?
        /// `recurring.recurringPaymentSequenceIndicator`, such as `first`; nil leaves it out.
        public var recurringPaymentSequenceIndicator: String?
        /// Whether the payment is the first of unscheduled ones, for which the customer agreed that the card is stored:
        /// `unscheduledCardOnFileRequestor` is `cardholderInitiated`, `unscheduledCardOnFileSequenceIndicator` is `first`.
        public var isFirstUnscheduled = false
        /// `skipFraudService`: whether Worldline skips its fraud checks; nil leaves it out.
        public var skipFraudService: Bool?
        /// The JSON type of `eci`; ignored for an encrypted token.
        public var eciForm: Worldline.ECIForm = .number
        /// Whether the encrypted token is sent, and Worldline decrypts it, although it was decrypted here.
        public var sendsEncrypted = false

        /// Creates options without any member.
        public init() {}
    }

    /// `merchantId`.
    public var merchantId: String
    /// The key that signs requests.
    public var credentials: Worldline.Credentials
    /// Scheme and host: those of an ``Environment``, of another host of your account, or of a proxy.
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

    package static var platform: Worldline.Platform { .connect }

    /// `worldline-connect`.
    public var name: ExactText { Self.platform.name }

    /// `merchantId`.
    public var account: ExactText { ExactText(merchantId) }

    /// Decrypted and encrypted payments, parts, and messages; asked by identifier and by reference.
    public var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.decrypted, .encrypted], status: [.identifier, .reference], repetition: true,
            operations: [.capture: .part, .cancellation: .whole, .refund: .part], messages: true)
        abilities.hasPages = true
        abilities.initiators = [.recurring, .unscheduled]
        abilities.mark = .reference
        return abilities
    }

    /// Checks the amount, the reference (at most 30 characters, with the suffix that marks the payment) and the contacts.
    public func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        _ = try Worldline.OrderInput(order, attempt, .connect, options.addressIndicator)
    }

    /// Creates a CreatePayment request: `POST /v1/{merchantId}/payments`.
    ///
    /// A decrypted payment is sent as `decryptedPaymentData`: `amount` has two decimals in every currency, `expiryDate` is
    /// MMYY, `eci` is left out if Apple gave none, and so is a cardholder name with fewer than 2 or more than 51
    /// characters. An encrypted token is sent as `encryptedPaymentData`, a string with the JSON text of the whole of
    /// `paymentData`; it is not documented whether Worldline decrypts RSA_v1 as well.
    ///
    /// Errors: `gateway` with code `unsupported-emv`, `cryptogram-missing`, `unsupported-amount` if `amount` has a third decimal or is too
    /// large, then `unsupported-length` or `unsupported-character` for the reference, the contacts and `merchantId`.
    ///
    /// Source: Worldline Connect, *Apple Pay: decrypt in your systems*; its server SDKs, `DecryptedPaymentData`,
    /// `MobilePaymentMethodSpecificInput`, `AmountOfMoney`.
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
        let data = try decryptedData(input)
        return try paymentRequest(input.order, input.attempt) { body in
            writeMobileInput(into: &body) { body in
                body.string("customerReference", input.order.customerReference)
                body.boolean("tokenize", options.tokenize)
                body.boolean("isRecurring", options.isRecurring)
                if let indicator = options.recurringPaymentSequenceIndicator {
                    Self.writeSequence(indicator, into: &body)
                }
                if options.isFirstUnscheduled {
                    body.string("unscheduledCardOnFileRequestor", "cardholderInitiated")
                    body.string("unscheduledCardOnFileSequenceIndicator", "first")
                }
                body.boolean("skipFraudService", options.skipFraudService)
                data?.write(into: &body)
                if isEncrypted(input) {
                    body.secret("encryptedPaymentData", TokenJSON.paymentData(input.token))
                }
            }
        }
    }

    private static func writeSequence(_ indicator: String, into body: inout JSONBody) {
        body.object("recurring") { $0.string("recurringPaymentSequenceIndicator", indicator) }
    }

    /// Creates a CreatePayment request with a stored card: `mobilePaymentMethodSpecificInput.token`, the reference and the key
    /// of ``payment(_:)``.
    ///
    /// A payment of a series (`recurring`) has `isRecurring` and the sequence indicator `recurring`, another one
    /// `merchantInitiated`; `initialSchemeTransactionId` is sent if the card has it. Never tried.
    ///
    /// Errors: `gateway` with code `unsupported-value` (`initiator`) for `customer` and `instalment`, which are not documented
    /// for a mobile payment's token, then those of ``check(_:attempt:)``, and `unsupported-length` or `unsupported-character`
    /// for `merchantId`.
    ///
    /// Source: its server SDKs, `AbstractMobilePaymentMethodSpecificInput`, `CardRecurrenceDetails`.
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
        guard initiator == .recurring || initiator == .unscheduled else {
            throw .gateway(.unsupportedValue, "initiator")
        }
        return try paymentRequest(order, attempt) { body in
            writeMobileInput(into: &body) { body in
                body.string("customerReference", order.customerReference)
                body.string("token", card.identifier)
                body.string("initialSchemeTransactionId", card.agreement)
                if initiator == .recurring {
                    body.boolean("isRecurring", true)
                    Self.writeSequence("recurring", into: &body)
                } else {
                    Worldline.writeUnscheduled(into: &body)
                }
                body.boolean("skipFraudService", options.skipFraudService)
            }
        }
    }

    /// Creates a request for a capture, a cancellation or a refund:
    /// `POST /v1/{merchantId}/payments/{paymentId}/capture`, `/approve`, `/cancel` or `/refund`.
    ///
    /// A payment whose status is `PENDING_APPROVAL` allows one capture, with `approve`. A capture of everything leaves the
    /// amount out.
    ///
    /// Source: the server SDKs, `CapturePaymentRequest`, `ApprovePaymentRequest`, `RefundRequest`.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        try performed(operation, on: payment, of: attempt)
    }

    /// Creates a CreateHostedCheckout request (`POST /v1/{merchantId}/hostedcheckouts`), for a Worldline page that offers
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
        try Worldline.read(message, webhookKeys, merchantId, .connect)
    }
}
