internal import ApplePayGateways
import ApplePayOtherGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension ExampleGateway {
    /// The requests of Intergiro.
    static let intergiroRequests: [ExampleRequest] = {
        func account(_ environment: String) -> String {
            #"{"gateway":"intergiro","environment":"\#(environment)","#
                + #""credentials":{"apiKey":{"env":"SECRET"}}}"#
        }
        let server = "https://3d.intergiro.com/v3"
        let cards: ExampleRequest.Library = { .cards($0.intergiro) }
        let session = #"{"access_token":"access","refresh_token":"refresh"}"#
        let consent = #"{"consent":{"id":"c1","status":"pending"}}"#
        return [
            ExampleRequest(
                .card("k1"), account("live"), "POST \(server)/auth/login",
                #"{"api_key":"top-secret"}"#, library: cards),
            ExampleRequest(
                .card("k1"), account("test"), after: [session],
                "POST https://3d.staging.intergiro.tech/v3/cards/k1/apple_pay/tokenize"
            ) { .cards(Intergiro(apiKey: $0.secret, environment: .staging)) },
            ExampleRequest(
                .card("k1"), account("live"), after: [session, consent],
                "POST \(server)/consents/c1", library: cards),
            ExampleRequest(
                .card("k1", returnURL: "https://a.example"), account("live"),
                after: [session, consent], "POST \(server)/consents/c1",
                #"{"return_url":"https://a.example"}"#, library: cards),
        ]
    }()

    /// The requests of CyberSource.
    static let cyberSourceRequests: [ExampleRequest] = {
        func account(_ environment: String) -> String {
            #"{"gateway":"cybersource","environment":"\#(environment)","account":{"merchantId":"merchant-1"},"#
                + #""credentials":{"keyId":"key-1","sharedSecret":{"env":"SECRET_BASE64"}}}"#
        }
        func gateway(_ environment: CyberSource.Environment) -> ExampleRequest.Library {
            { _ in
                let secret = SensitiveBytes(copying: "dG9wLXNlY3JldA==".utf8.span)
                return .payments(
                    CyberSource(
                        credentials: .init(
                            merchantID: "merchant-1", keyID: "key-1", sharedSecret: secret),
                        environment: environment))
            }
        }
        return [
            ExampleRequest(
                .payment(), account("test"),
                order:
                    #"{"reference":"R-1","amount":3000,"currency":"EUR","customer":{"familyName":"Doe"}}"#,
                "POST https://apitest.cybersource.com/pts/v2/payments", #""totalAmount":"30.00""#,
                library: gateway(.test)),
            ExampleRequest(
                .operation(ExampleRequest.operation(.cancellation)), account("live"),
                "POST https://api.cybersource.com/pts/v2/reversals", #""totalAmount":"30.00""#,
                library: gateway(.live)),
        ]
    }()

    /// The requests of Checkout.com.
    static let checkoutRequests: [ExampleRequest] = {
        let account =
            #"{"gateway":"checkout","environment":"live","account":{"identifier":"s"},"credentials":{"secretKey":{"env":"SECRET"}}}"#
        let gateway: ExampleRequest.Library = { .payments(try $0.checkout()) }
        let server = "https://api.checkout.com/payments"
        return [
            ExampleRequest(
                .payment(), account, "POST \(server)", #""expiry_month":12"#, library: gateway),
            ExampleRequest(
                .status(paymentID: "pay_1"), account, "GET \(server)/pay_1", library: gateway),
            ExampleRequest(
                .status(), account, "GET \(server)?reference=R-1&limit=100", library: gateway),
        ]
    }()

    /// The requests of Adyen.
    static let adyenRequests: [ExampleRequest] = {
        func account(_ members: String) -> String {
            #"{"gateway":"adyen",\#(members)},"credentials":{"apiKey":{"env":"SECRET"}}}"#
        }
        return [
            ExampleRequest(
                .payment(), account(#""environment":"test","account":{"merchantAccount":"Shop""#),
                order: ExampleRequest.describedOrder,
                "POST https://checkout-test.adyen.com/v71/payments", #""eci":"07""#
            ) { .payments(try $0.adyen()) },
            ExampleRequest(
                .payment(),
                account(
                    #""environment":"live","account":{"merchantAccount":"Shop","livePrefix":"1797a841fbb37ca7-Shop""#
                ), order: ExampleRequest.describedOrder,
                "POST https://1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com/checkout/v71/payments",
                #""eci":"07""#
            ) { merchant in
                .payments(
                    try Adyen(
                        apiKey: merchant.secret, merchantAccount: "Shop",
                        environment: .live(prefix: "1797a841fbb37ca7-Shop")))
            },
        ]
    }()

    /// The requests of PayPal.
    static let payPalRequests: [ExampleRequest] = {
        func account(_ members: String) -> String {
            #"{"gateway":"paypal",\#(members),"account":{"identifier":"s"},"credentials":{"clientId":"c","#
                + #""clientSecret":{"env":"SECRET"}}}"#
        }
        func gateway(_ environment: PayPal.Environment) -> ExampleRequest.Library {
            { merchant in
                .payments(
                    PayPal(
                        credentials: .client(id: "c", secret: merchant.secret),
                        environment: environment))
            }
        }
        let live = account(#""environment":"live""#)
        let server = "https://api-m.paypal.com"
        let login = #"{"access_token":"access","token_type":"Bearer","expires_in":32400}"#
        return [
            ExampleRequest(
                .payment(), live, "POST \(server)/v1/oauth2/token",
                "grant_type=client_credentials", library: gateway(.live)),
            ExampleRequest(
                .payment(), account(#""environment":"test""#), after: [login],
                "POST https://api-m.sandbox.paypal.com/v2/checkout/orders", #""expiry":"2025-12""#,
                library: gateway(.sandbox)),
            ExampleRequest(
                .payment(), account(#""environment":"live","payment":{"intent":"AUTHORIZE"}"#),
                after: [login], "POST \(server)/v2/checkout/orders", #""intent":"AUTHORIZE""#
            ) { merchant in
                .payments(
                    with(
                        PayPal(
                            credentials: .client(id: "c", secret: merchant.secret),
                            environment: .live)
                    ) { $0.options.intent = .authorize })
            },
            ExampleRequest(
                .status(paymentID: "o1"), live, after: [login],
                "GET \(server)/v2/checkout/orders/o1", library: gateway(.live)),
        ]
    }()
}
