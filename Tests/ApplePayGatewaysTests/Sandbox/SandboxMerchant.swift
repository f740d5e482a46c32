import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// A merchant who pays through one gateway of the sandbox with the library's requests.
struct SandboxMerchant: Sendable, CustomTestStringConvertible {
    /// The conclusion that the library draws from an answer.
    enum Verdict: Equatable {
        case paid, refused, open
    }

    /// The gateway, as the sandbox's help names it.
    let gateway: String

    /// Whether the sandbox keeps the payment for status requests, captures and refunds.
    let isFounding: Bool

    /// The HTTP statuses of a duplicate and of a failure.
    let statuses: (duplicate: Int, failed: Int)

    /// Sends the requests that must precede the payment, and returns the request that pays.
    let request: @Sendable (SandboxProcess, Payment, Order, String) async throws -> SandboxMessage

    /// Reads the answer.
    let verdict: @Sendable (GatewayResponse) throws -> Verdict

    /// Returns the status query; the last parameter is the payment's reference.
    let status: @Sendable (SandboxResponse?, SandboxMessage, String) throws -> SandboxMessage

    var testDescription: String { gateway }

    /// Creates the request of a payment in euros.
    func message(
        _ sandbox: SandboxProcess,
        _ amount: Int64 = 3000,
        _ reference: String = "order-1"
    ) async throws -> SandboxMessage {
        let payment = try GatewayFixture.payment(GatewayFixture.payload(amount: String(amount)))
        return try await request(
            sandbox, payment, try GatewayFixture.order(amount), reference)
    }

    /// All gateways that accept payments.
    static let all = [
        worldline("worldline-direct"), worldline("worldline-connect"), bePaid, dintero, rbs,
        cyberSource, checkout, adyen, payPal,
    ]

    private static var secret: SensitiveBytes { GatewayFixture.secret("sandbox-secret") }

    private static let noStatus:
        @Sendable (SandboxResponse?, SandboxMessage, String) throws -> SandboxMessage = {
            _, _, _ in throw CancellationError()
        }

    private static func worldline(_ name: String) -> SandboxMerchant {
        SandboxMerchant(
            gateway: name, isFounding: true, statuses: (409, 500),
            request: { _, payment, order, reference in
                let request =
                    name == "worldline-direct"
                    ? try WorldlineDirect.createPayment(
                        payment, order: order, account: .init(merchantId: "m-1"),
                        options: with(.init()) {
                            $0.authorizationMode = .sale
                            $0.merchantReference = reference
                            $0.idempotenceKey = reference
                        })
                    : try WorldlineConnect.createPayment(
                        payment, order: order, account: .init(merchantId: "m-1"),
                        options: with(.init()) {
                            $0.authorizationMode = .sale
                            $0.merchantReference = reference
                            $0.idempotenceKey = reference
                        })
                return SandboxMessage(
                    try Worldline.authorize(
                        request, .init(apiKeyId: "key-1", secretAPIKey: secret),
                        date: Date(timeIntervalSince1970: 1_795_249_800)))
            },
            verdict: { response in
                let answer = try Worldline.PaymentAnswer(response)
                if answer.isAuthorized { return .paid }
                return answer.payment?.status == "REJECTED" ? .refused : .open
            },
            status: { answer, message, _ in
                // After a time-out the first request is repeated: its key makes the gateway return the stored answer.
                guard let id = answer?["payment.id"] else { return message }
                let version = name == "worldline-direct" ? "v2" : "v1"
                return try SandboxMessage("GET", "/\(version)/m-1/payments/\(id)")
                    .signedForWorldline()
            })
    }

    private static let bePaid = SandboxMerchant(
        gateway: "bepaid", isFounding: true, statuses: (422, 500),
        request: { _, payment, order, reference in
            SandboxMessage(
                try BePaid.transaction(
                    .payment, payment, order: order,
                    shop: .init(identifier: "361", secretKey: secret),
                    options: with(.init(description: "Order")) { $0.trackingId = reference }))
        },
        verdict: { response in
            let answer = try BePaid.TransactionAnswer(response)
            return answer.isSuccessful ? .paid : answer.status == .failed ? .refused : .open
        },
        status: { answer, _, reference in
            answer?["transaction.uid"].map {
                SandboxMessage("GET", "/transactions/\($0)").withBasic()
            } ?? SandboxMessage("GET", "/v2/transactions/tracking_id/\(reference)").withBasic()
        })

    private static let rbs = SandboxMerchant(
        gateway: "rbs", isFounding: true, statuses: (200, 500),
        request: { _, payment, order, reference in
            SandboxMessage(
                try RBS.paymentDirect(
                    payment, order: order, orderNumber: reference,
                    user: .init(name: "shop-api", password: secret), host: .sandbox))
        },
        verdict: { response in
            let answer = try RBS.PaymentAnswer(response)
            if answer.isPaid { return .paid }
            return answer.orderStatus?.state == .declined ? .refused : .open
        },
        status: { _, _, reference in
            SandboxMessage(
                try RBS.orderStatus(
                    orderNumber: reference, user: .init(name: "shop-api", password: secret),
                    host: .sandbox))
        })

    private static let cyberSource = SandboxMerchant(
        gateway: "cybersource", isFounding: false, statuses: (400, 502),
        request: { sandbox, payment, order, reference in
            let request = try CyberSource.createPayment(
                payment, order: order, options: with(.init()) { $0.code = reference })
            return try SandboxMessage(request)
                .signedForCyberSource(at: String(sandbox.origin.dropFirst("http://".count)))
        },
        verdict: { response in
            let answer = try CyberSource.PaymentAnswer(response)
            return answer.isAuthorized ? .paid : answer.status == .declined ? .refused : .open
        }, status: noStatus)

    private static let checkout = SandboxMerchant(
        gateway: "checkout", isFounding: false, statuses: (409, 500),
        request: { _, payment, order, reference in
            SandboxMessage(
                try Checkout.createPayment(
                    payment, order: order, secretKey: secret,
                    options: with(.init()) {
                        $0.reference = reference
                        $0.idempotencyKey = reference
                    }))
        },
        verdict: { response in
            let answer = try Checkout.PaymentAnswer(response)
            return answer.isApproved ? .paid : answer.approved == false ? .refused : .open
        }, status: noStatus)

    private static let adyen = SandboxMerchant(
        gateway: "adyen", isFounding: false, statuses: (422, 500),
        request: { _, payment, order, reference in
            SandboxMessage(
                try Adyen.createPayment(
                    payment, order: order, merchantAccount: "Shop", reference: reference,
                    apiKey: secret, options: with(.init()) { $0.idempotencyKey = reference },
                    endpoint: .test))
        },
        verdict: { response in
            let answer = try Adyen.PaymentAnswer(response)
            return answer.isAuthorised ? .paid : answer.resultCode == .refused ? .refused : .open
        }, status: noStatus)

    private static let payPal = SandboxMerchant(
        gateway: "paypal", isFounding: false, statuses: (422, 500),
        request: { sandbox, payment, order, reference in
            let login = SandboxMessage(
                try PayPal.accessToken(clientID: "client", clientSecret: secret))
            let token = try #require(
                PayPal.AccessTokenAnswer(try await login.send(to: sandbox).gateway).accessToken)
            return SandboxMessage(
                try PayPal.createOrder(
                    payment, order: order, accessToken: token, requestID: reference))
        },
        verdict: { response in
            let answer = try PayPal.OrderAnswer(response)
            if answer.isCaptured { return .paid }
            return answer.issues.contains("INSTRUMENT_DECLINED") ? .refused : .open
        }, status: noStatus)

    private static let dintero = SandboxMerchant(
        gateway: "dintero", isFounding: true, statuses: (409, 500),
        request: { sandbox, payment, order, reference in
            let session = SandboxMessage(
                try Dintero.createSession(
                    .init(returnURL: "https://shop.example/r", merchantReference: reference),
                    order: order, accessToken: secret))
            let id = try #require(
                Dintero.SessionAnswer(try await session.send(to: sandbox).gateway).sessionId)
            let operations = SandboxMessage(try Dintero.operations(sessionId: id))
            let answer = try await operations.send(to: sandbox)
            let submission = try #require(Dintero.OperationsAnswer(answer.gateway).submission)
            let token = SandboxMessage(
                Dintero.submitToken(payment.token, to: submission, reference: reference))
            let transaction = try #require(
                Dintero.SubmissionAnswer(try await token.send(to: sandbox).gateway).transactionId)
            return SandboxMessage(
                try Dintero.pay(sessionId: id, transactionId: transaction))
        },
        verdict: { response in
            let answer = try Dintero.PayAnswer(response)
            return answer.isSuccessful ? .paid : answer.success == false ? .refused : .open
        },
        status: { _, message, _ in
            let id = try #require(
                message.body?.components(separatedBy: #""psp_transaction_id":""#).last)
            return SandboxMessage("GET", "/v1/transactions/\(id.prefix { $0 != "\"" })")
                .withBearer()
        })
}
