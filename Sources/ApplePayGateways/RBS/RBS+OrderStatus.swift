public import ApplePayPrimitives
public import ApplePayToken

extension RBS {
    /// The state of an order, from getOrderStatusExtended.do or from a payment's answer that contains it.
    ///
    /// The gateway may write numbers as strings and strings as numbers; both are read. The merchant's settings
    /// determine which members the answer contains. A member of another type is nil, except those that decide about the
    /// payment: `errorCode`, `orderStatus`, `amount` and `currency`.
    ///
    /// Source: BPC, *REST API*, "Order status"; the gateway family's public clients.
    public struct OrderStatus: GatewayAnswer {
        /// The meaning of the answer; unknown unless the HTTP status is 2xx.
        public let outcome: PaymentOutcome

        /// `orderStatus`.
        public enum State: Int64, CaseIterable, Sendable {
            /// The order is registered but not paid.
            case registered = 0
            /// The amount is reserved; a deposit captures it.
            case held = 1
            /// The amount is captured.
            case captured = 2
            /// The reserved amount was released.
            case cancelled = 3
            /// The amount was refunded.
            case refunded = 4
            /// The bank is authenticating the customer.
            case authenticating = 5
            /// The payment was refused.
            case declined = 6
            /// The payment is not decided yet.
            case pending = 7
            /// A part of the amount is captured.
            case partiallyCaptured = 8
        }

        /// `errorCode`, 0 for success; `ErrorCode` on older servers.
        public let errorCode: Int64?

        /// `errorMessage`, `ErrorMessage` on older servers.
        public let errorMessage: String?

        /// `orderNumber`.
        public let orderNumber: String?

        /// The gateway's own number: `mdOrder` among `attributes`.
        public let orderId: String?

        /// `orderStatus`; nil if it is missing, for example in a refused request, or is a number that is not
        /// documented.
        public let state: State?

        /// `actionCode` of the bank, 0 for approval.
        public let actionCode: Int64?

        /// `actionCodeDescription`.
        public let actionCodeDescription: String?

        /// `amount` in minor units.
        public let amount: Int64?

        /// `currency`: the digits of ISO 4217.
        public let currency: String?

        /// `date` in milliseconds since 1970-01-01T00:00:00Z.
        public let milliseconds: Int64?

        /// `cardAuthInfo.maskedPan`.
        public let maskedPan: String?

        /// `cardAuthInfo.expiration`: six digits YYYYMM.
        public let expiration: String?

        /// `cardAuthInfo.cardholderName`.
        public let cardholderName: SensitiveBytes?

        /// `cardAuthInfo.approvalCode`.
        public let approvalCode: String?

        /// `paymentAmountInfo.paymentState`, such as `DEPOSITED`.
        public let paymentState: String?

        /// `paymentAmountInfo.approvedAmount` in minor units.
        public let approvedAmount: Int64?

        /// `paymentAmountInfo.depositedAmount` in minor units.
        public let depositedAmount: Int64?

        /// `paymentAmountInfo.refundedAmount` in minor units.
        public let refundedAmount: Int64?

        /// `paymentWay`, such as `APPLE_PAY`.
        public let paymentWay: String?

        /// `merchantOrderParams`, in order.
        public let merchantOrderParams: [(name: String, value: String)]

        /// Whether the amount is authorized or captured: the HTTP status is 2xx, `errorCode` is 0 or missing, and
        /// `orderStatus` is 1 or 2.
        public var isPaid: Bool { outcome == .paid || outcome == .authorized }

        /// `orderStatus`, as it was received.
        public let gatewayStatus: String?

        /// Returns whether the answer contains the order's amount and currency.
        ///
        /// - Parameter order: The order.
        /// - Returns: False also if one of them is missing, because the payment request did not contain them either; but
        ///   true for a refusal without both, such as that of an unknown order.
        public func agrees(with order: Order) -> Bool {
            guard let amount, let currency else {
                return outcome.isRefused && amount == nil && currency == nil
            }
            let padding = String(repeating: "0", count: max(3 - currency.utf8.count, 0))
            return amount == order.amount && padding + currency == order.currency.numeric
        }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`; `wrong-type` for a body that is not an object,
        ///   then for an `errorCode`, `orderStatus`, `amount` or `currency` that has neither its type nor is a string
        ///   of it; `missing-member` if both `orderStatus` and `errorCode` are missing.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            try self.init(object, path: "", response)
            guard object["orderStatus"] != nil || errorCode != nil else {
                throw UnreadableJSONError(.missingMember, field: "orderStatus")
            }
        }

        init(
            _ object: ResponseValue,
            path: String,
            _ response: GatewayResponse
        ) throws(UnreadableJSONError) {
            guard object.isObject else { throw UnreadableJSONError(.wrongType, field: path) }
            let members = Members(object, path: path)
            errorCode = try members.errorCode()
            errorMessage = members.errorMessage
            orderNumber = object["orderNumber"]?.string
            state = try members.integer("orderStatus").flatMap(State.init)
            actionCode = object["actionCode"]?.integer
            actionCodeDescription = object["actionCodeDescription"]?.string
            amount = try members.integer("amount")
            currency = try members.text("currency")
            milliseconds = object["date"]?.integer
            maskedPan = object["cardAuthInfo", "maskedPan"]?.string
            expiration = object["cardAuthInfo", "expiration"]?.string
            cardholderName = object["cardAuthInfo", "cardholderName"]?.secret
            approvalCode = object["cardAuthInfo", "approvalCode"]?.string
            paymentState = object["paymentAmountInfo", "paymentState"]?.string
            approvedAmount = object["paymentAmountInfo", "approvedAmount"]?.integer
            depositedAmount = object["paymentAmountInfo", "depositedAmount"]?.integer
            refundedAmount = object["paymentAmountInfo", "refundedAmount"]?.integer
            paymentWay = object["paymentWay"]?.string
            orderId = Self.pairs(object["attributes"]).first { $0.name == "mdOrder" }?.value
            merchantOrderParams = Self.pairs(object["merchantOrderParams"])
            gatewayStatus = object["orderStatus"]?.string
            let (code, message, text) = (errorCode ?? 0, errorMessage, actionCodeDescription)
            let (state, status, action) = (state, gatewayStatus, actionCode)
            let isRefundedInPart = (refundedAmount ?? .max) < (amount ?? 0)
            outcome = response.outcomeOfQuestion {
                switch (code, state) {
                // The gateway does not know the order, so nothing was charged.
                case (6, _): .refused(code: "6", text: message)
                case (0, .held): .authorized
                case (0, .partiallyCaptured): .partial
                case (0, .captured): .paid
                case (0, .registered), (0, .authenticating), (0, .pending): .pending
                // The gateway has one state for refunds of all and of a part of the amount.
                case (0, .refunded) where isRefundedInPart: .partial
                // The bank's action code is that of its approval.
                case (0, .cancelled), (0, .refunded): .refused(code: status, text: message)
                case (0, .declined):
                    .refused(code: action.map { "\($0)" } ?? status, text: text ?? message)
                case (0, nil): .undocumented("orderStatus", status)
                default: .unknown(reason: "The gateway reported the error \(code).")
                }
            }
        }

        private static func pairs(_ value: ResponseValue?) -> [(name: String, value: String)] {
            (value?.elements ?? []).compactMap { pair in
                guard let name = pair["name"]?.string, let value = pair["value"]?.string else {
                    return nil
                }
                return (name, value)
            }
        }
    }

    /// The members of an answer, in the spellings that this family of gateways uses.
    struct Members {
        let object: ResponseValue
        let path: String

        init(_ object: ResponseValue, path: String) {
            self.object = object
            self.path = path
        }

        /// Returns an integer, or the value of a string of digits; nil if the member is missing or an empty string.
        func integer(_ name: String) throws(UnreadableJSONError) -> Int64? {
            guard let value = object[name], value.string != "" else { return nil }
            guard let integer = value.integer else { throw wrongType(name) }
            return integer
        }

        /// Returns a string, or a number as it is written; nil if the member is missing.
        func text(_ name: String) throws(UnreadableJSONError) -> String? {
            guard let value = object[name] else { return nil }
            guard let text = value.string else { throw wrongType(name) }
            return text
        }

        /// Returns `errorCode`, or the spelling of older servers.
        func errorCode() throws(UnreadableJSONError) -> Int64? {
            guard let code = try integer("errorCode") else { return try integer("ErrorCode") }
            return code
        }

        /// `errorMessage`, or the spelling of older servers.
        var errorMessage: String? {
            object["errorMessage"]?.string ?? object["ErrorMessage"]?.string
        }

        private func wrongType(_ name: String) -> UnreadableJSONError {
            UnreadableJSONError(.wrongType, field: path.isEmpty ? name : "\(path).\(name)")
        }
    }
}
