package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayOtherGateways
internal import Foundation

/// A gateway in the tests: examples of its requests, and the values that each of them must contain.
///
/// The gateway tests, CanaryTests, MemorySearch and CommandTests all use the list ``all``.
package struct ExampleGateway: Sendable {
    /// The gateway's name in the command.
    package let name: String

    /// Requests with a decrypted token.
    package var opened: [Opened] = []

    /// Requests with an encrypted token that was not verified.
    package var encrypted: [Encrypted] = []

    /// Requests without a token, and signed requests; at least those that contain a secret.
    package var others: @Sendable (PaymentInput, ExampleMerchant) throws -> [GatewayRequest] = {
        _, _ in []
    }

    /// Accounts, options, credentials and outcomes that contain the secret, which their descriptions must not show.
    package var values: @Sendable (Payment, ExampleMerchant) throws -> [Any] = { _, _ in [] }

    /// Requests of accounts that gateway files describe: at least one of each kind, and for each kind of input.
    package var requests: [ExampleRequest] = []

    /// Whether test and live accounts have the same server.
    package var hasOneServer = false

    /// Creates a gateway without examples.
    package init(_ name: String) { self.name = name }
}

/// A request with a decrypted token, and the values that its text must contain.
package struct OpenedExample: Sendable {
    /// The amount of a payment in the forms that gateways write.
    package struct Amount: Sendable {
        /// Minor units of ISO 4217.
        package let minorUnits: String

        /// Two decimals in every currency, without a decimal point.
        package let twoDecimals: String

        /// With a decimal point, if the currency has decimals.
        package let decimal: String

        /// The amount as PayPal writes it; nil if PayPal does not accept it.
        package let payPal: String?

        /// Creates the forms of one amount.
        package init(
            minorUnits: String,
            twoDecimals: String,
            decimal: String,
            payPal: String?
        ) {
            self.minorUnits = minorUnits
            self.twoDecimals = twoDecimals
            self.decimal = decimal
            self.payPal = payPal
        }
    }

    /// The gateway's name; followed by the step's, if several of its steps accept decrypted tokens.
    package let name: String

    /// Creates the request.
    package let make: @Sendable (PaymentInput, ExampleMerchant) throws -> GatewayRequest

    /// Returns the expiry date that the request must contain for November 2030; the token's date has this day.
    package let expiry: @Sendable (_ day: String) -> String

    /// Returns the ECI that the request must contain; the token has `eci`, whose last digit is `digit`.
    package let eci: @Sendable (_ eci: String, _ digit: Character) -> String

    /// Returns the amount that the request must contain; nil if the gateway does not accept it.
    package let amount: @Sendable (Amount) -> String?

    /// Returns the value of `Authorization` or `X-API-Key` for ``ExampleMerchant``; nil for a request without this
    /// header.
    package var authorization: @Sendable (ExampleMerchant) -> String? = { _ in nil }

    /// Whether the gateway accepts EMV data instead of a cryptogram.
    package var takesEMV = false
}

/// A request with an encrypted token that was not verified.
package struct EncryptedExample: Sendable {
    /// The gateway's name; followed by the step's, if several of its steps accept encrypted tokens.
    package let name: String

    /// Creates the request.
    package let make: @Sendable (PaymentInput, ExampleMerchant) throws -> GatewayRequest

    /// Returns the value of `Authorization` for ``ExampleMerchant``; nil for a request without this header.
    package var authorization: @Sendable (ExampleMerchant) -> String? = { _ in nil }
}

extension ExampleGateway {
    /// ``OpenedExample``.
    package typealias Opened = OpenedExample

    /// ``EncryptedExample``.
    package typealias Encrypted = EncryptedExample
}

/// A merchant that uses the same text for every secret.
package struct ExampleMerchant: Sendable {
    /// The secret as text.
    package let text: String

    /// The secret as bytes.
    package var secret: SensitiveBytes { SensitiveBytes(copying: text.utf8.span) }

    /// The value of `Authorization`: `Basic`, then the base64 of bePaid's shop and the secret.
    package var basicAuthorization: String {
        "Basic \(Data("361:\(text)".utf8).base64EncodedString())"
    }

    /// Creates a merchant whose secret is visible ASCII.
    package init(secret: String) { text = secret }

    /// An API key of Worldline.
    package var apiKey: Worldline.Credentials {
        Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
    }

    /// An account at Worldline Direct.
    package var worldlineDirect: WorldlineDirect {
        WorldlineDirect(merchantId: "m-1", credentials: apiKey, environment: .live)
    }

    /// An account at Worldline Connect.
    package var worldlineConnect: WorldlineConnect {
        WorldlineConnect(merchantId: "m-1", credentials: apiKey, environment: .live)
    }

    /// A shop at bePaid.
    package var bePaid: BePaid { BePaid(shopId: "361", secretKey: secret) }

    /// An account at Dintero, with an access token.
    package var dintero: Dintero {
        Dintero(accountID: "P00000000", credentials: .accessToken(secret))
    }

    /// A merchant of the RBS family.
    ///
    /// - Parameter kind: The request with which payments are made.
    /// - Returns: The merchant's account.
    package func rbs(_ kind: RBS.Kind) -> RBS {
        var gateway = RBS(host: .sandbox)
        gateway.user = RBS.User(name: "shop-api", password: secret)
        gateway.merchant = kind == .encrypted ? "shop" : nil
        gateway.options.kind = kind
        return gateway
    }

    /// An issuer at Intergiro.
    package var intergiro: Intergiro { Intergiro(apiKey: secret, environment: .live) }

    /// An account at CyberSource, whose secret is not base64.
    package var cyberSource: CyberSource {
        CyberSource(
            credentials: .init(merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret),
            environment: .live)
    }

    /// An account at Checkout.com.
    package func checkout() throws -> Checkout {
        try Checkout(secretKey: secret, environment: .live)
    }

    /// An account at Adyen.
    package func adyen() throws -> Adyen {
        try Adyen(apiKey: secret, merchantAccount: "Shop", environment: .test)
    }

    /// An account at PayPal, with an access token.
    package var payPal: PayPal { PayPal(credentials: .accessToken(secret), environment: .live) }
}

extension PaymentInput {
    /// Returns the input for a payment of an order, with the members that some gateways require.
    ///
    /// - Parameters:
    ///   - payment: The payment.
    ///   - order: The order.
    /// - Returns: The input.
    /// - Throws: A `PaymentError` if the reference is not one.
    package static func example(_ payment: Payment, _ order: Order) throws -> PaymentInput {
        try example(payment.token.parsed, payment, order)
    }

    /// Returns the input for an encrypted token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - payment: The payment; nil if the token was not decrypted.
    ///   - order: The order.
    /// - Returns: The input.
    /// - Throws: A `PaymentError` if the reference is not one.
    package static func example(
        _ token: PaymentToken,
        _ payment: Payment? = nil,
        _ order: Order
    ) throws -> PaymentInput {
        var order = order
        order.description = "d"
        order.returnURL = "https://shop.example/r"
        return PaymentInput(order, try PaymentAttempt(order, key: "attempt-1"), token, payment)
    }
}

extension PaymentAttempt {
    /// Creates an attempt with a key of the tests, whose requests can be compared with vectors.
    package init(_ order: Order, slot: Int = 1, key: ExactText) throws(PaymentError) {
        let attempt = try PaymentAttempt(order, slot: slot)
        self.init(
            orderReference: order.reference, amount: order.amount, currency: order.currency,
            slot: slot, reference: attempt.reference, key: key)
    }
}

/// Returns a changed copy of a value, for options within an expression.
package func with<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
    var value = value
    try change(&value)
    return value
}

extension GatewayResponse {
    /// Creates an answer from a text.
    package init(_ body: String, status: Int = 200) {
        self.init(status: status, body: Array(body.utf8))
    }
}
