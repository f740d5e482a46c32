internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    /// All gateways.
    package static let all: [ExampleGateway] = [
        worldlineDirect, worldlineConnect, bePaid, dintero, rbs, intergiro, cyberSource, checkout,
        adyen,
        payPal,
    ]

    /// The requests of all gateways with a decrypted token.
    package static var opened: [Opened] { all.flatMap(\.opened) }

    /// The requests of all gateways with an encrypted token.
    package static var encrypted: [Encrypted] { all.flatMap(\.encrypted) }

    private static let cyberSource = with(ExampleGateway("cybersource")) {
        $0.opened = [
            Opened(
                name: "cybersource",
                make: { payment, order, _ in try CyberSource.createPayment(payment, order: order) },
                expiry: { _ in #""expirationMonth":"11","expirationYear":"2030""# },
                eci: { _, digit in #""eciRaw":"0\#(digit)""# },
                amount: { #""totalAmount":"\#($0.decimal)""# })
        ]
        $0.values = { _, merchant in [with(CyberSource.BillTo()) { $0.firstName = merchant.text }] }
        $0.outcomes = ["cybersource-payment": { try CyberSource.PaymentAnswer($0).isAuthorized }]
        $0.commands = [
            ExampleCommand(
                "cybersource --code R-1 --test --bill-to-last-name Doe",
                "POST https://apitest.cybersource.com/pts/v2/payments", #""totalAmount":"30.00""#)
        ]
    }

    private static let checkout = with(ExampleGateway("checkout")) {
        $0.opened = [
            Opened(
                name: "checkout",
                make: { payment, order, merchant in
                    try Checkout.createPayment(payment, order: order, secretKey: merchant.secret)
                },
                expiry: { _ in #""expiry_month":11,"expiry_year":2030"# },
                eci: { _, digit in #""eci":"0\#(digit)""# },
                amount: { #""amount":\#($0.minorUnits),"# },
                authorization: { "Bearer \($0.text)" })
        ]
        $0.outcomes = ["checkout-payment": { try Checkout.PaymentAnswer($0).isApproved }]
        $0.commands = [
            ExampleCommand(
                "checkout --secret-key-env SECRET --reference R-1",
                "POST https://api.checkout.com/payments", #""expiry_month":12"#)
        ]
    }

    private static let adyen = with(ExampleGateway("adyen")) {
        $0.opened = [
            Opened(
                name: "adyen",
                make: { payment, order, merchant in
                    try Adyen.createPayment(
                        payment, order: order, merchantAccount: "Shop", reference: "1001",
                        apiKey: merchant.secret, endpoint: .test)
                },
                expiry: { _ in #""expiryMonth":"11","expiryYear":"2030""# },
                eci: { _, digit in #""eci":"0\#(digit)""# },
                amount: { #""value":\#($0.minorUnits)}"# },
                authorization: { $0.text })
        ]
        $0.outcomes = ["adyen-payment": { try Adyen.PaymentAnswer($0).isAuthorised }]
        $0.commands = [
            ExampleCommand(
                "adyen --api-key-env SECRET --merchant-account Shop --reference R-1",
                "POST https://checkout-test.adyen.com/v71/payments", #""eci":"07""#)
        ]
    }

    private static let payPal = with(ExampleGateway("paypal")) {
        $0.opened = [
            Opened(
                name: "paypal",
                make: { payment, order, merchant in
                    try PayPal.createOrder(
                        payment, order: order, accessToken: merchant.secret, requestID: "r1")
                },
                expiry: { _ in #""expiry":"2030-11""# },
                eci: { eci, _ in #""eci_indicator":"\#(eci)""# },
                amount: { $0.payPal.map { #""value":"\#($0)""# } },
                authorization: { "Bearer \($0.text)" }, takesEMV: true)
        ]
        $0.others = { _, _, merchant in
            [try PayPal.accessToken(clientID: "c", clientSecret: merchant.secret)]
        }
        $0.values = { _, merchant in
            [
                with(PayPal.OrderOptions()) { $0.emailAddress = merchant.text },
                try PayPal.AccessTokenAnswer(
                    GatewayResponse(#"{"access_token":"\#(merchant.text)"}"#)),
            ]
        }
        $0.outcomes = [
            "paypal-access-token": { try PayPal.AccessTokenAnswer($0).accessToken != nil },
            "paypal-authorize": { try PayPal.OrderAnswer($0).isAuthorized },
        ]
        for step in ["payment", "get", "capture"] {
            $0.outcomes["paypal-\(step)"] = { try PayPal.OrderAnswer($0).isCaptured }
        }
        $0.commands = [
            ExampleCommand(
                "paypal --access-token-env SECRET --request-id r1 --test",
                "POST https://api-m.sandbox.paypal.com/v2/checkout/orders", #""expiry":"2025-12""#),
            ExampleCommand(
                "paypal --step access-token --client-id c1 --client-secret-env SECRET",
                "POST https://api-m.paypal.com/v1/oauth2/token", "grant_type=client_credentials"),
            ExampleCommand(
                "paypal --step get --access-token-env SECRET --order-id o1",
                "GET https://api-m.paypal.com/v2/checkout/orders/o1"),
            ExampleCommand(
                "paypal --step capture --access-token-env SECRET --order-id o1 --request-id r1",
                "POST https://api-m.paypal.com/v2/checkout/orders/o1/capture", "{}"),
            ExampleCommand(
                "paypal --step authorize --access-token-env SECRET --order-id o1 --request-id r1",
                "POST https://api-m.paypal.com/v2/checkout/orders/o1/authorize", "{}"),
        ]
    }
}
