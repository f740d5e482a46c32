public import ApplePayPrimitives
public import ApplePayToken

extension Worldline {
    /// The answer to CreateHostedCheckout of Direct and Connect, success or failure.
    ///
    /// Source: the server SDKs, `CreateHostedCheckoutResponse`, `ErrorResponse`.
    public struct HostedCheckoutAnswer: GatewayAnswer {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The outcome: ``PaymentOutcome/actionRequired(_:)`` with the address that the customer must open.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// `hostedCheckoutId`, which identifies the page in GetHostedCheckout; nil in an error.
        public let hostedCheckoutId: String?

        /// The address that the customer must open: `redirectUrl`, or ``partialRedirectURL`` after `https://payment.`, a
        /// subdomain that always works; Connect sends only the partial address.
        public let redirectURL: String?

        /// `partialRedirectUrl`: the address without scheme and subdomain, which the merchant adds.
        public let partialRedirectURL: String?

        /// `RETURNMAC`, which the customer's return must contain.
        public let returnMAC: SensitiveBytes?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// Reads an answer.
        ///
        /// - Parameter response: Worldline's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `hostedCheckoutId`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            hostedCheckoutId =
                response.isAccepted
                ? try answer.mandatoryText("hostedCheckoutId")
                : answer["hostedCheckoutId"]?.string
            let partialURL = answer["partialRedirectUrl"]?.string
            partialRedirectURL = partialURL
            redirectURL =
                answer["redirectUrl"]?.string ?? partialURL.map { "https://payment.\($0)" }
            returnMAC = answer["RETURNMAC"]?.secret
            errorId = answer["errorId"]?.string
            let errors = APIError.all(answer)
            self.errors = errors
            let url = redirectURL
            outcome = response.outcome(code: errors.first?.code, text: errors.first?.message) {
                .action(url)
            }
        }
    }

    /// The answer to GetHostedCheckout of Direct and Connect, success or failure.
    ///
    /// Source: the server SDKs, `GetHostedCheckoutResponse`, `CreatedPaymentOutput`.
    public struct HostedCheckoutStatusAnswer: GatewayAnswer {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The meaning of the answer; unknown unless the HTTP status is 2xx.
        public let outcome: PaymentOutcome

        /// `status` of the payment, or of the page if there is no payment.
        public var gatewayStatus: String? { payment?.status ?? status }

        /// `status`, such as `IN_PROGRESS` or `PAYMENT_CREATED`; nil in an error.
        ///
        /// `PAYMENT_CREATED` does not mean that the payment succeeded.
        public let status: String?

        /// `createdPaymentOutput.paymentStatusCategory`, such as `SUCCESSFUL`.
        public let paymentStatusCategory: String?

        /// `createdPaymentOutput.payment`; nil if the customer has not paid.
        public let payment: PaymentState?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// Whether a payment was made and is authorized or captured, according to ``outcome``.
        public var isAuthorized: Bool { outcome == .paid || outcome == .authorized }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - platform: The platform that answered; it determines the decimals of the amount.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `status`, then for `id` and `status` of a payment.
        public init(
            _ response: GatewayResponse,
            of platform: any WorldlinePlatform.Type = WorldlineDirect.self
        ) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            status =
                response.isAccepted
                ? try answer.mandatoryText("status") : answer["status"]?.string
            let output = answer["createdPaymentOutput"]
            paymentStatusCategory = output?["paymentStatusCategory"]?.string
            let payment =
                if let value = output?["payment"] { try PaymentState(value, platform.scale) } else {
                    PaymentState?.none
                }
            self.payment = payment
            errorId = answer["errorId"]?.string
            errors = APIError.all(answer)
            let status = status
            outcome = response.outcomeOfQuestion {
                switch status {
                case "PAYMENT_CREATED":
                    payment?.outcome(redirectURL: nil) ?? .undocumented("payment", nil)
                case "IN_PROGRESS": .pending
                case "CANCELLED_BY_CONSUMER", "CLIENT_NOT_ELIGIBLE_FOR_SELECTED_PAYMENT_PRODUCT":
                    .refused(code: status, text: status)
                default: .undocumented("status", status)
                }
            }
        }

        /// Returns false if the payment has another amount or currency.
        public func agrees(with order: Order) -> Bool { payment?.agrees(with: order) ?? true }
    }
}
