public import ApplePayToken

extension Adyen {
    /// The answer to a payment, success or failure.
    ///
    /// HTTP 200 does not mean success: the answer to a refused payment has it too.
    ///
    /// Source: Adyen's official SDKs, `PaymentResponse`, `CheckoutRedirectAction` and `ServiceError`; *Result codes*;
    /// *API idempotency*, for the error 704 (2026-11-22).
    public struct PaymentAnswer: GatewayAnswer {
        /// The outcome of the payment; unknown after `Error` and if only a part of the amount was authorized.
        public let outcome: PaymentOutcome

        /// The HTTP status code.
        public let httpStatus: Int

        /// `resultCode`; nil in an error.
        public let resultCode: ResultCode?

        /// `pspReference`, which identifies the payment in later requests.
        public let pspReference: String?

        /// `merchantReference`: the value of the request.
        public let merchantReference: String?

        /// `refusalReason`: a text for the merchant's staff.
        public let refusalReason: String?

        /// `refusalReasonCode`, such as `2`.
        public let refusalReasonCode: String?

        /// `amount.value` in Adyen's minor units.
        public let amount: Int64?

        /// `amount.currency`: three letters.
        public let currency: String?

        /// `action`: the next step for the customer's device; nil if there is none.
        public let action: Action?

        /// `errorCode` of an error, such as `167`.
        public let errorCode: String?

        /// `errorType` of an error: `validation`, `security`, `configuration` or `internal`.
        public let errorType: String?

        /// `message` of an error: a text for the merchant's staff.
        public let message: String?

        /// Whether the payment was authorized, according to ``outcome``.
        public var isAuthorised: Bool { outcome == .authorized }

        /// `resultCode`.
        public var gatewayStatus: String? { resultCode?.rawValue }

        /// Returns false if the payment has another amount or currency.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order, Adyen.scale)
        }

        /// Reads an answer.
        ///
        /// - Parameter response: Adyen's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `resultCode`, then `wrong-type` for
        ///   `amount`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            if response.isAccepted {
                resultCode = ResultCode(rawValue: try answer.mandatoryText("resultCode"))
            } else {
                resultCode = (answer["resultCode"]?.string).map(ResultCode.init(rawValue:))
            }
            pspReference = answer["pspReference"]?.string
            merchantReference = answer["merchantReference"]?.string
            refusalReason = answer["refusalReason"]?.string
            refusalReasonCode = answer["refusalReasonCode"]?.string
            amount = try answer.optionalInteger("amount", "value")
            currency = try answer.optionalText("amount", "currency")
            errorCode = answer["errorCode"]?.string
            errorType = answer["errorType"]?.string
            message = answer["message"]?.string
            let action = answer["action"].map(Action.init)
            self.action = action
            let (result, code, reason) = (resultCode, refusalReasonCode, refusalReason)
            let concluded = response.outcome(code: errorCode, text: message) {
                switch result?.rawValue {
                case "Authorised": .authorized
                case "Refused", "Cancelled": .refused(code: code ?? result?.rawValue, text: reason)
                case "Pending", "Received", "AuthenticationFinished", "AuthenticationNotRequired":
                    .pending
                case "RedirectShopper", "ChallengeShopper", "IdentifyShopper", "PresentToShopper":
                    .action(action?.url)
                case "PartiallyAuthorised": .partial
                case let other: .undocumented("resultCode", other)
                }
            }
            outcome =
                errorCode == "704"
                ? .unknown(reason: "The request with this key was done or is in progress.")
                : response.confirmed(concluded, by: 200)
        }
    }

    /// `action` of an answer, which the SDK on the customer's device carries out.
    public struct Action: Sendable {
        /// `type`, such as `redirect` or `threeDS2`.
        public let type: String?

        /// `url`; nil for an action without one, such as `threeDS2`.
        public let url: String?

        /// `method`, such as `GET`.
        public let method: String?

        init(_ value: ResponseValue) {
            type = value["type"]?.string
            url = value["url"]?.string
            method = value["method"]?.string
        }
    }

    /// The result of a payment; Adyen adds values without notice.
    public struct ResultCode: RawRepresentable, Hashable, Sendable {
        /// Adyen's name of the result.
        public let rawValue: String

        /// Creates a result code from Adyen's name.
        ///
        /// - Parameter rawValue: The name, such as `Authorised`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `Authorised`.
        public static let authorised = ResultCode(rawValue: "Authorised")

        /// `Refused`.
        public static let refused = ResultCode(rawValue: "Refused")

        /// `Cancelled`.
        public static let cancelled = ResultCode(rawValue: "Cancelled")

        /// `Error`: the payment could not be processed.
        public static let error = ResultCode(rawValue: "Error")

        /// `Pending`: the outcome comes later, by webhook.
        public static let pending = ResultCode(rawValue: "Pending")

        /// `Received`: the outcome comes later, by webhook.
        public static let received = ResultCode(rawValue: "Received")
    }
}
