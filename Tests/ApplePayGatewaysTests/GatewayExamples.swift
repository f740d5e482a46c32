import ApplePayGateways
import ApplePayToken
import Foundation

/// The examples of Sources/ApplePayGateways/Docs.docc/Gateways.md; the tests run them and compare the texts.
struct GatewayExamples {
    let payment: Payment
    let order: Order
    let secret: SensitiveBytes
    let send: @Sendable (GatewayRequest) async throws -> GatewayResponse

    func worldlineDirect(_ billingContact: [UInt8]) async throws -> Bool {
        let account = WorldlineDirect.Account(merchantId: "merchant-1", environment: .preproduction)
        let options = WorldlineDirect.CreatePaymentOptions(
            authorizationMode: .sale, merchantReference: "order-1001",
            customer: .init(billing: try PaymentContact(json: billingContact)))
        let unsigned = try WorldlineDirect.createPayment(
            payment, order: order, account: account, options: options)
        let credentials = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
        let request = try Worldline.authorize(unsigned, credentials, date: Date())
        let answer = try Worldline.PaymentAnswer(await send(request))
        return answer.isAuthorized  // a 201 alone is not paid
    }

    func worldlineConnect() async throws -> Bool {
        let account = WorldlineConnect.Account(merchantId: "merchant-1", environment: .sandbox)
        // The whole of paymentData as text; amounts have two decimals in every currency.
        let unsigned = try WorldlineConnect.createPayment(
            payment.token, order: order, account: account,
            options: .init(authorizationMode: .sale, customerReference: "customer-1"))
        let credentials = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
        let request = try Worldline.authorize(unsigned, credentials, date: Date())
        let answer = try Worldline.PaymentAnswer(await send(request))
        return answer.isAuthorized
    }

    func bePaid() async throws -> Bool {
        let shop = BePaid.Shop(identifier: "361", secretKey: secret)
        let options = BePaid.TransactionOptions(
            description: "Order 1001", trackingId: "order-1001", contract: [.recurring])
        let request = try BePaid.transaction(  // payment.token in place of payment: bePaid opens it
            .payment, payment, order: order, shop: shop, options: options)
        let answer = try BePaid.TransactionAnswer(await send(request))
        return answer.isSuccessful  // incomplete: answer.redirectURL
    }

    func dintero() async throws -> Bool {
        let session = Dintero.Session(returnURL: "shop://return", merchantReference: "order-1001")
        let created = try await Dintero.SessionAnswer(
            send(Dintero.createSession(session, order: order, accessToken: secret)))
        guard let id = created.sessionId else { return false }
        let operations = try await Dintero.OperationsAnswer(send(Dintero.operations(sessionId: id)))
        guard let place = operations.submission else { return false }
        let token = try await Dintero.SubmissionAnswer(
            send(Dintero.submitToken(payment.token, to: place, reference: UUID().uuidString)))
        guard let transaction = token.transactionId else { return false }
        return try await Dintero.PayAnswer(
            send(Dintero.pay(sessionId: id, transactionId: transaction))
        ).isSuccessful
    }

    func rbs() async throws -> Bool {
        let host = RBS.Host(origin: "https://pay.example", limits: .russianBanks)
        let request = try RBS.payment(  // two stages: held now, deposited later
            payment.token, merchant: "shop", orderNumber: "1001",
            options: .init(preAuth: true), host: host)
        guard let orderId = try await RBS.PaymentAnswer(send(request)).orderId else { return false }
        let credentials = RBS.Credentials.user(.init(name: "shop-api", password: secret))
        let status = try await RBS.OrderStatus(
            send(RBS.orderStatus(orderId: orderId, credentials: credentials, host: host)))
        guard status.isPaid, status.agrees(with: order) else { return false }
        return try await RBS.DepositAnswer(
            send(RBS.deposit(.all, orderId: orderId, credentials: credentials, host: host))
        ).isAccepted
    }

    func intergiro() async throws -> SensitiveBytes? {
        let session = try await Intergiro.SessionAnswer(send(Intergiro.login(apiKey: secret)))
        guard let accessToken = session.accessToken else { return nil }
        let asked = try await Intergiro.TokenizeAnswer(  // 412 is what is expected
            send(Intergiro.tokenize(cardID: "card-1", accessToken: accessToken)))
        guard let consent = asked.consent else { return nil }
        let answer = try await Intergiro.ConsentAnswer(
            send(Intergiro.consent(consent.id, accessToken: accessToken)))
        return answer.launchToken  // for Intergiro.launch in the app
    }

    func cyberSource(_ authenticate: (GatewayRequest) -> GatewayRequest) async throws -> Bool {
        let request = try CyberSource.createPayment(
            payment, order: order,
            options: .init(
                code: "order-1001", capture: true,
                billTo: .init(firstName: "Jane", lastName: "Doe", country: "BE")),
            environment: .test)
        // The signature (HTTP signature or JWT) is your client's to add.
        let answer = try CyberSource.PaymentAnswer(await send(authenticate(request)))
        return answer.isAuthorized
    }

    func checkout() async throws -> Bool {
        let request = try Checkout.createPayment(
            payment, order: order, secretKey: secret,
            options: .init(
                reference: "order-1001", processingChannelID: "pc_example",
                idempotencyKey: "attempt-1"),
            endpoint: .sandbox)
        let answer = try Checkout.PaymentAnswer(await send(request))
        return answer.isApproved
    }

    func adyen() async throws -> Bool {
        let request = try Adyen.createPayment(
            payment, order: order, merchantAccount: "Shop", reference: "order-1001",
            apiKey: secret,
            options: .init(brand: .network, idempotencyKey: "attempt-1"),  // or .applePay
            endpoint: .test)
        let answer = try Adyen.PaymentAnswer(await send(request))
        return answer.isAuthorised
    }

    func payPal() async throws -> Bool {
        let login = try PayPal.accessToken(
            clientID: "client-1", clientSecret: secret, environment: .sandbox)
        guard let accessToken = try await PayPal.AccessTokenAnswer(send(login)).accessToken
        else { return false }
        let request = try PayPal.createOrder(
            payment, order: order, accessToken: accessToken, requestID: "attempt-1",
            options: .init(invoiceID: "order-1001"), environment: .sandbox)
        let answer = try await PayPal.OrderAnswer(send(request))
        return answer.isCaptured
    }
}
