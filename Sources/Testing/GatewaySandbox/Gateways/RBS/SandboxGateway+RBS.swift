extension SandboxGateway {
    /// The RBS family, which does not have idempotency keys, but accepts each order number only once.
    ///
    /// Its errors have HTTP status 200. Source: BPC, *REST API* (Apple Pay, tokenised payment, status, order
    /// management).
    static let rbs = SandboxGateway(
        name: "rbs", credentials: .members,
        account: { secret in
            [
                "account": ["merchant": "shop"],
                "credentials": ["userName": "shop", "password": secret],
            ]
        },
        rareScenarios: [.chargeback, .partlyApproved],
        foreign: RBSForm.foreign, fault: RBSForm.answer,
        routes: [
            .post(
                "/payment/applepay/payment.do", ["merchant", "paymentToken"], by: .open,
                do: RBSForm.pay),
            .post(
                "/payment/applepay/paymentDirect.do",
                [.text("orderNumber", upTo: 36), "paymentToken"],
                do: RBSForm.payDirect),
            .post(
                "/payment/token/payment.do",
                [
                    .amount("amount"), "currency", "tokenType", "returnUrl", "paymentData.dpan",
                    "paymentData.tokenCryptogram", "paymentData.MM", "paymentData.YYYY",
                ], do: RBSForm.payWithToken),
            .post(
                "/payment/rest/register.do", registration, isForm: true,
                do: RBSForm.register(isReserved: false)),
            .post(
                "/payment/rest/registerPreAuth.do", registration, isForm: true,
                do: RBSForm.register(isReserved: true)),
            .post(
                "/payment/rest/paymentOrderBinding.do",
                ["mdOrder", "bindingId", RequiredMember("tii") { ["F", "U"].contains($0) }],
                isForm: true, do: RBSForm.payWithBinding),
            .post("/payment/recurrentPayment.do", series, do: RBSForm.payRecurring),
            .post("/payment/installmentPayment.do", series, do: RBSForm.payInstallment),
            .post(
                "/payment/rest/getOrderStatusExtended.do", [order], isForm: true, do: RBSForm.status
            ),
            .post(
                "/payment/rest/deposit.do", [order, .amount("amount")], isForm: true,
                do: RBSForm.deposit),
            .post("/payment/rest/reverse.do", [order], isForm: true, do: RBSForm.reverse),
            .post(
                "/payment/rest/refund.do", [order, .amount("amount")], isForm: true,
                do: RBSForm.refund),
        ])

    private static let order = RequiredMember("orderId", "orderNumber")

    /// The members of an order that is registered for a payment with a stored card.
    private static let registration: [RequiredMember] = [
        .text("orderNumber", upTo: 36), .amount("amount"), "returnUrl", "clientId",
    ]

    /// The members of a payment of a series.
    private static let series: [RequiredMember] = [
        .text("orderNumber", upTo: 36), "bindingId", .amount("amount"),
    ]
}

extension RBSForm {
    /// Returns a payment of another channel, unless its order number is used.
    @Sendable static func foreign(
        _ purchase: Purchase, _ result: Scenario, _ book: inout PaymentBook
    ) -> SandboxPayment? {
        guard !isUsed(purchase.reference, book) else { return nil }
        var purchase = purchase
        purchase.currency = SandboxCurrency(purchase.currency)?.numeric
        return SandboxPayment(id: book.nextUUID(), purchase, result)
    }

    /// Returns the answer to a request that fails; one code stands for several reasons.
    ///
    /// Management answers have a number, the status has a text, and the payment methods have an object.
    @Sendable static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        let (code, message): (Int64, String) =
            switch fault {
            case .unauthorized: (5, "Access denied")
            case .malformed: (5, "The request is malformed")
            case .missing(let name): (4, "[\(name)] is missing or invalid")
            case .reusedKey, .duplicate:
                (10, "Order with this number is already registered in the system.")
            case .notFound: (6, "There is no such order")
            case .refused(.notCaptured), .refused(.notAuthorized):
                (7, "Payment must be in a correct state")
            case .refused(let refusal): (7, refusal.rawValue)
            case .failed: (7, "System error")
            }
        let status = if case .failed(let status) = fault { status } else { 200 }
        guard request.path.contains("/rest/") || request.path.hasSuffix("/installmentPayment.do")
        else {
            return failure(code, message, status: status)
        }
        let isStatus = request.path.hasSuffix("/getOrderStatusExtended.do")
        let body: JSON = [
            "errorCode": isStatus ? .string(String(code)) : .integer(code),
            "errorMessage": .string(message), "attributes": isStatus ? [] : nil,
        ]
        return SandboxAnswer(status, body)
    }

    /// Returns the answer of a payment method that fails.
    static func failure(_ code: Int64, _ message: String, status: Int = 200) -> SandboxAnswer {
        let description = code == 10 ? message : "Processing Error"
        let error: JSON = [
            "code": .integer(code), "description": .string(description),
            "message": .string(message),
        ]
        return SandboxAnswer(status, ["success": false, "error": error])
    }
}
