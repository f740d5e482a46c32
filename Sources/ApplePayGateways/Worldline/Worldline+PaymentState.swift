public import ApplePayPrimitives

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
        init(_ value: ResponseValue) throws(GatewayResponseError) {
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
