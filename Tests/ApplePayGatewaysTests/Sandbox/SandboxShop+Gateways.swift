import ApplePayGateways
import ApplePayPrimitives
import ApplePayToken
import Foundation
import Testing

extension SandboxShop {
    /// Every gateway.
    static let all: [SandboxShop] = [
        worldline("worldline-direct", WorldlineDirect.self, captured: "CAPTURED") {
            sale throws(PaymentTokenError) in
            var options = WorldlineDirect.CreatePaymentOptions()
            options.authorizationMode = .sale
            options.merchantReference = sale.reference
            options.idempotenceKey = sale.reference
            return try WorldlineDirect.createPayment(
                sale.payment, order: sale.order, account: .init(merchantId: "m-1"),
                options: options)
        },
        worldline("worldline-connect", WorldlineConnect.self, captured: "PAID") {
            sale throws(PaymentTokenError) in
            var options = WorldlineConnect.CreatePaymentOptions()
            options.authorizationMode = .sale
            options.merchantReference = sale.reference
            options.idempotenceKey = sale.reference
            return try WorldlineConnect.createPayment(
                sale.payment, order: sale.order, account: .init(merchantId: "m-1"),
                options: options)
        },
        bePaid, dintero, rbs, intergiro, cyberSource, checkout, adyen, payPal,
    ]

    private static var secret: SensitiveBytes { GatewayFixture.secret("sandbox-secret") }

    private static func worldline<Platform: WorldlinePlatform>(
        _ name: String,
        _ platform: Platform.Type,
        captured: String,
        _ create: @escaping @Sendable (SandboxSale) throws(PaymentTokenError) -> GatewayRequest
    ) -> SandboxShop {
        let account = Worldline.Account<Platform>(merchantId: "m-1")
        @Sendable func signed(_ request: GatewayRequest) throws -> GatewayRequest {
            try Worldline.authorize(
                request, .init(apiKeyId: "key-1", secretAPIKey: secret), date: Date())
        }
        return SandboxShop(
            name: name,
            answers: Answers(
                payment: "paid \(captured)", repeated: "paid \(captured)",
                followUps: ["pending REFUND_REQUESTED"], returned: "refused REFUNDED",
                decline: "refused REJECTED", declined: "refused REJECTED",
                action: "action-required REDIRECTED", waiting: "pending REDIRECTED",
                duplicate: "unknown -"),
            payment: { sale, _ in
                SandboxStep(request: try signed(create(sale))) {
                    response throws(UnreadableJSONError) in
                    try Worldline.PaymentAnswer(response, of: Platform.self)
                }
            },
            question: { sale, payment in
                // Without an answer the identifier is not known: then the same request is the question.
                guard let id = sale.id else {
                    return SandboxStep(
                        request: try signed(try #require(payment.request.statusRequest)),
                        read: payment.read)
                }
                return SandboxStep(request: try signed(Platform.getPayment(id, account: account))) {
                    response throws(UnreadableJSONError) in
                    try Worldline.PaymentStatusAnswer(response, of: Platform.self)
                }
            },
            followUps: [
                { sale in
                    let request = try Platform.refund(
                        try #require(sale.id), authorized: sale.order, account: account)
                    return SandboxStep(request: try signed(request)) {
                        response throws(UnreadableJSONError) in
                        try Worldline.OperationAnswer(response, .refund, of: Platform.self)
                    }
                }
            ],
            identifier: { ($0 as? Worldline.PaymentAnswer)?.payment?.id })
    }

    private static let bePaid = SandboxShop(
        name: "bepaid",
        answers: Answers(
            payment: "paid successful", repeated: "paid successful",
            followUps: ["paid successful"], returned: "refused successful",
            decline: "refused failed", declined: "refused failed",
            action: "action-required incomplete", waiting: "action-required incomplete",
            duplicate: "refused error"),
        payment: { sale, _ in
            var options = BePaid.TransactionOptions(description: "Order")
            options.trackingId = sale.reference
            options.requestID = sale.reference
            let request = try BePaid.transaction(
                .payment, sale.payment, order: sale.order, shop: shop, options: options)
            return SandboxStep(request: request, read: BePaid.TransactionAnswer.init)
        },
        question: { sale, _ in
            SandboxStep(
                request: try BePaid.statusRequest(trackingId: sale.reference, shop: shop),
                read: BePaid.StatusAnswer.init)
        },
        followUps: [
            { sale in
                let request = try BePaid.operation(
                    .refund, uid: try #require(sale.id), authorized: sale.order,
                    reason: "returned", shop: shop)
                return SandboxStep(request: request, read: BePaid.TransactionAnswer.init)
            }
        ],
        identifier: { ($0 as? BePaid.TransactionAnswer)?.uid })

    private static var shop: BePaid.Shop { BePaid.Shop(identifier: "361", secretKey: secret) }

    private static let dintero = SandboxShop(
        name: "dintero",
        answers: Answers(
            payment: "authorized success: true", settled: "authorized AUTHORIZED",
            repeated: "unknown -", followUps: ["paid CAPTURED", "paid REFUNDED"],
            returned: "refused REFUNDED", decline: "refused success: false",
            declined: "refused DECLINED", action: "action-required -",
            waiting: "pending INITIATED", duplicate: "unknown -"),
        payment: { sale, client in
            let session = try await Dintero.SessionAnswer(
                client.send(
                    Dintero.createSession(
                        .init(
                            returnURL: "https://shop.example/r", merchantReference: sale.reference),
                        order: sale.order, accessToken: secret)))
            let id = try #require(session.sessionId)
            let operations = try await Dintero.OperationsAnswer(
                client.send(Dintero.operations(sessionId: id)))
            let token = try await Dintero.SubmissionAnswer(
                client.send(
                    Dintero.submitToken(
                        sale.payment, to: try #require(operations.submission),
                        reference: sale.reference)))
            let transaction = try #require(token.transactionId)
            sale.id = transaction
            return SandboxStep(
                request: try Dintero.pay(sessionId: id, transactionId: transaction),
                read: Dintero.PayAnswer.init)
        },
        question: { sale, _ in
            let request = try Dintero.statusRequest(
                transactionId: try #require(sale.id), accessToken: secret)
            return SandboxStep(request: request) { response throws(UnreadableJSONError) in
                try Dintero.TransactionAnswer(response)
            }
        },
        followUps: [dintero(.capture), dintero(.refund)])

    private static func dintero(
        _ operation: PaymentOperation
    ) -> @Sendable (SandboxSale) throws -> SandboxStep {
        { sale in
            let request = try Dintero.operation(
                operation, transactionId: try #require(sale.id), authorized: sale.order,
                accessToken: secret)
            return SandboxStep(request: request) { response throws(UnreadableJSONError) in
                try Dintero.TransactionAnswer(response, operation)
            }
        }
    }

    private static let rbs = SandboxShop(
        name: "rbs",
        answers: Answers(
            payment: "paid 2", repeated: "unknown -", followUps: ["paid 0"], returned: "refused 4",
            decline: "refused 6", declined: "refused 6", action: "action-required 5",
            waiting: "pending 5", duplicate: "unknown -"),
        payment: { sale, _ in
            let request = try RBS.paymentDirect(
                sale.payment, order: sale.order, orderNumber: sale.reference, user: user,
                host: .sandbox)
            return SandboxStep(request: request, read: RBS.PaymentAnswer.init)
        },
        question: { sale, _ in
            SandboxStep(
                request: try RBS.orderStatus(
                    orderNumber: sale.reference, user: user, host: .sandbox),
                read: RBS.OrderStatus.init)
        },
        followUps: [
            { sale in
                let request = try RBS.refund(
                    orderId: try #require(sale.id), authorized: sale.order,
                    credentials: .user(user), host: .sandbox)
                return SandboxStep(request: request, read: RBS.DepositAnswer.init)
            }
        ],
        identifier: { ($0 as? RBS.PaymentAnswer)?.orderId })

    private static var user: RBS.User { RBS.User(name: "shop-api", password: secret) }

    /// Adds a card to the wallet once the cardholder consents; no money moves.
    ///
    /// The number at the end of the card's identifier is what amounts are elsewhere.
    private static let intergiro = SandboxShop(
        name: "intergiro",
        answers: Answers(
            payment: "pending pending", followUps: ["action-required -"], decline: "unknown -",
            duplicate: "unknown -"),
        payment: { sale, client in
            let session = try await Intergiro.SessionAnswer(
                client.send(Intergiro.login(apiKey: secret)))
            let request = try Intergiro.tokenize(
                cardID: "card-\(sale.order.amount)",
                accessToken: try #require(session.accessToken))
            return SandboxStep(request: request, read: Intergiro.TokenizeAnswer.init)
        },
        followUps: [
            { sale in
                let request = try Intergiro.consent(
                    try #require(sale.id), accessToken: secret,
                    returnURL: "https://shop.example/r")
                return SandboxStep(request: request, read: Intergiro.ConsentAnswer.init)
            }
        ],
        identifier: { ($0 as? Intergiro.TokenizeAnswer)?.consent?.id })

    private static let cyberSource = SandboxShop(
        name: "cybersource",
        answers: Answers(payment: "authorized AUTHORIZED", decline: "refused DECLINED"),
        payment: { sale, client in
            var options = CyberSource.PaymentOptions()
            options.code = sale.reference
            let request = try CyberSource.createPayment(
                sale.payment, order: sale.order, options: options)
            // The host is signed as well.
            let signed = try CyberSource.authorize(
                request.replacingOrigin(client.sandbox.origin),
                .init(
                    merchantID: "shop", keyID: "key-1",
                    sharedSecret: GatewayFixture.secret("c2FuZGJveC1zZWNyZXQ=")), date: Date())
            return SandboxStep(request: signed, read: CyberSource.PaymentAnswer.init)
        })

    private static let checkout = SandboxShop(
        name: "checkout",
        answers: Answers(payment: "authorized Authorized", decline: "refused Declined"),
        payment: { sale, _ in
            var options = Checkout.PaymentOptions()
            options.reference = sale.reference
            options.idempotencyKey = sale.reference
            let request = try Checkout.createPayment(
                sale.payment, order: sale.order, secretKey: secret, options: options)
            return SandboxStep(request: request, read: Checkout.PaymentAnswer.init)
        }, question: again)

    private static let adyen = SandboxShop(
        name: "adyen",
        answers: Answers(payment: "authorized Authorised", decline: "refused Refused"),
        payment: { sale, _ in
            var options = Adyen.PaymentOptions()
            options.idempotencyKey = sale.reference
            let request = try Adyen.createPayment(
                sale.payment, order: sale.order, merchantAccount: "Shop",
                reference: sale.reference, apiKey: secret, options: options, endpoint: .test)
            return SandboxStep(request: request, read: Adyen.PaymentAnswer.init)
        }, question: again)

    private static let payPal = SandboxShop(
        name: "paypal",
        answers: Answers(payment: "paid COMPLETED", decline: "refused -"),
        payment: { sale, client in
            let token = try await PayPal.AccessTokenAnswer(
                client.send(PayPal.accessToken(clientID: "client", clientSecret: secret)))
            let request = try PayPal.createOrder(
                sale.payment, order: sale.order, accessToken: try #require(token.accessToken),
                requestID: sale.reference)
            return SandboxStep(request: request, read: PayPal.OrderAnswer.init)
        }, question: again)

    /// The same request with the same key is the question.
    private static let again: @Sendable (SandboxSale, SandboxStep) throws -> SandboxStep = {
        _, payment in
        SandboxStep(request: try #require(payment.request.statusRequest), read: payment.read)
    }
}
