extension Worldline {
    /// The answer to CreatePayment and to GetPayment, of Direct and of Connect, success or failure.
    ///
    /// A 2xx is no success by itself: a payment can be made and still be redirected, pending or rejected.
    ///
    /// Source: the server SDKs, `CreatePaymentResponse`, `PaymentResponse`, `PaymentErrorResponse`.
    public struct PaymentAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The payment; in an error `paymentResult.payment`, and nil when none was made.
        public let payment: PaymentState?

        /// `merchantAction.actionType`, such as `REDIRECT`; nil when nothing is to be done.
        public let actionType: String?

        /// `merchantAction.redirectData.redirectURL`: where the customer must go.
        public let redirectURL: String?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// Whether the payment is authorised or captured: 2xx and
        /// ``PaymentState/isAuthorizedOrCaptured``.
        public var isAuthorized: Bool {
            (200..<300).contains(httpStatus) && payment?.isAuthorizedOrCaptured == true
        }

        /// Reads an answer.
        ///
        /// - Parameter response: What Worldline answered.
        /// - Throws: ``GatewayResponseError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` for `payment`, and `missing-member` or `wrong-type` for
        ///   `id` and `status` of a payment.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let answer = try response.object()
            httpStatus = response.status
            // CreatePayment wraps the payment, GetPayment's answer is one.
            let value =
                answer["payment"] ?? answer["paymentResult", "payment"]
                ?? (answer["statusOutput"] == nil ? nil : answer)
            guard value != nil || !response.isAccepted else {
                throw GatewayResponseError(.missingMember, field: "payment")
            }
            payment =
                if let value { try PaymentState(value) } else { nil }
            let action = answer["merchantAction"] ?? answer["paymentResult", "merchantAction"]
            actionType = action?["actionType"]?.string
            redirectURL = action?["redirectData", "redirectURL"]?.string
            errorId = answer["errorId"]?.string
            errors = APIError.all(answer)
        }
    }
}
