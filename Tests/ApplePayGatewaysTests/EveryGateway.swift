import ApplePayGateways
import ApplePayToken
import Foundation
import Testing

/// The payment requests of all gateways, by name, for what must hold of each.
enum EveryGateway {
    static let secret = GatewayFixture.secret("top+secret/1")
    static let user = RBS.User(name: "shop-api", password: secret)
    static let shop = BePaid.Shop(identifier: "361", secretKey: secret)

    typealias Maker = (
        name: String, make: @Sendable (Payment, Order) throws -> GatewayRequest
    )

    /// Requests made of an opened token.
    static let opened: [Maker] = [
        ("worldline-direct", { try WorldlineDirect.createPayment($0, order: $1) }),
        ("worldline-connect", { try WorldlineConnect.createPayment($0, order: $1) }),
        (
            "bepaid",
            {
                try BePaid.transaction(
                    .payment, $0, order: $1, shop: shop, options: .init(description: "d"))
            }
        ),
        (
            "rbs-direct",
            {
                try RBS.paymentDirect(
                    $0, order: $1, orderNumber: "1001", user: user, host: .sandbox)
            }
        ),
        (
            "rbs-token",
            {
                try RBS.tokenPayment(
                    $0, order: $1, user: user, returnURL: "https://shop.example/r",
                    host: .sandbox)
            }
        ),
        ("cybersource", { try CyberSource.createPayment($0, order: $1) }),
        ("checkout", { try Checkout.createPayment($0, order: $1, secretKey: secret) }),
        (
            "adyen",
            {
                try Adyen.createPayment(
                    $0, order: $1, merchantAccount: "Shop", reference: "1001", apiKey: secret,
                    endpoint: .test)
            }
        ),
        (
            "paypal",
            {
                try PayPal.createOrder($0, order: $1, accessToken: secret, requestID: "r1")
            }
        ),
    ]

    /// Requests made of an encrypted token of which nothing is proven.
    static func encrypted(_ token: PaymentToken) throws -> [(name: String, request: GatewayRequest)]
    {
        let order = try GatewayFixture.order()
        return [
            ("worldline-direct", try WorldlineDirect.createPayment(token, order: order)),
            ("worldline-connect", try WorldlineConnect.createPayment(token, order: order)),
            (
                "bepaid",
                try BePaid.transaction(
                    .payment, token, order: order, shop: shop, options: .init(description: "d"))
            ),
            (
                "bepaid-checkout",
                BePaid.checkoutPayment(token, checkoutToken: secret, contract: false)
            ),
            ("dintero", Dintero.submitToken(token, to: try submission(), reference: "r1")),
            (
                "rbs",
                try RBS.payment(token, merchant: "shop", orderNumber: "1001", host: .sandbox)
            ),
        ]
    }

    /// Where Dintero wants the token.
    static func submission() throws -> Dintero.Submission {
        let operations =
            #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=top%2Bsecret/1","#
            + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#
        return try #require(
            try Dintero.OperationsAnswer(
                GatewayResponse(status: 200, body: Array(operations.utf8))
            ).submission)
    }

    /// A body's text, with what is base64 or JSON inside of it appended in the clear.
    static func readable(_ request: GatewayRequest) -> String {
        let body = request.body?.revealText() ?? ""
        let inner = body.split(separator: "\"").flatMap { $0.split(separator: "$") }
            .filter { $0.hasPrefix("eyJ") }
            .compactMap { Data(base64Encoded: String($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
        return ([body, body.replacing("\\\"", with: "\"")] + inner).joined(separator: "\n")
    }
}
