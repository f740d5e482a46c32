import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Testing

/// A gateway whose request with an order the tests write without sending it.
protocol TestedGateway: PaymentGateway {
    /// The path of the member that contains the reference; `0` is the first element of an array.
    static var referencePath: [String] { get }

    /// Replaces the address of the gateway's servers.
    mutating func move(to origin: String)

    /// Returns the request that contains the order.
    func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest
}

extension TestedGateway {
    /// Checks an order as before a claim, then returns the request that contains it.
    func request(_ order: Order, slot: Int = 1) throws -> GatewayRequest {
        try check(order, attempt: GatewayFixture.attempt(order, slot: slot))
        return try unchecked(order, slot: slot)
    }

    /// Returns the body of the request that contains an order.
    func body(_ order: Order, slot: Int = 1) throws -> String {
        GatewayFixture.body(try request(order, slot: slot))
    }

    /// Returns the request without the check before it, with a payment of the order's amount if there can be one.
    private func unchecked(_ order: Order, slot: Int) throws -> GatewayRequest {
        let attempt = try GatewayFixture.attempt(order, slot: slot)
        let payment = try GatewayFixture.payment(of: order)
        return try paymentRequest(PaymentInput(order, attempt, payment.token.parsed, payment))
    }

    /// Expects that an order is refused twice: before anything is claimed, and instead of the request.
    func expectRefusal(
        _ code: PaymentError.Code,
        _ field: String,
        of order: Order,
        slot: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        GatewayFixture.expectRefusal(code, field, sourceLocation: sourceLocation) {
            try request(order, slot: slot)
        }
        GatewayFixture.expectRefusal(code, field, sourceLocation: sourceLocation) {
            try unchecked(order, slot: slot)
        }
    }
}

extension ExampleMerchant {
    /// A merchant for tests; its secret is base64, as CyberSource requires it.
    static let example = ExampleMerchant(secret: "c2VjcmV0")

    /// Returns the merchant's accounts at all gateways, those of the RBS family with each kind of payment request.
    func gateways() throws -> [any TestedGateway] {
        try GatewaySuites.all.flatMap { try $0.accounts(of: self) }
    }

    /// Returns the merchant's account at a bank whose gateway has the limits of Russian banks.
    func russianBank(_ kind: RBS.Kind) -> RBS {
        with(rbs(kind)) { $0.host.limits = .russianBanks }
    }
}
