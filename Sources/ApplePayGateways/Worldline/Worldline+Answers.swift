public import ApplePayPrimitives

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
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` for `payment`, and `missing-member` or `wrong-type` for
        ///   `id` and `status` of a payment.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            // CreatePayment wraps the payment, GetPayment's answer is one.
            let value =
                answer["payment"] ?? answer["paymentResult", "payment"]
                ?? (answer["statusOutput"] == nil ? nil : answer)
            guard value != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "payment")
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

extension Worldline {
    /// A payment as Worldline knows it.
    public struct PaymentState: Sendable {
        /// `id`: what later requests name the payment by.
        public let id: String

        /// `status`, such as `PENDING_CAPTURE`, `CAPTURED` or `REJECTED`; the vendor adds some.
        public let status: String

        /// `statusOutput.statusCategory`.
        public let statusCategory: String?

        /// `statusOutput.statusCode`, such as 5.
        public let statusCode: Int64?

        /// `statusOutput.isAuthorized`; nil where it is missing.
        ///
        /// Direct says false once the amount is captured.
        public let isAuthorized: Bool?

        /// `statusOutput.isCancellable`.
        public let isCancellable: Bool?

        /// `statusOutput.isRefundable`.
        public let isRefundable: Bool?

        /// `statusOutput.errors`: why it was refused.
        public let errors: [APIError]

        /// `paymentOutput.amountOfMoney.amount` in the units of the API: minor units on Direct, two
        /// decimals on Connect.
        public let amount: Int64?

        /// `paymentOutput.amountOfMoney.currencyCode`: three letters.
        public let currency: String?

        /// `paymentOutput.references.merchantReference`: what the request said.
        public let merchantReference: String?

        /// `authorisationCode`.
        public let authorisationCode: String?

        /// `network`.
        public let network: String?

        /// `paymentProductId`: the product of the card, such as 1 for Visa.
        public let paymentProductId: Int64?

        /// `paymentData.dpan`, masked by Worldline or not.
        public let dpan: SensitiveBytes?

        /// `paymentData.expiryDate`.
        public let expiryDate: SensitiveBytes?

        /// Whether the amount is authorised or captured: `isAuthorized` is true, or `status` is
        /// `CAPTURED` (Direct) or `PAID` (Connect).
        ///
        /// Source: Worldline Direct, *Statuses*; its official plugins, whose captured payment has
        /// `isAuthorized` false; Connect, *Payment statuses*.
        public var isAuthorizedOrCaptured: Bool {
            isAuthorized == true || status == "CAPTURED" || status == "PAID"
        }

        /// Reads a payment.
        ///
        /// - Throws: `missing-member` or `wrong-type` for `id` and `status`.
        init(_ value: ResponseValue) throws(UnreadableJSONError) {
            id = try value.mandatoryText("id")
            status = try value.mandatoryText("status")
            let state = value["statusOutput"]
            statusCategory = state?["statusCategory"]?.string
            statusCode = state?["statusCode"]?.integer
            isAuthorized = state?["isAuthorized"]?.boolean
            isCancellable = state?["isCancellable"]?.boolean
            isRefundable = state?["isRefundable"]?.boolean
            errors = APIError.all(state)
            let output = value["paymentOutput"]
            amount = output?["amountOfMoney", "amount"]?.integer
            currency = output?["amountOfMoney", "currencyCode"]?.string
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
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `hostedCheckoutId`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
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
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `status`, then for `id` and `status`
        ///   of a payment.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
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

extension Worldline {
    /// One of the `errors` of an answer.
    public struct APIError: Sendable {
        /// `errorCode`, or `code` where that is the only one.
        public let code: String?

        /// `category`, such as `DIRECT_PLATFORM_ERROR`.
        public let category: String?

        /// `id`, such as `PARAMETER_NOT_FOUND_IN_REQUEST`.
        public let id: String?

        /// `message`: for the merchant's staff.
        public let message: String?

        /// `propertyName`: the member at fault.
        public let propertyName: String?

        /// `httpStatusCode`.
        public let httpStatusCode: Int64?

        /// `retriable`: whether the same request may be sent again; Connect does not say.
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
