public import ApplePayPrimitives

extension Worldline {
    /// The answer to CreateHostedCheckout, of Direct and of Connect, success or failure.
    ///
    /// Source: the server SDKs, `CreateHostedCheckoutResponse`, `ErrorResponse`.
    public struct HostedCheckoutAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// `hostedCheckoutId`: what GetHostedCheckout names the page by; nil in an error.
        public let hostedCheckoutId: String?

        /// `redirectUrl`: where the customer must go; older answers have the partial one alone.
        public let redirectURL: String?

        /// `partialRedirectUrl`: the same without scheme and subdomain, which the merchant puts in front.
        public let partialRedirectURL: String?

        /// `RETURNMAC`: what the customer's return must bring back.
        public let returnMAC: SensitiveBytes?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// Reads an answer.
        ///
        /// - Parameter response: What Worldline answered.
        /// - Throws: ``GatewayResponseError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `hostedCheckoutId`.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let answer = try response.object()
            httpStatus = response.status
            hostedCheckoutId =
                response.isAccepted
                ? try answer.mandatoryText("hostedCheckoutId")
                : answer["hostedCheckoutId"]?.string
            redirectURL = answer["redirectUrl"]?.string
            partialRedirectURL = answer["partialRedirectUrl"]?.string
            returnMAC = answer["RETURNMAC"]?.secret
            errorId = answer["errorId"]?.string
            errors = APIError.all(answer)
        }
    }

    /// The answer to GetHostedCheckout, of Direct and of Connect, success or failure.
    ///
    /// Source: the server SDKs, `GetHostedCheckoutResponse`, `CreatedPaymentOutput`.
    public struct HostedCheckoutStatusAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// `status`, such as `IN_PROGRESS` or `PAYMENT_CREATED`, which is not yet a success; nil in an
        /// error.
        public let status: String?

        /// `createdPaymentOutput.paymentStatusCategory`, such as `SUCCESSFUL`.
        public let paymentStatusCategory: String?

        /// `createdPaymentOutput.payment`; nil when the customer has not paid.
        public let payment: PaymentState?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// Whether a payment was made and is authorised or captured: 2xx and
        /// ``PaymentState/isAuthorizedOrCaptured``.
        public var isAuthorized: Bool {
            (200..<300).contains(httpStatus) && payment?.isAuthorizedOrCaptured == true
        }

        /// Reads an answer.
        ///
        /// - Parameter response: What Worldline answered.
        /// - Throws: ``GatewayResponseError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `status`, then for `id` and `status`
        ///   of a payment.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let answer = try response.object()
            httpStatus = response.status
            status =
                response.isAccepted
                ? try answer.mandatoryText("status") : answer["status"]?.string
            let output = answer["createdPaymentOutput"]
            paymentStatusCategory = output?["paymentStatusCategory"]?.string
            payment =
                if let value = output?["payment"] { try PaymentState(value) } else { nil }
            errorId = answer["errorId"]?.string
            errors = APIError.all(answer)
        }
    }
}
