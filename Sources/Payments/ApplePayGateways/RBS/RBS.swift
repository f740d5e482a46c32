public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

/// The gateways of the RBS family, whose software is made by BPC: those of Sberbank, Alfa-Bank and others.
///
/// `payment.do` accepts the encrypted token. `paymentDirect.do` and `token/payment.do` accept decrypted tokens and need
/// permissions that not every bank grants. How a 3-D Secure authentication is finished is not documented for Apple Pay, and
/// not supported.
///
/// Source: BPC, *REST API* (Apple Pay, tokenised payment, status, order management); the RBS page
/// *Apple Pay (mobile application)*; for Sberbank's limits its merchants' public clients.
public struct RBS: PaymentGateway {
    /// The bank's server.
    public var host: Host
    /// The merchant's login; nil if there is a token, or only `payment.do` is used.
    public var user: User?
    /// `token`, which replaces the login in captures, cancellations, refunds and queries by identifier.
    public var token: SensitiveBytes?

    /// `merchant`: 1 to 255 characters.
    ///
    /// `payment.do` requires the merchant's login; for `paymentDirect.do` it is the merchant on whose behalf the user pays,
    /// nil for the user itself.
    public var merchant: String?

    /// The identifier of the account, which you choose and never change; nil if ``merchant`` is one.
    ///
    /// A ledger with attempts of two accounts needs one for each.
    public var accountID: String?

    /// The members of a payment request that are the same for every order.
    public var options = Options()

    /// Creates a gateway at a bank's server, without credentials.
    public init(host: Host) { self.host = host }

    /// The gateway's name in reports.
    package static let gatewayName: ExactText = "rbs"

    /// `rbs`.
    public var name: ExactText { Self.gatewayName }

    /// ``accountID``, or ``merchant``; a user's name may change.
    public var account: ExactText { ExactText(accountID ?? merchant ?? "") }

    /// Whether the bank's server is one for tests.
    public var isTest: Bool { host.isTest }

    /// Payments in the form that the options choose, parts of captures and refunds; what the credentials allow.
    ///
    /// The mark is an additional parameter, which the status repeats. That an order number is accepted once is documented
    /// for `register.do` and `recurrentPayment.do`, not for the payments with a token.
    public var abilities: GatewayAbilities {
        var abilities = GatewayAbilities([options.kind == .encrypted ? .encrypted : .decrypted])
        abilities.mark = .field
        guard user != nil || token != nil else { return abilities }
        abilities.status = user == nil ? [.identifier] : [.identifier, .reference]
        abilities.operations = [.capture: .part, .cancellation: .whole, .refund: .part]
        if user != nil { abilities.initiators = Set(PaymentInitiator.allCases) }
        return abilities
    }

    /// Checks the amount, the reference and the texts.
    public func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount >= 0 else { throw .gateway(.unsupportedAmount, "amount") }
        try host.limits.check(orderNumber: attempt.reference)
        try options.check(order, host.limits)
    }

    /// Creates a payment request: `POST {prefix}/applepay/payment.do`, `/applepay/paymentDirect.do` or
    /// `/token/payment.do`, JSON.
    ///
    /// The first two contain neither an amount nor a currency: the gateway reads them from the token. A cardholder name
    /// with fewer than 2 or more than 45 characters is left out.
    ///
    /// Errors: `gateway` with the codes of ``check(_:attempt:)``, `token-not-decrypted`, `unsupported-amount` (`paymentToken`) if
    /// the token is for 0 and the order is not, `unsupported-emv`, `cryptogram-missing`, `unsupported-length` (`merchant`, `userName`,
    /// `password`, `paymentToken` of more than 8,192 characters, `tokenCryptogram` of more than 1,024), then
    /// `unsupported-value` (`prefix`).
    ///
    /// Source: BPC, *REST API*, "Apple Pay", "Apple Pay Direct", "Tokenised payment"; RBS, *Apple Pay (mobile
    /// application)*.
    public func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let request = try paymentRequest(PaymentInput(accepted))
        let canBeAsked = user != nil || token != nil
        let attempt = accepted.attempt
        return GatewayCall(
            attempt, at: self, canMoveMoney: true, request: { _ in request },
            read: { response in
                let report = Self.paymentReport(response, canBeAsked: canBeAsked)
                let outcome = OrderOutcome(report: report, attempt: attempt, isTest: isTest)
                guard options.storedCredential != nil, options.kind != .token,
                    outcome.state == .paid || outcome.state == .authorized,
                    let query = try? cardQuery(after: report, of: attempt)
                else { return .outcome(outcome) }
                return .next(query)
            })
    }

    /// Creates a query for the card that was stored with a payment, which only the status names; what the payment's answer stated
    /// remains.
    private func cardQuery(
        after payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        var attempt = attempt
        attempt.paymentID = payment.paymentID
        return GatewayCall(
            attempt, at: self, canMoveMoney: false, try statusRequest(attempt),
            report: { response in
                let found = Self.statusReport(response)
                var report = payment
                if found.paymentID == payment.paymentID { report.card = found.card }
                return report
            })
    }

    /// Creates a query by the gateway's number of the order, or by the reference, for which a login is necessary:
    /// `POST {prefix}/rest/getOrderStatusExtended.do`, a form.
    ///
    /// Source: BPC, *REST API*, "Order status".
    public func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        GatewayCall(
            attempt, at: self, canMoveMoney: false, try statusRequest(attempt),
            report: Self.statusReport)
    }

    /// Creates a request for a capture, a cancellation or a refund: `POST {prefix}/rest/deposit.do`, `reverse.do` or
    /// `refund.do`, a form.
    ///
    /// The capture of a part is final. The gateway has no keys: ask for the payment before you repeat an operation.
    ///
    /// Source: BPC, *REST API*, "Order management"; RBS, *Apple Pay (mobile application)*, steps 10 and 11.
    public func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        let amount = try amount(of: operation, on: payment, of: attempt)
        let request = try operationRequest(
            operation, amount, orderId: attempt.paymentID ?? payment.paymentID ?? "", of: attempt)
        let kind = operation.kind
        return OperationCall(
            attempt, at: self, kind, amount, request: { _ in request },
            report: { Self.operationReport($0, of: kind) })
    }
}
