public import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension Worldline {
    /// A payment page of Worldline's, to which the customer is sent.
    ///
    /// Store the identifier and the code with the order: ``verifyReturn(_:hostedCheckoutID:returnMAC:)`` compares both.
    public struct HostedPage: GatewayOutcome {
        /// The state of the order: ``OrderOutcome/State/actionRequired`` with the address that the customer must open.
        public let outcome: OrderOutcome

        /// `hostedCheckoutId`, the ``PaymentAttempt/sessionID`` of a status query; nil if no page was created.
        public var hostedCheckoutID: String? { outcome.report?.sessionID }

        /// `RETURNMAC`, which the customer's return must contain; nil if no page was created.
        public let returnMAC: SensitiveBytes?

        /// Creates the outcome of a request to which no answer is known.
        public init(unknown reason: String, report: PaymentReport? = nil) {
            outcome = OrderOutcome(unknown: reason, report: report)
            returnMAC = nil
        }

        init(_ outcome: OrderOutcome, _ returnMAC: SensitiveBytes?) {
            self.outcome = outcome
            self.returnMAC = returnMAC
        }
    }

    /// Verifies that a customer returned from the page of this order, in constant time.
    ///
    /// `target` is the path and query to which the browser returned, percent-encoded; both other values are those of
    /// the page to which this customer was sent. The return alone does not prove a payment: ask for the state of the
    /// page.
    ///
    /// - Throws: ``GatewayMessageError``: `missing-member` or `malformed` for `RETURNMAC` and `hostedCheckoutId`, then
    ///   `wrong-signature` for either of them.
    ///
    /// Source: Worldline Direct, *Hosted Checkout Page*, "RETURNMAC" (2026-11-22).
    public static func verifyReturn(
        _ target: String, hostedCheckoutID: String, returnMAC: SensitiveBytes
    ) throws(GatewayMessageError) {
        let query = try URLQuery(ofTarget: target)
        let given = try query.value("RETURNMAC")
        let identifier = try query.value("hostedCheckoutId")
        let isEqual = returnMAC.withRevealedBytes { expected in
            !expected.isEmpty && ConstantTimeComparison.areEqual(expected, given.utf8.span)
        }
        guard isEqual else { throw .init(.wrongSignature, "RETURNMAC") }
        guard identifier == hostedCheckoutID else {
            throw .init(.wrongSignature, "hostedCheckoutId")
        }
    }
}

extension Worldline.Gateway {
    /// Creates the CreateHostedCheckout request.
    ///
    /// `pageMembers` writes the other members of `hostedCheckoutSpecificInput`, `paymentMembers` those of
    /// `mobilePaymentMethodSpecificInput`.
    func hostedPage(
        _ order: Order, _ attempt: PaymentAttempt, _ options: Worldline.PageOptions,
        pageMembers: (inout JSONBody) -> Void = { _ in },
        paymentMembers: (inout JSONBody) -> Void = { _ in }
    ) throws(PaymentTokenError) -> GatewayCall<Worldline.HostedPage> {
        guard let returnURL = order.returnURL, URL(string: returnURL)?.scheme?.isEmpty == false
        else { throw .gateway(.unsupportedValue, "returnUrl") }
        let input = try Worldline.OrderInput(
            order, attempt, Self.platform, options.addressIndicator)
        let body = JSONBody.object { body in
            input.write(into: &body)
            body.object("hostedCheckoutSpecificInput") { body in
                body.string("locale", options.locale)
                body.string("returnUrl", returnURL)
                body.boolean("showResultPage", options.showResultPage)
                body.boolean("isRecurring", options.isRecurring)
                let tokens = order.storedCards.joined(separator: ",")
                body.string("tokens", tokens.isEmpty ? nil : tokens)
                body.string("variant", options.variant)
                pageMembers(&body)
            }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.string("authorizationMode", options.authorizationMode?.rawValue)
                body.integer("paymentProductId", Worldline.paymentProductId)
                paymentMembers(&body)
            }
        }
        let request = try post("hostedcheckouts", key: nil, body)
        return call(attempt, canMoveMoney: false, request) { response in
            let report = Worldline.pageReport(response, Self.platform)
            let returnMAC = (try? response.object())?["RETURNMAC"]?.secret
            return .outcome(Worldline.HostedPage(OrderOutcome(report, of: attempt), returnMAC))
        }
    }
}
