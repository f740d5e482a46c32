import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

/// A gateway whose request with an order the tests write without sending it.
protocol TestedGateway: PaymentGateway {
    /// The path of the member that contains the reference; `0` is the first element of an array.
    static var referencePath: [String] { get }

    /// Returns the request that contains the order.
    func paymentRequest(_ input: PaymentInput) throws(PaymentTokenError) -> GatewayRequest
}

extension TestedGateway {
    /// Checks an order as before a claim, then returns the request that contains it.
    func request(_ order: Order, slot: Int = 1) throws -> GatewayRequest {
        try check(order, GatewayFixture.attempt(order, slot: slot))
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
        _ code: PaymentTokenError.Code,
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

extension WorldlineDirect: TestedGateway {
    static let referencePath = ["order", "references", "merchantReference"]
}

extension WorldlineConnect: TestedGateway {
    static let referencePath = WorldlineDirect.referencePath
}

extension BePaid: TestedGateway {
    static let referencePath = ["request", "tracking_id"]
}

extension Dintero: TestedGateway {
    static let referencePath = ["order", "merchant_reference"]

    func paymentRequest(_ input: PaymentInput) throws(PaymentTokenError) -> GatewayRequest {
        try sessionRequest(input.order, input.attempt)
    }
}

extension RBS: TestedGateway {
    static let referencePath = ["orderNumber"]
}

extension CyberSource: TestedGateway {
    static let referencePath = ["clientReferenceInformation", "code"]
}

extension Checkout: TestedGateway {
    static let referencePath = ["reference"]
}

extension Adyen: TestedGateway {
    static let referencePath = ["reference"]
}

extension PayPal: TestedGateway {
    static let referencePath = ["purchase_units", "0", "reference_id"]
}

extension ExampleMerchant {
    /// A merchant for tests; its secret is base64, as CyberSource requires it.
    static let example = ExampleMerchant(secret: "c2VjcmV0")

    /// Returns the merchant's accounts at all gateways, those of the RBS family with each kind of payment request.
    func gateways() throws -> [any TestedGateway] {
        [worldlineDirect, worldlineConnect, bePaid, dintero]
            + RBS.Kind.allCases.map(rbs) + [cyberSource, try checkout(), try adyen(), payPal]
    }

    /// Returns the merchant's account at a bank whose gateway has the limits of Russian banks.
    func russianBank(_ kind: RBS.Kind) -> RBS {
        with(rbs(kind)) { $0.host.limits = .russianBanks }
    }
}
