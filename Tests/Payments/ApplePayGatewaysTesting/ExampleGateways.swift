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
                make: { input, merchant in try merchant.cyberSource.paymentRequest(input) },
                expiry: { _ in #""expirationMonth":"11","expirationYear":"2030""# },
                eci: { _, digit in #""eciRaw":"0\#(digit)""# },
                amount: { #""totalAmount":"\#($0.decimal)""# })
        ]
        $0.others = { input, merchant in [merchant.cyberSource.reversalRequest(input.attempt)] }
        $0.values = { _, merchant in [merchant.cyberSource] }
        $0.commands = [
            ExampleCommand(
                "cybersource --code R-1 --test --bill-to-last-name Doe",
                "POST https://apitest.cybersource.com/pts/v2/payments", #""totalAmount":"30.00""#),
            ExampleCommand(
                "cybersource --step reversal --code R-1 --amount 3000 --currency EUR",
                "POST https://api.cybersource.com/pts/v2/reversals", #""totalAmount":"30.00""#),
        ]
    }

    private static let checkout = with(ExampleGateway("checkout")) {
        $0.opened = [
            Opened(
                name: "checkout",
                make: { input, merchant in try merchant.checkout().paymentRequest(input) },
                expiry: { _ in #""expiry_month":11,"expiry_year":2030"# },
                eci: { _, digit in #""eci":"0\#(digit)""# },
                amount: { #""amount":\#($0.minorUnits),"# },
                authorization: { "Bearer \($0.text)" })
        ]
        $0.others = { input, merchant in [try merchant.checkout().statusRequest(input.attempt)] }
        $0.values = { _, merchant in [try merchant.checkout()] }
        $0.commands = [
            ExampleCommand(
                "checkout --secret-key-env SECRET --reference R-1",
                "POST https://api.checkout.com/payments", #""expiry_month":12"#),
            ExampleCommand(
                "checkout --step get-payment --secret-key-env SECRET --payment-id pay_1",
                "GET https://api.checkout.com/payments/pay_1"),
            ExampleCommand(
                "checkout --step find-payments --secret-key-env SECRET --reference R-1",
                "GET https://api.checkout.com/payments?reference=R-1&limit=100"),
        ]
    }

    private static let adyen = with(ExampleGateway("adyen")) {
        $0.opened = [
            Opened(
                name: "adyen",
                make: { input, merchant in try merchant.adyen().paymentRequest(input) },
                expiry: { _ in #""expiryMonth":"11","expiryYear":"2030""# },
                eci: { _, digit in #""eci":"0\#(digit)""# },
                amount: { #""value":\#($0.minorUnits)}"# },
                authorization: { $0.text })
        ]
        $0.values = { _, merchant in [try merchant.adyen()] }
        $0.commands = [
            ExampleCommand(
                "adyen --api-key-env SECRET --merchant-account Shop --reference R-1 "
                    + "--return-url https://shop.example/r",
                "POST https://checkout-test.adyen.com/v71/payments", #""eci":"07""#)
        ]
    }

    private static let payPal = with(ExampleGateway("paypal")) {
        $0.opened = [
            Opened(
                name: "paypal",
                make: { input, merchant in try merchant.payPal.paymentRequest(input) },
                expiry: { _ in #""expiry":"2030-11""# },
                eci: { eci, _ in #""eci_indicator":"\#(eci)""# },
                amount: { $0.payPal.map { #""value":"\#($0)""# } }, takesEMV: true)
        ]
        $0.others = { _, merchant in
            let client = OAuthCredentials.client(id: "c", secret: merchant.secret)
            return [try with(merchant.payPal) { $0.credentials = client }.loginRequest()]
        }
        $0.values = { _, merchant in [merchant.payPal] }
        $0.commands = [
            ExampleCommand(
                "paypal --access-token-env SECRET --reference-id R-1 --request-id r1 --test",
                "POST https://api-m.sandbox.paypal.com/v2/checkout/orders", #""expiry":"2025-12""#),
            ExampleCommand(
                "paypal --step access-token --client-id c1 --client-secret-env SECRET",
                "POST https://api-m.paypal.com/v1/oauth2/token", "grant_type=client_credentials"),
            ExampleCommand(
                "paypal --step get --access-token-env SECRET --order-id o1",
                "GET https://api-m.paypal.com/v2/checkout/orders/o1"),
            ExampleCommand(
                "paypal --step capture --access-token-env SECRET --order-id o1 --reference-id R-1",
                "POST https://api-m.paypal.com/v2/checkout/orders/o1/capture", "{}"),
            ExampleCommand(
                "paypal --step authorize --access-token-env SECRET --order-id o1 --reference-id R-1",
                "POST https://api-m.paypal.com/v2/checkout/orders/o1/authorize", "{}"),
        ]
    }
}
