public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

/// bePaid, and every other gateway that runs beGateway under another host; the merchant or the gateway decrypts the token.
///
/// Source: bePaid, *Apple Pay in a mobile application*, *Apple Pay payments with decrypted token*, *Payment*,
/// *API version 3*; beGateway's iOS SDK.
public struct BePaid: PaymentGateway {
    /// `shop_id`: 1 to 255 characters without a colon.
    public var shopId: String
    /// `secret_key`; not empty.
    public var secretKey: SensitiveBytes
    /// Scheme and host of the gateway; a white label of beGateway has its own.
    public var origin = "https://gateway.bepaid.by"
    /// Scheme and host of the checkout.
    public var checkoutOrigin = "https://checkout.bepaid.by"
    /// The shop's public key, which verifies messages; nil to accept none.
    public var notificationKey: NotificationKey?
    /// `test`: whether payments are tests; it is left out of real ones.
    public var isTest = false
    /// The members of a payment request that are the same for every order.
    public var options = Options()
    /// Whether a payment in a checkout asks for a reusable card token.
    public var checkoutContract = false

    /// Creates a gateway for a shop.
    public init(shopId: String, secretKey: SensitiveBytes) {
        self.shopId = shopId
        self.secretKey = secretKey
    }

    /// The gateway's name in reports.
    package static let gatewayName: ExactText = "bepaid"

    /// `bepaid`.
    public var name: ExactText { Self.gatewayName }

    /// `shopId`.
    public var account: ExactText { ExactText(shopId) }

    /// Decrypted and encrypted payments, parts, and messages; asked by reference.
    public var abilities: GatewayAbilities {
        var abilities = GatewayAbilities(
            [.decrypted, .encrypted], status: [.reference], repetition: true,
            operations: [.capture: .part, .cancellation: .part, .refund: .part], messages: true)
        abilities.takesSessions = true
        abilities.initiators = [.customer, .recurring, .unscheduled]
        abilities.mark = .reference
        return abilities
    }

    /// Checks the amount (1 or more), the description and the reference.
    public func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount >= 1 else { throw .gateway(.unsupportedAmount, "amount") }
        try FieldLength.check(order.description ?? "", "description", 1...255)
        try Self.checkReference(attempt)
    }

    /// Creates a request for a payment, an authorization or a charge: `POST /transactions/payments`,
    /// `/transactions/authorizations` or `/services/credit_cards/charges`, or the same path under `/async`.
    ///
    /// In a checkout whose payment token the shop got from `/checkouts` (`PaymentAttempt.sessionID`), the checkout is asked for
    /// first: it must be the shop's, not finished or expired, and have the amount and currency of the order, and the attempt's
    /// reference as its `tracking_id`, by which the payment is asked for. Then the encrypted token is sent as a JSON object
    /// (`POST /ctp/api/apple_pay/payment`), without a key, so it is not repeated.
    ///
    /// Errors: `gateway` with the codes of ``check(_:attempt:)``, `unsupported-amount` if the token is for 0 and the order is not,
    /// `unsupported-emv`, `cryptogram-missing`, then `unsupported-length` or `unsupported-character` (`shop_id`, `secret_key`).
    ///
    /// Source: bePaid, *Payment*; the paths under `/async` and the members from `return_url` on come from weaker sources.
    public func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let (attempt, input) = (accepted.attempt, PaymentInput(accepted))
        if let token = attempt.sessionID { return try checkoutPayment(input, in: token) }
        return GatewayCall(
            attempt, at: self, canMoveMoney: true, try paymentRequest(input),
            report: Self.paymentReport)
    }

    /// Creates a request for a payment with a stored card, as ``payment(_:)`` does for a token.
    ///
    /// A payment of a series (`recurring`) needs a card that was stored with the contract `recurring`, the others one with the
    /// contract `card_on_file`.
    ///
    /// Source: bePaid, *Payments by saved card details*, *Charge request* (2026-11-22).
    public func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        GatewayCall(
            attempt, at: self, canMoveMoney: true,
            try cardRequest(card, by: initiator, order, attempt), report: Self.paymentReport)
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    public func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }

    /// Creates a query for the transactions of a reference: `GET /v2/transactions/tracking_id/{tracking_id}`.
    ///
    /// An answer about a single transaction states no totals, so the identifier only selects a payment of the reference. For a
    /// payment in a checkout whose identifier is not known, the checkout is asked for first: its `tracking_id` is the shop's, and
    /// other channels may have it, too.
    ///
    /// Source: bePaid, *Status query* (2026-11-22).
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        if attempt.paymentID == nil, let token = attempt.sessionID {
            return try checkoutStatus(of: attempt, in: token)
        }
        return GatewayCall(attempt, at: self, canMoveMoney: false, try statusRequest(attempt)) {
            Self.statusReport($0, of: attempt)
        }
    }
}
