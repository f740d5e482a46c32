internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger

/// What pays an order: a token, or a card that the gateway stored.
enum PaymentMeans {
    /// A token, whose transaction is claimed with the order.
    case token(OpenedToken)
    /// A stored card, and who begins the payment; the order alone is claimed.
    case card(PaymentReport.Card, PaymentInitiator)

    /// The claim of a token's transaction; nil for a card.
    var claim: ClaimRequest? {
        switch self {
        case .token(let token): token.request
        case .card: nil
        }
    }

    /// Who begins a payment with a card; nil for a token.
    var initiator: PaymentInitiator? {
        switch self {
        case .token: nil
        case .card(_, let initiator): initiator
        }
    }

    /// Which token it is; nil for a card.
    var identity: TokenIdentity? {
        switch self {
        case .token(let token): token.token.identity
        case .card: nil
        }
    }

    /// Whether it is a token with the account number of a device, and not a merchant token; nil if it was not decrypted.
    var hasDeviceNumber: Bool? {
        switch self {
        case .token(let token): token.payment?.data.hasDeviceNumber
        case .card: nil
        }
    }

    /// Whether the customer confirmed the order's amount, and Apple signed it.
    func isSigned(_ order: Order) -> Bool {
        switch self {
        case .token(let token): token.payment?.data.amount == order.amount
        case .card: false
        }
    }

    /// Returns the request that charges it.
    ///
    /// - Throws: The errors of the gateway.
    func call(
        for order: Order, _ attempt: PaymentAttempt, at gateway: any PaymentGateway
    ) throws(PaymentError) -> PaymentCall {
        switch self {
        case .token(let token):
            try gateway.payment(AcceptedPayment(order, attempt, token.token, token.payment))
        case .card(let card, let initiator):
            try gateway.payment(with: card, by: initiator, for: order, attempt: attempt)
        }
    }
}

extension PaymentData {
    /// Whether the account number is that of a device, and not of a merchant token.
    fileprivate var hasDeviceNumber: Bool { merchantTokenIdentifier == nil }
}
