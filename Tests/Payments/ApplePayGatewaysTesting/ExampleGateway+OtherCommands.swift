internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension ExampleGateway {
    /// The command lines of Intergiro.
    static let intergiroCommands: [ExampleCommand] = {
        func account(_ environment: String) -> String {
            #"{"gateway":"intergiro","environment":"\#(environment)","#
                + #""credentials":{"apiKey":{"env":"SECRET"}}}"#
        }
        let server = "https://3d.intergiro.com/v3"
        let token = "--access-token-env SECRET"
        return [
            ExampleCommand(
                "login", account("live"), order: nil, "POST \(server)/auth/login",
                #"{"api_key":"top-secret"}"#
            ) { merchant, _ in try merchant.intergiro.loginRequest() },
            ExampleCommand(
                "refresh", account("test"), order: nil, options: token,
                "POST https://3d.staging.intergiro.tech/v3/auth/refresh", "top-secret"
            ) { merchant, _ in
                try Intergiro(apiKey: merchant.secret, environment: .staging)
                    .loginRequest(refreshing: merchant.secret)
            },
            ExampleCommand(
                "tokenize", account("live"), order: nil, options: "--id k1 \(token)",
                "POST \(server)/cards/k1/apple_pay/tokenize"
            ) { merchant, _ in try merchant.intergiro.tokenizeRequest("k1", merchant.secret) },
            ExampleCommand(
                "consent", account("live"), order: nil, options: "--id c1 \(token)",
                "POST \(server)/consents/c1"
            ) { merchant, _ in
                try merchant.intergiro.consentRequest("c1", merchant.secret, returnURL: nil)
            },
            ExampleCommand(
                "consent", account("live"), order: nil,
                options: "--id c1 --url https://a.example \(token)",
                "POST \(server)/consents/c1", #"{"return_url":"https://a.example"}"#
            ) { merchant, _ in
                try merchant.intergiro.consentRequest(
                    "c1", merchant.secret, returnURL: "https://a.example")
            },
        ]
    }()

    /// The command lines of CyberSource.
    static let cyberSourceCommands: [ExampleCommand] = {
        func account(_ environment: String) -> String {
            #"{"gateway":"cybersource","environment":"\#(environment)","account":{"merchantId":"merchant-1"},"#
                + #""credentials":{"keyId":"key-1","sharedSecret":{"env":"SECRET_BASE64"}}}"#
        }
        func gateway(_ environment: CyberSource.Environment) -> CyberSource {
            let secret = SensitiveBytes(copying: "dG9wLXNlY3JldA==".utf8.span)
            return CyberSource(
                credentials: .init(merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret),
                environment: environment)
        }
        let (test, live) = (gateway(.test), gateway(.live))
        return [
            ExampleCommand(
                "payment", account("test"),
                order:
                    #"{"reference":"R-1","amount":3000,"currency":"EUR","customer":{"familyName":"Doe"}}"#,
                "POST https://apitest.cybersource.com/pts/v2/payments", #""totalAmount":"30.00""#,
                library: ExampleCommand.payment { _ in test }),
            ExampleCommand(
                "reversal", account("live"), "POST https://api.cybersource.com/pts/v2/reversals",
                #""totalAmount":"30.00""#
            ) { _, input in
                try live.reverseTimedOut(ExampleCommand.attempt(input)).request(at: input.date)
            },
        ]
    }()

    /// The command lines of Checkout.com.
    static let checkoutCommands: [ExampleCommand] = {
        let account =
            #"{"gateway":"checkout","environment":"live","credentials":{"secretKey":{"env":"SECRET"}}}"#
        let gateway: ExampleCommand.Account = { try $0.checkout() }
        let server = "https://api.checkout.com/payments"
        return [
            ExampleCommand(
                "payment", account, "POST \(server)", #""expiry_month":12"#,
                library: ExampleCommand.payment(gateway)),
            ExampleCommand(
                "status", account, options: "--payment-id pay_1", "GET \(server)/pay_1",
                library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "search", account, "GET \(server)?reference=R-1&limit=100",
                library: ExampleCommand.status(gateway)),
        ]
    }()

    /// The command lines of Adyen.
    static let adyenCommands: [ExampleCommand] = {
        func account(_ members: String) -> String {
            #"{"gateway":"adyen",\#(members)},"credentials":{"apiKey":{"env":"SECRET"}}}"#
        }
        return [
            ExampleCommand(
                "payment", account(#""environment":"test","account":{"merchantAccount":"Shop""#),
                order: ExampleCommand.describedOrder,
                "POST https://checkout-test.adyen.com/v71/payments", #""eci":"07""#,
                library: ExampleCommand.payment { try $0.adyen() }),
            ExampleCommand(
                "payment",
                account(
                    #""environment":"live","account":{"merchantAccount":"Shop","livePrefix":"1797a841fbb37ca7-Shop""#
                ), order: ExampleCommand.describedOrder,
                "POST https://1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com/checkout/v71/payments",
                #""eci":"07""#,
                library: ExampleCommand.payment { merchant in
                    try Adyen(
                        apiKey: merchant.secret, merchantAccount: "Shop",
                        environment: .live(prefix: "1797a841fbb37ca7-Shop"))
                }),
        ]
    }()

    /// The command lines of PayPal.
    static let payPalCommands: [ExampleCommand] = {
        func account(_ members: String) -> String {
            #"{"gateway":"paypal",\#(members),"credentials":{"clientId":"c","#
                + #""clientSecret":{"env":"SECRET"}}}"#
        }
        let live = account(#""environment":"live""#)
        let server = "https://api-m.paypal.com"
        let token = "--access-token-env SECRET"
        return [
            ExampleCommand(
                "payment", account(#""environment":"test""#), options: "--key r1 \(token)",
                "POST https://api-m.sandbox.paypal.com/v2/checkout/orders", #""expiry":"2025-12""#,
                library: ExampleCommand.payment { merchant in
                    PayPal(credentials: .accessToken(merchant.secret), environment: .sandbox)
                }),
            ExampleCommand(
                "login", live, order: nil, "POST \(server)/v1/oauth2/token",
                "grant_type=client_credentials"
            ) { merchant, _ in
                try with(merchant.payPal) {
                    $0.credentials = .client(id: "c", secret: merchant.secret)
                }.loginRequest()
            },
            ExampleCommand(
                "status", live, options: "--payment-id o1 \(token)",
                "GET \(server)/v2/checkout/orders/o1",
                library: ExampleCommand.status { $0.payPal }),
            ExampleCommand(
                "finish", live, options: "--payment-id o1 \(token)",
                "POST \(server)/v2/checkout/orders/o1/capture", "{}"
            ) { merchant, input in
                try merchant.payPal.finish(unclaimed: ExampleCommand.attempt(input))
                    .request(at: input.date)
            },
            ExampleCommand(
                "finish", account(#""environment":"live","payment":{"intent":"AUTHORIZE"}"#),
                options: "--payment-id o1 \(token)",
                "POST \(server)/v2/checkout/orders/o1/authorize", "{}"
            ) { merchant, input in
                try with(merchant.payPal) { $0.options.intent = .authorize }
                    .finish(unclaimed: ExampleCommand.attempt(input)).request(at: input.date)
            },
        ]
    }()
}
