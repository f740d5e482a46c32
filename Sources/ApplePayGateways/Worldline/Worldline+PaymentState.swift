public import ApplePayPrimitives
internal import ApplePayToken

extension Worldline {
    /// The state of a payment in Worldline's answers.
    public struct PaymentState: Sendable {
        /// `id`, which identifies the payment in later requests.
        public let id: String

        /// `status`, such as `PENDING_CAPTURE`, `CAPTURED` or `REJECTED`; Worldline adds values.
        public let status: String

        /// `statusOutput.statusCategory`.
        public let statusCategory: String?

        /// `statusOutput.statusCode`, such as 5.
        public let statusCode: Int64?

        /// `statusOutput.isAuthorized`; nil if it is missing.
        ///
        /// Direct sends false once the amount is captured.
        public let isAuthorized: Bool?

        /// `statusOutput.isCancellable`.
        public let isCancellable: Bool?

        /// `statusOutput.isRefundable`.
        public let isRefundable: Bool?

        /// `statusOutput.errors`: the reasons for a refusal.
        public let errors: [APIError]

        /// `amountOfMoney.amount` in the units of the platform: minor units for Direct, two decimals for Connect.
        public let amount: Int64?

        /// `amountOfMoney.currencyCode`: three letters.
        public let currency: String?

        /// `paymentOutput.references.merchantReference`: the value of the request.
        public let merchantReference: String?

        /// `authorisationCode`.
        public let authorisationCode: String?

        /// `network`.
        public let network: String?

        /// `paymentProductId`: the payment product of the card, such as 1 for Visa.
        public let paymentProductId: Int64?

        /// `paymentData.dpan`; Worldline may mask it.
        public let dpan: SensitiveBytes?

        /// `paymentData.expiryDate`.
        public let expiryDate: SensitiveBytes?

        private let scale: CurrencyScale

        /// Whether the amount is authorized or captured, according to `status`.
        public var isAuthorizedOrCaptured: Bool {
            let outcome = outcome(redirectURL: nil)
            return outcome == .paid || outcome == .authorized
        }

        /// Derives the outcome from `status`, and from `isAuthorized` only if `status` is not a documented one.
        ///
        /// `isAuthorized` is false once a capture was requested, so it is not used for the documented values.
        ///
        /// Source: Worldline Direct, *Statuses* (2026-11-22); Connect, *Payment statuses*, and its SDKs, `Payment`.
        func outcome(redirectURL: String?) -> PaymentOutcome {
            switch status {
            case "CAPTURED", "PAID": .paid
            case "PENDING_CAPTURE", "PENDING_APPROVAL", "CAPTURE_REQUESTED", "ACCOUNT_VERIFIED":
                .authorized
            case "CREATED", "PENDING_PAYMENT", "PENDING_FRAUD_APPROVAL", "PENDING_COMPLETION",
                "AUTHORIZATION_REQUESTED", "REFUND_REQUESTED":
                .pending
            case "REDIRECTED": .action(redirectURL)
            case "REJECTED", "REJECTED_CAPTURE", "CANCELLED", "REVERSED", "REFUNDED",
                "CHARGEBACK_NOTIFICATION", "CHARGEBACKED":
                .refused(code: errors.first?.code ?? status, text: errors.first?.message ?? status)
            default: isAuthorized == true ? .authorized : .undocumented("status", status)
            }
        }

        /// Returns false if the amount or the currency is not the order's.
        func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order, scale)
        }

        /// Reads a payment, a capture or a refund.
        ///
        /// - Throws: `missing-member` or `wrong-type` for `id` and `status`.
        init(_ value: ResponseValue, _ scale: CurrencyScale) throws(UnreadableJSONError) {
            self.scale = scale
            id = try value.mandatoryText("id")
            status = try value.mandatoryText("status")
            let state = value["statusOutput"]
            statusCategory = state?["statusCategory"]?.string
            statusCode = state?["statusCode"]?.integer
            isAuthorized = state?["isAuthorized"]?.boolean
            isCancellable = state?["isCancellable"]?.boolean
            isRefundable = state?["isRefundable"]?.boolean
            errors = APIError.all(state)
            let output =
                value["paymentOutput"] ?? value["captureOutput"] ?? value["refundOutput"]
            let money = output?["amountOfMoney"] ?? value["amountOfMoney"]
            amount = try money?.optionalInteger("amount")
            currency = try money?.optionalText("currencyCode")
            merchantReference = output?["references", "merchantReference"]?.string
            let method = output?["mobilePaymentMethodSpecificOutput"]
            authorisationCode = method?["authorisationCode"]?.string
            network = method?["network"]?.string
            paymentProductId = method?["paymentProductId"]?.integer
            dpan = method?["paymentData", "dpan"]?.secret
            expiryDate = method?["paymentData", "expiryDate"]?.secret
        }
    }
}

extension Worldline {
    /// An element of `errors` in an answer.
    public struct APIError: Sendable {
        /// `errorCode`, or `code` if the element has only that.
        public let code: String?

        /// `category`, such as `DIRECT_PLATFORM_ERROR`.
        public let category: String?

        /// `id`, such as `PARAMETER_NOT_FOUND_IN_REQUEST`.
        public let id: String?

        /// `message`: a text for the merchant's staff.
        public let message: String?

        /// `propertyName`: the member at fault.
        public let propertyName: String?

        /// `httpStatusCode`.
        public let httpStatusCode: Int64?

        /// `retriable`: whether the same request may be sent again; Connect does not send it.
        public let isRetriable: Bool?

        init(_ value: ResponseValue) {
            code = value["errorCode"]?.string ?? value["code"]?.string
            category = value["category"]?.string
            id = value["id"]?.string
            message = value["message"]?.string
            propertyName = value["propertyName"]?.string
            httpStatusCode = value["httpStatusCode"]?.integer
            isRetriable = value["retriable"]?.boolean
        }

        static func all(_ value: ResponseValue?) -> [APIError] {
            (value?["errors"]?.elements ?? []).filter(\.isObject).map(APIError.init)
        }
    }
}
