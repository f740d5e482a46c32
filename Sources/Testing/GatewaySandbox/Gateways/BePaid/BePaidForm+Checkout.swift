/// Checkouts of bePaid, in which an app or a page pays with a token of Apple's, and the merchant sessions of bePaid.
///
/// Source: bePaid, *Payment token*, *Get a transaction status by the payment token*, *Apple Pay on your own checkout
/// page*; beGateway's iOS SDK.
extension BePaidForm {
    /// The requests about checkouts; who knows a checkout's token may pay in it.
    static let checkoutRoutes: [Route] = [
        .post(
            "/ctp/api/checkouts",
            [.amount("checkout.order.amount", from: 1), .currency("checkout.order.currency")],
            do: createCheckout),
        .get("/ctp/api/checkouts/*", do: checkout),
        .post(
            "/ctp/api/apple_pay/payment", [.container("request.token.paymentData"), "token"],
            by: .open, do: pay),
        .post("/ctp/api/apple_pay/validate", ["url", "context"], by: .open, do: validate),
    ]

    private static func name(_ token: String) -> String { "checkout \(token)" }

    @Sendable private static func createCheckout(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = book.nextUUID() + book.nextUUID()
        book[value: name(token), of: call.gateway.name] = call.body["checkout"]
        return .answer(
            SandboxAnswer(
                201,
                [
                    "checkout": [
                        "token": .string(token),
                        "redirect_url": .string("\(call.origin)/v2/checkout?token=\(token)"),
                    ]
                ]))
    }

    @Sendable private static func checkout(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = call.segments[0]
        guard let stated = book[value: name(token), of: call.gateway.name] else {
            return .answer(call.fault(.notFound))
        }
        let payment = stated["payment"]?.string.flatMap { book[payment: $0, of: call.gateway.name] }
        return .ok([
            "checkout": [
                "token": .string(token), "shop_id": "361",
                "transaction_type": stated["transaction_type"] ?? "payment",
                "test": .boolean(stated["test"]?.boolean ?? false), "order": stated["order"],
                "status": .string(payment == nil ? "pending" : "successful"),
                "finished": .boolean(payment != nil), "expired": false,
            ]
        ])
    }

    @Sendable private static func pay(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = call.body["token"]?.string ?? ""
        let value = name(token)
        guard let stated = book[value: value, of: call.gateway.name], stated["payment"] == nil
        else {
            let response: JSON = [
                "status": "error", "message": "Token is invalid", "errors": [:],
            ]
            return .answer(SandboxAnswer(422, ["response": response]))
        }
        let type = stated["transaction_type"]?.string ?? "payment"
        let purchase = Purchase(
            amount: stated["order.amount"]?.integer, currency: stated["order.currency"]?.string,
            reference: stated["order.tracking_id"]?.string, captures: type != "authorization",
            details: [
                "type": .string(type), "test": .boolean(stated["test"]?.boolean ?? false),
            ])
        let id = newID(&book)
        let reply = call.pay(purchase, id: id, in: &book) { payment in
            let transaction = transaction(payment, call)
            return SandboxAnswer(
                200,
                [
                    "response": [
                        "uid": .string(id), "status": transaction["status"],
                        "message": transaction["message"],
                    ]
                ])
        }
        if book[payment: id, of: call.gateway.name] != nil {
            book[value: value, of: call.gateway.name] = stated.adding(["payment": .string(id)])
        }
        return reply
    }

    /// Answers with a merchant session, to the token of a checkout or to the shop's credentials.
    @Sendable private static func validate(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let token = call.body["token"]?.string
        let isKnown = token.map { book[value: name($0), of: call.gateway.name] != nil }
        guard isKnown ?? Credentials.basic.accept(call, book) else {
            return .answer(call.fault(.unauthorized))
        }
        return .ok(["epochTimestamp": 1, "domainName": "shop.example"])
    }
}
