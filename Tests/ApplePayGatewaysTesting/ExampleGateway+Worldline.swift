internal import ApplePayGateways
internal import ApplePayToken
internal import Foundation

extension ExampleGateway {
    /// The date of signed examples: 2026-11-21 08:30:00 UTC.
    private static let time = Date(timeIntervalSince1970: 1_795_249_800)

    private static let outcomes: [String: @Sendable (GatewayResponse) throws -> Bool] = [
        "payment": { try Worldline.PaymentAnswer($0).isAuthorized },
        "encrypted-payment": { try Worldline.PaymentAnswer($0).isAuthorized },
        "get-payment": {
            [.paid, .authorized].contains(try Worldline.PaymentStatusAnswer($0).outcome)
        },
        "get-payment-details": { try Worldline.PaymentStatusAnswer($0).outcome == .paid },
        "capture": { try Worldline.OperationAnswer($0, .capture).outcome == .paid },
        "cancel": { try Worldline.OperationAnswer($0, .cancel).outcome == .paid },
        "refund": { try Worldline.OperationAnswer($0, .refund).outcome == .paid },
        "hosted-checkout": { try Worldline.HostedCheckoutAnswer($0).hostedCheckoutId != nil },
        "get-hosted-checkout": { try Worldline.HostedCheckoutStatusAnswer($0).isAuthorized },
    ]

    private static func outcomes(
        _ name: String
    ) -> [String: @Sendable (GatewayResponse) throws -> Bool] {
        Dictionary(uniqueKeysWithValues: outcomes.map { ("\(name)-\($0)", $1) })
    }

    /// Returns the command lines of the steps that follow a payment.
    private static func followUps(_ name: String, _ prefix: String) -> [ExampleCommand] {
        let payment = "\(prefix)/{merchantId}/payments/1_1"
        let money = "--authorized-amount 3000 --currency EUR"
        return [
            ExampleCommand(
                "\(name) --step capture --payment-id 1_1 \(money) --amount 1000 --is-final true",
                "POST \(payment)/capture", #"{"amount":1000,"isFinal":true}"#),
            ExampleCommand(
                "\(name) --step cancel --payment-id 1_1 --idempotence-key k-1",
                "POST \(payment)/cancel"),
            ExampleCommand(
                "\(name) --step refund --payment-id 1_1 \(money)",
                "POST \(payment)/refund",
                #"{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#),
        ]
    }

    /// Worldline Direct.
    static let worldlineDirect = with(ExampleGateway("worldline-direct")) {
        $0.opened = [
            Opened(
                name: "worldline-direct",
                make: { payment, order, _ in
                    try WorldlineDirect.createPayment(payment, order: order)
                },
                expiry: { _ in #""expiryDate":"1130""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.minorUnits),"# })
        ]
        $0.encrypted = [
            Encrypted(
                name: "worldline-direct",
                make: { token, order, _ in try WorldlineDirect.createPayment(token, order: order) })
        ]
        $0.others = { payment, order, merchant in
            var options = WorldlineDirect.CreatePaymentOptions()
            options.includesTokenKeys = payment.token.token.version == .ecV1
            let request = try WorldlineDirect.createPayment(
                payment, order: order, account: .init(merchantId: "m"), options: options)
            return [try Worldline.authorize(request, merchant.apiKey, date: time)]
        }
        $0.values = { _, merchant in
            let contact = try PaymentContact(
                json: Array(
                    #"{"givenName":"\#(merchant.text)","addressLines":["\#(merchant.text) 1"]}"#
                        .utf8))
            var options = WorldlineDirect.CreatePaymentOptions()
            options.customer = Worldline.Customer(billing: contact)
            options.shipping = Worldline.Shipping(contact)
            options.includesTokenKeys = true
            let answer = GatewayResponse(
                #"{"payment":{"id":"1","status":"s","paymentOutput":{"#
                    + #""mobilePaymentMethodSpecificOutput":{"paymentData":{"dpan":"\#(merchant.text)","#
                    + #""expiryDate":"\#(merchant.text)"}}}}}"#)
            return [
                contact, Worldline.Customer(billing: contact), Worldline.Address(contact) as Any,
                options, merchant.apiKey, answer, try Worldline.PaymentAnswer(answer),
                try Worldline.HostedCheckoutAnswer(
                    GatewayResponse(
                        #"{"hostedCheckoutId":"h","RETURNMAC":"\#(merchant.text)"}"#)),
            ]
        }
        $0.outcomes = outcomes("worldline-direct")
        $0.commands =
            [
                ExampleCommand(
                    "worldline-direct --authorization-mode SALE --requires-approval true "
                        + "--merchant-reference R-1 --billing-contact FOLDER/web.json "
                        + "--shipping-contact FOLDER/native.json --address-indicator ship-to-store",
                    "POST https://payment.direct.worldline-solutions.com/v2/{merchantId}/payments",
                    #""shipping":{"addressIndicator":"ship-to-store","address":{"name":{"firstName":"Jane"},"#
                        + #""street":"Rue Basse 9"}}},"mobilePaymentMethodSpecificInput":{"#
                        + #""paymentProductId":302,"authorizationMode":"SALE","requiresApproval":true,"#
                        + #""decryptedPaymentData":{"dpan":"4761120010000492""#),
                ExampleCommand(
                    "worldline-direct --encrypted --worldline-merchant-id m1 --preproduction "
                        + "--api-key-id key-1 --secret-api-key-env SECRET --date 2026-11-21T08:30:00Z "
                        + "--tokenize true --is-recurring true --first-recurring --idempotence-key a-1",
                    "POST https://payment.preprod.direct.worldline-solutions.com/v2/m1/payments",
                    #""tokenize":true,"isRecurring":true,"recurring":{"#),
                ExampleCommand(
                    "worldline-direct --step hosted-checkout --amount 1000 --currency EUR "
                        + "--return-url https://shop.example/return "
                        + "--payment-description Magazine --regular-billing-amount 999 "
                        + "--regular-billing-label Monthly --regular-billing-interval-unit month "
                        + "--trial-billing-amount 1 --trial-billing-label T "
                        + "--trial-billing-amount-form minorUnits",
                    "POST https://payment.direct.worldline-solutions.com/v2/{merchantId}/hostedcheckouts",
                    #""paymentDescription":"Magazine","regularBilling":{"amount":"9.99","label":"Monthly","#
                        + #""recurringPaymentIntervalUnit":"month"},"trialBilling":{"amount":"1","#),
                ExampleCommand(
                    "worldline-direct --step hosted-checkout --amount 1000 --currency EUR "
                        + "--return-url https://shop.example/return --session-timeout 30 "
                        + "--allowed-number-of-payment-attempts 3",
                    "POST https://payment.direct.worldline-solutions.com/v2/{merchantId}/hostedcheckouts",
                    #""allowedNumberOfPaymentAttempts":3"#),
                ExampleCommand(
                    "worldline-direct --step get-payment --payment-id 1_1 --worldline-merchant-id m/1",
                    "GET https://payment.direct.worldline-solutions.com/v2/m%2F1/payments/1_1"),
                ExampleCommand(
                    "worldline-direct --step get-hosted-checkout --hosted-checkout-id h",
                    "GET https://payment.direct.worldline-solutions.com/v2/{merchantId}/hostedcheckouts/h"
                ),
                ExampleCommand(
                    "worldline-direct --step get-payment-details --payment-id 1_1",
                    "GET https://payment.direct.worldline-solutions.com/v2/{merchantId}/payments/1_1/details"
                ),
            ] + followUps("worldline-direct", "https://payment.direct.worldline-solutions.com/v2")
    }

    /// Worldline Connect.
    static let worldlineConnect = with(ExampleGateway("worldline-connect")) {
        $0.opened = [
            Opened(
                name: "worldline-connect",
                make: { payment, order, _ in
                    try WorldlineConnect.createPayment(payment, order: order)
                },
                expiry: { _ in #""expiryDate":"1130""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.twoDecimals),"# })
        ]
        $0.encrypted = [
            Encrypted(
                name: "worldline-connect",
                make: { token, order, _ in try WorldlineConnect.createPayment(token, order: order) }
            )
        ]
        $0.outcomes = outcomes("worldline-connect")
        $0.outcomes["worldline-connect-get-payment-details"] = nil
        $0.commands =
            [
                ExampleCommand(
                    "worldline-connect --eci-form string --customer-reference c-1 --tokenize false",
                    "POST https://api.connect.worldline-solutions.com/v1/{merchantId}/payments",
                    #""expiryDate":"1225","eci":"7"}}}"#),
                ExampleCommand(
                    "worldline-connect --encrypted --sandbox --recurring-payment-sequence-indicator first",
                    "POST https://eu.sandbox.api-ingenico.com/v1/{merchantId}/payments",
                    #""encryptedPaymentData":"{\""#),
                ExampleCommand(
                    "worldline-connect --step hosted-checkout --amount 100 --currency JPY "
                        + "--return-url a:b --tokens t1 --tokens t2",
                    "POST https://api.connect.worldline-solutions.com/v1/{merchantId}/hostedcheckouts",
                    #""amount":10000,"currencyCode":"JPY"}},"hostedCheckoutSpecificInput":{"returnUrl":"#
                        + #""a:b","tokens":"t1,t2"}"#),
                ExampleCommand(
                    "worldline-connect --step get-payment --payment-id 1 --preproduction",
                    "GET https://api.preprod.connect.worldline-solutions.com/v1/{merchantId}/payments/1"
                ),
                ExampleCommand(
                    "worldline-connect --step get-hosted-checkout --hosted-checkout-id h "
                        + "--origin https://connect.example",
                    "GET https://connect.example/v1/{merchantId}/hostedcheckouts/h"),
            ] + followUps("worldline-connect", "https://api.connect.worldline-solutions.com/v1")
    }
}
