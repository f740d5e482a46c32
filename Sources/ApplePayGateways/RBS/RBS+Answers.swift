extension RBS {
    /// The answer to payment.do, paymentDirect.do and token/payment.do.
    ///
    /// Source: BPC, *REST API*, "Apple Pay"; RBS, *Apple Pay (mobile application)*.
    public struct PaymentAnswer: Sendable {
        /// `success`: the request was processed, which does not mean that anything is paid.
        public let success: Bool

        /// `data.orderId`: the gateway's own number of the order.
        public let orderId: String?

        /// `data.bindingId`: of the stored card.
        public let bindingId: String?

        /// `error.code`; nil when it is missing or no number.
        public let errorCode: Int64?

        /// `error.message`, which the customer may see.
        public let errorMessage: String?

        /// `error.description`, which the customer may not see.
        public let errorDescription: String?

        /// `orderStatus`; nil when it is not there: then ask for it.
        public let orderStatus: OrderStatus?

        /// Whether the amount is held or captured: `success` is true and the order's state says so.
        public let isPaid: Bool

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``GatewayResponseError``: `not-json`, `wrong-type` for a body that is no object,
        ///   `missing-member` or `wrong-type` for `success`, then `wrong-type` for `orderStatus` and in it
        ///   as for ``OrderStatus``.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let object = try response.object()
            guard let value = object["success"] else {
                throw GatewayResponseError(.missingMember, field: "success")
            }
            guard let success = value.boolean else {
                throw GatewayResponseError(.wrongType, field: "success")
            }
            self.success = success
            orderId = object["data", "orderId"]?.string
            bindingId = object["data", "bindingId"]?.string
            if let error = object["error"] {
                errorCode = error["code"]?.integer
                errorMessage = error["message"]?.string
                errorDescription = error["description"]?.string
            } else {
                errorCode = nil
                errorMessage = nil
                errorDescription = nil
            }
            if let status = object["orderStatus"] {
                orderStatus = try OrderStatus(
                    status, path: "orderStatus", isAccepted: response.isAccepted)
            } else {
                orderStatus = nil
            }
            isPaid = success && orderStatus?.isPaid == true
        }
    }

    /// The answer to deposit.do.
    ///
    /// Source: BPC, *REST API*, "Order management".
    public struct DepositAnswer: Hashable, Sendable {
        /// `errorCode`, 0 for success; `ErrorCode` on older servers.
        public let errorCode: Int64

        /// `errorMessage`.
        public let errorMessage: String?

        /// Whether the capture was taken; what became of the order its state tells.
        public let isAccepted: Bool

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``GatewayResponseError``: `not-json`, `wrong-type`, then `missing-member` for
        ///   `errorCode`.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let members = Members(try response.object(), path: "")
            guard let errorCode = try members.errorCode() else {
                throw GatewayResponseError(.missingMember, field: "errorCode")
            }
            self.errorCode = errorCode
            errorMessage = members.errorMessage
            isAccepted = response.isAccepted && errorCode == 0
        }
    }
}
