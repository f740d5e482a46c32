import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

/// Tests a payment from the token to the refund with the library's requests, answers and client, over HTTP.
@Suite("A Swift client at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxSwiftClientTests {
    private let sandbox: SandboxProcess
    private let secret = GatewayFixture.secret("sandbox-secret")
    private let transport = with(URLSessionTransport()) { $0.timeLimit = .seconds(2) }

    init() throws { sandbox = try SandboxProcess() }

    private func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        try await transport.send(request.replacingOrigin(sandbox.origin))
    }

    private func payment(_ amount: Int64) throws -> (Payment, Order) {
        (
            try GatewayFixture.payment(GatewayFixture.payload(amount: String(amount))),
            try GatewayFixture.order(amount)
        )
    }

    private func signed(_ request: GatewayRequest) throws -> GatewayRequest {
        try Worldline.authorize(
            request, .init(apiKeyId: "key-1", secretAPIKey: secret), date: Date())
    }

    /// Sends a request and expects a time-out whose outcome is unknown.
    private func expectTimeOut(_ request: GatewayRequest) async {
        let error = await #expect(throws: GatewayTransportError.self) { try await send(request) }
        #expect(error?.code == .timedOut)
        guard case .unknown = error?.outcome else {
            Issue.record("a time-out is unknown")
            return
        }
    }

    @Test("pays and refunds with Worldline Direct, and asks after a time-out")
    func worldlineDirect() async throws {
        func request(_ amount: Int64) throws -> (GatewayRequest, Order) {
            let (payment, order) = try payment(amount)
            let options = with(WorldlineDirect.CreatePaymentOptions()) {
                $0.authorizationMode = .sale
                $0.idempotenceKey = "key-\(amount)"
            }
            return (
                try WorldlineDirect.createPayment(
                    payment, order: order, account: .init(merchantId: "m"), options: options),
                order
            )
        }
        let (sale, order) = try request(71_929)
        let response = try await send(signed(sale))
        let answer = try Worldline.PaymentAnswer(response)
        #expect(answer.outcome(for: order) == .paid)
        let refund = try WorldlineDirect.refund(
            #require(answer.payment).id, authorized: order, account: .init(merchantId: "m"))
        let refunded = try Worldline.OperationAnswer(await send(signed(refund)), .refund)
        #expect(refunded.outcome(for: order) == .pending)

        let (lost, _) = try request(40_800)
        await expectTimeOut(try signed(lost))
        let question = try signed(#require(lost.statusRequest))
        #expect(try Worldline.PaymentAnswer(await send(question)).outcome == .paid)
    }

    @Test("pays and refunds with bePaid, and asks after a time-out")
    func bePaid() async throws {
        let shop = BePaid.Shop(identifier: "361", secretKey: secret)
        func request(_ amount: Int64) throws -> (GatewayRequest, Order) {
            let (payment, order) = try payment(amount)
            let options = with(BePaid.TransactionOptions(description: "Order")) {
                $0.trackingId = "order-\(amount)"
            }
            return (
                try BePaid.transaction(
                    .payment, payment, order: order, shop: shop, options: options), order
            )
        }
        let (sale, order) = try request(71_929)
        let answer = try BePaid.TransactionAnswer(await send(sale))
        #expect(answer.outcome(for: order) == .paid)
        let refund = try BePaid.operation(
            .refund, uid: #require(answer.uid), authorized: order, reason: "returned", shop: shop)
        #expect(try BePaid.TransactionAnswer(await send(refund)).outcome(for: order) == .paid)

        let (lost, _) = try request(40_800)
        await expectTimeOut(lost)
        let question = try BePaid.statusRequest(trackingId: "order-40800", shop: shop)
        #expect(try BePaid.StatusAnswer(await send(question)).outcome == .paid)
    }

    @Test("pays and refunds with RBS, and asks after a time-out")
    func rbs() async throws {
        let user = RBS.User(name: "shop-api", password: secret)
        func request(_ amount: Int64) throws -> (GatewayRequest, Order) {
            let (payment, order) = try payment(amount)
            return (
                try RBS.paymentDirect(
                    payment, order: order, orderNumber: "order-\(amount)", user: user,
                    host: .sandbox), order
            )
        }
        let (sale, order) = try request(71_929)
        let answer = try RBS.PaymentAnswer(await send(sale))
        #expect(answer.outcome(for: order) == .paid)
        let refund = try RBS.refund(
            orderId: #require(answer.orderId), authorized: order, credentials: .user(user),
            host: .sandbox)
        #expect(try RBS.DepositAnswer(await send(refund)).outcome == .paid)

        let (lost, other) = try request(40_800)
        await expectTimeOut(lost)
        let question = try RBS.orderStatus(
            orderNumber: "order-40800", user: user, host: .sandbox)
        #expect(try RBS.OrderStatus(await send(question)).outcome(for: other) == .paid)
    }

    @Test("authorizes, captures and refunds with Dintero, and asks after a time-out")
    func dintero() async throws {
        func request(_ amount: Int64) async throws -> (GatewayRequest, Order, String) {
            let (payment, order) = try payment(amount)
            let session = try Dintero.createSession(
                .init(returnURL: "https://shop.example/r", merchantReference: "order-1"),
                order: order, accessToken: secret)
            let id = try #require(Dintero.SessionAnswer(await send(session)).sessionId)
            let operations = try Dintero.OperationsAnswer(
                await send(Dintero.operations(sessionId: id)))
            let token = Dintero.submitToken(
                payment.token, to: try #require(operations.submission), reference: "order-1")
            let transaction = try #require(
                Dintero.SubmissionAnswer(await send(token)).transactionId)
            return (
                try Dintero.pay(sessionId: id, transactionId: transaction), order, transaction
            )
        }
        let (sale, order, transaction) = try await request(71_929)
        #expect(try Dintero.PayAnswer(await send(sale)).outcome == .authorized)
        for operation in [PaymentOperation.capture, .refund] {
            let next = try Dintero.operation(
                operation, transactionId: transaction, authorized: order, accessToken: secret)
            let answer = try Dintero.TransactionAnswer(await send(next), operation)
            #expect(answer.outcome == .paid, "\(operation)")
        }

        let (lost, other, late) = try await request(40_800)
        await expectTimeOut(lost)
        let question = try Dintero.statusRequest(transactionId: late, accessToken: secret)
        let status = try Dintero.TransactionAnswer(await send(question))
        #expect(status.outcome(for: other) == .authorized)
    }
}
