public import ApplePayToken

extension RBS {
    /// The answer to payment.do, paymentDirect.do and token/payment.do.
    ///
    /// Source: BPC, *REST API*, "Apple Pay"; RBS, *Apple Pay (mobile application)*.
    public struct PaymentAnswer: GatewayAnswer {
        /// The meaning of the answer; ``PaymentOutcome/pending`` if the request was processed and the answer lacks the
        /// order's state.
        public let outcome: PaymentOutcome

        /// `success`: the request was processed, which does not mean that anything is paid.
        public let success: Bool

        /// `data.orderId`: the gateway's own number of the order.
        public let orderId: String?

        /// `data.bindingId`: the identifier of the stored card.
        public let bindingId: String?

        /// `error.code`; nil if it is missing or not a number.
        public let errorCode: Int64?

        /// `error.message`, which the customer may see.
        public let errorMessage: String?

        /// `error.description`, which the customer may not see.
        public let errorDescription: String?

        /// `orderStatus`; nil if the answer does not contain it: then ask for it.
        public let orderStatus: OrderStatus?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type` for a body that is not an object,
        ///   `missing-member` or `wrong-type` for `success`, then `wrong-type` for `orderStatus`, then the errors of
        ///   ``OrderStatus``.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            guard let value = object["success"] else {
                throw UnreadableJSONError(.missingMember, field: "success")
            }
            guard let success = value.boolean else {
                throw UnreadableJSONError(.wrongType, field: "success")
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
                orderStatus = try OrderStatus(status, path: "orderStatus", response)
            } else {
                orderStatus = nil
            }
            let (code, message) = (errorCode, errorDescription ?? errorMessage)
            let (status, action) = (
                orderStatus, object["data", "redirect"]?.string ?? object["data", "acsUrl"]?.string
            )
            outcome = response.outcome(code: code.map { "\($0)" }, text: message) {
                guard !success else {
                    // While the order waits, the address shows that it waits for the customer.
                    guard let outcome = status?.outcome, outcome != .pending else {
                        return .action(action)
                    }
                    return outcome
                }
                guard status?.isPaid != true else {
                    return .unknown(reason: "The answer's error contradicts its orderStatus.")
                }
                return RBS.refused(code, message, duplicate: 1)
            }
        }

        /// Whether the amount is authorized or captured, according to ``outcome``.
        public var isPaid: Bool { outcome == .paid || outcome == .authorized }

        /// `orderStatus.orderStatus`.
        public var gatewayStatus: String? { orderStatus?.gatewayStatus }

        /// Returns false if the order's state has another amount or currency.
        public func agrees(with order: Order) -> Bool {
            guard let orderStatus else { return true }
            return orderStatus.agrees(with: order)
        }
    }

    /// Returns the outcome of an error.
    ///
    /// It is unknown after 7, a system error, and after `duplicate`, an order number that was used before: the order
    /// with that number may have been paid.
    ///
    /// Source: BPC, *REST API*, error codes.
    static func refused(
        _ code: Int64?,
        _ message: String?,
        duplicate: Int64? = nil
    ) -> PaymentOutcome {
        guard let code, code == 7 || code == duplicate else {
            return .refused(code: code.map { "\($0)" }, text: message)
        }
        return .unknown(
            reason: "The gateway reported the error \(code); ask for the order's state.")
    }

    /// The answer to deposit.do, reverse.do and refund.do.
    ///
    /// Source: BPC, *REST API*, "Order management".
    public struct DepositAnswer: GatewayAnswer, Hashable {
        /// The outcome; ``PaymentOutcome/paid`` once the gateway accepted the operation.
        ///
        /// Ask for the order's state to see its effect.
        public let outcome: PaymentOutcome
        /// `errorCode`, 0 for success; `ErrorCode` on older servers.
        public let errorCode: Int64

        /// `errorMessage`.
        public let errorMessage: String?

        /// Whether the gateway accepted the operation.
        public let isAccepted: Bool

        /// `errorCode`.
        public var gatewayStatus: String? { "\(errorCode)" }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, then `missing-member` for
        ///   `errorCode`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let members = Members(try response.object(), path: "")
            guard let errorCode = try members.errorCode() else {
                throw UnreadableJSONError(.missingMember, field: "errorCode")
            }
            self.errorCode = errorCode
            errorMessage = members.errorMessage
            isAccepted = response.isAccepted && errorCode == 0
            let message = errorMessage
            outcome = response.outcome(code: "\(errorCode)", text: message) {
                errorCode == 0 ? .paid : RBS.refused(errorCode, message)
            }
        }
    }
}
