import Foundation

extension SandboxGateway {
    /// The RBS family, which does not have idempotency keys, but accepts each order number only once.
    ///
    /// Its errors have HTTP status 200. Source: BPC, *REST API* (Apple Pay, tokenised payment, status, order
    /// management).
    static let rbs = SandboxGateway(
        name: "rbs", fault: RBSForm.answer,
        routes: [
            .post(
                "/payment/applepay/payment.do", .none, .json,
                [RequiredMember("merchant"), RequiredMember("paymentToken")], RBSForm.pay),
            .post(
                "/payment/applepay/paymentDirect.do", .members, .json,
                [RequiredMember("orderNumber"), RequiredMember("paymentToken")],
                RBSForm.payDirect),
            .post(
                "/payment/token/payment.do", .members, .json,
                [
                    RequiredMember("amount", is: .amount), RequiredMember("currency"),
                    RequiredMember("tokenType"), RequiredMember("returnUrl"),
                    RequiredMember("paymentData.dpan"),
                    RequiredMember("paymentData.tokenCryptogram"),
                    RequiredMember("paymentData.MM"), RequiredMember("paymentData.YYYY"),
                ], RBSForm.payWithToken),
            .post(
                "/payment/rest/getOrderStatusExtended.do", .members, .form,
                [RequiredMember("orderId", "orderNumber")], RBSForm.status),
            .post(
                "/payment/rest/deposit.do", .members, .form,
                [
                    RequiredMember("orderId", "orderNumber"),
                    RequiredMember("amount", is: .amount),
                ]
            ) { call, book in RBSForm.change(.capture, call, &book) },
            .post(
                "/payment/rest/reverse.do", .members, .form,
                [RequiredMember("orderId", "orderNumber")]
            ) { call, book in RBSForm.change(.cancel, call, &book) },
            .post(
                "/payment/rest/refund.do", .members, .form,
                [
                    RequiredMember("orderId", "orderNumber"),
                    RequiredMember("amount", is: .amount),
                ]
            ) { call, book in RBSForm.change(.refund, call, &book) },
        ])
}

/// The answers of RBS.
private enum RBSForm {
    /// Makes a payment; an encrypted token hides the amount, so a description such as `amount 40200` can state it.
    @Sendable static func pay(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let token = plaintext(call), token["data"]?.string != nil else {
            return .answer(call.fault(.missing("paymentToken")))
        }
        let words = (call.body["description"]?.string ?? "").split(separator: " ")
        let amount =
            words.count == 2 && words[0] == "amount"
            ? JSON.string(String(words[1])).integer : nil
        return pay(amount, nil, call, &book)
    }

    @Sendable static func payDirect(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let token = plaintext(call), let amount = token["transactionAmount"]?.integer,
            let currency = token["currencyCode"]?.string,
            token["applicationPrimaryAccountNumber"]?.string != nil
        else { return .answer(call.fault(.missing("paymentToken"))) }
        return pay(amount, currency, call, &book)
    }

    @Sendable static func payWithToken(_ call: Call, _ book: inout PaymentBook) -> Reply {
        pay(call.body["amount"]?.integer, call.body["currency"]?.string, call, &book)
    }

    /// Returns the JSON in `paymentToken`.
    private static func plaintext(_ call: Call) -> JSON? {
        guard let text = call.body["paymentToken"]?.string, text.utf8.count <= 8192 else {
            return nil
        }
        return Data(base64Encoded: text).flatMap { JSON(parsing: Array($0)) }
    }

    private static func pay(
        _ amount: Int64?,
        _ currency: String?,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        let number = call.body["orderNumber"]?.string
        if number != nil,
            !book.payments(of: call.gateway.name, where: { $0.reference == number }).isEmpty
        {
            return .answer(call.fault(.duplicate))
        }
        let purchase = Purchase(
            amount: amount, currency: currency, reference: number,
            captures: call.body["preAuth"]?.boolean != true)
        return call.pay(purchase, id: book.nextUUID(), in: &book) { payment in
            let address = JSON.string(call.customerURL(payment.id))
            let isWaiting = payment.state == .awaitingCustomer
            let isDeclined = payment.state == .declined
            return SandboxAnswer(
                200,
                [
                    "success": .boolean(!isDeclined),
                    "data": [
                        "orderId": .string(payment.id), "redirect": isWaiting ? address : nil,
                        "acsUrl": isWaiting ? address : nil, "paReq": isWaiting ? "sandbox" : nil,
                        "termUrl": isWaiting ? address : nil,
                    ],
                    "error": isDeclined
                        ? [
                            "code": 10, "description": "Processing Error",
                            "message": "The bank declined the payment",
                        ] : nil,
                    "orderStatus": orderStatus(payment),
                ])
        }
    }

    private static func orderStatus(_ payment: SandboxPayment) -> JSON {
        let (number, name): (Int64, String) =
            switch payment.state {
            case .awaitingCustomer: (5, "CREATED")
            case .processing: (7, "CREATED")
            case .declined: (6, "DECLINED")
            case .authorized: (1, "APPROVED")
            case .captured: (2, "DEPOSITED")
            case .cancelled: (3, "REVERSED")
            case .refunded: (4, "REFUNDED")
            }
        let isKnown = payment.amount != nil
        let approved = [1, 2, 4].contains(number) ? payment.amount ?? 0 : 0
        return [
            "errorCode": "0", "errorMessage": "Success",
            "orderNumber": .optional(payment.reference), "orderStatus": .integer(number),
            "actionCode": .integer(number == 6 ? 116 : 0),
            "actionCodeDescription": .string(number == 6 ? "The bank declined the payment" : ""),
            "amount": payment.amount.map(JSON.integer), "currency": .optional(payment.currency),
            "cardAuthInfo": [
                "maskedPan": "476112**0492", "expiration": "202512", "approvalCode": "123456",
            ],
            "paymentAmountInfo": isKnown
                ? [
                    "paymentState": .string(name), "approvedAmount": .integer(approved),
                    "depositedAmount": .integer(payment.capturedAmount),
                    "refundedAmount": .integer(payment.refundedAmount),
                ] : ["paymentState": .string(name)],
            "paymentWay": "APPLE_PAY",
            "attributes": [["name": "mdOrder", "value": .string(payment.id)]],
        ]
    }

    /// Returns the identifier of the order in a form; `orderId` has precedence.
    private static func orderID(_ call: Call, _ book: PaymentBook) -> String? {
        if let id = call.body["orderId"]?.string { return id }
        return book.payments(of: call.gateway.name) {
            $0.reference == call.body["orderNumber"]?.string
        }.last?.id
    }

    @Sendable static func status(_ call: Call, _ book: inout PaymentBook) -> Reply {
        guard let id = orderID(call, book), let payment = call.status(id, in: &book) else {
            return .answer(call.fault(.notFound))
        }
        return .answer(SandboxAnswer(200, orderStatus(payment)))
    }

    static func change(
        _ kind: SandboxPayment.FollowUp.Kind,
        _ call: Call,
        _ book: inout PaymentBook
    ) -> Reply {
        // The gateway reads an amount of 0 as the whole amount.
        let amount = call.body["amount"]?.integer.flatMap { $0 == 0 ? nil : $0 }
        let id = book.nextUUID()
        return call.change(orderID(call, book) ?? "", in: &book) {
            payment throws(SandboxPayment.Refusal) in
            switch kind {
            case .capture: try payment.capture(amount, id: id)
            case .cancel: try payment.cancel(id: id)
            case .refund: try payment.refund(amount, id: id)
            }
        } _: { _ in
            SandboxAnswer(200, ["errorCode": "0", "errorMessage": "Success"])
        }
    }

    @Sendable static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        let (code, message): (Int64, String) =
            switch fault {
            case .unauthorized: (5, "Access is denied")
            case .malformed: (5, "The request is malformed")
            case .missing(let name): (4, "[\(name)] is missing or invalid")
            case .reusedKey, .duplicate: (1, "The order number was used already")
            case .notFound: (6, "There is no such order")
            case .refused(let refusal): (7, refusal.rawValue)
            case .failed: (7, "System error")
            }
        let status = if case .failed(let status) = fault { status } else { 200 }
        if request.path.contains("/rest/") {
            return SandboxAnswer(
                status, ["errorCode": .string(String(code)), "errorMessage": .string(message)])
        }
        return SandboxAnswer(
            status,
            [
                "success": false,
                "error": [
                    "code": .integer(code), "description": .string(message),
                    "message": .string(message),
                ],
            ])
    }
}
