internal import ApplePayGateways
internal import ApplePayToken
internal import Foundation

extension ExampleGateway {
    /// The date of signed examples: 2026-11-21 08:30:00 UTC.
    private static let time = Date(timeIntervalSince1970: 1_795_249_800)

    /// Returns the command lines of the steps that follow a payment.
    private static func followUps(_ name: String, _ prefix: String) -> [ExampleCommand] {
        let payment = "\(prefix)/unset/payments/1_1"
        let money =
            "--payment-id 1_1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR"
        return [
            ExampleCommand(
                "\(name) --step capture \(money) --amount 1000 --is-final true",
                "POST \(payment)/capture", #"{"amount":1000,"isFinal":true}"#),
            ExampleCommand(
                "\(name) --step cancel \(money)",
                "POST \(payment)/cancel"),
            ExampleCommand(
                "\(name) --step refund \(money)",
                "POST \(payment)/refund",
                #"{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#),
        ]
    }

    /// Worldline Direct.
    static let worldlineDirect = with(ExampleGateway("worldline-direct")) {
        $0.opened = [
            Opened(
                name: "worldline-direct",
                make: { input, merchant in try merchant.worldlineDirect.paymentRequest(input) },
                expiry: { _ in #""expiryDate":"1130""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.minorUnits),"# })
        ]
        $0.encrypted = [
            Encrypted(
                name: "worldline-direct",
                make: { input, merchant in try merchant.worldlineDirect.paymentRequest(input) })
        ]
        $0.others = { input, merchant in
            var gateway = merchant.worldlineDirect
            gateway.options.includesTokenKeys = input.token.version == .ecV1
            let request = try gateway.paymentRequest(input)
            return [try Worldline.authorize(request, merchant.apiKey, date: time)]
        }
        $0.values = { _, merchant in
            let contact = try PaymentContact(
                json: Array(
                    #"{"givenName":"\#(merchant.text)","addressLines":["\#(merchant.text) 1"]}"#
                        .utf8))
            let answer = GatewayResponse(
                #"{"payment":{"id":"1","status":"s","paymentOutput":{"#
                    + #""mobilePaymentMethodSpecificOutput":{"paymentData":{"dpan":"\#(merchant.text)","#
                    + #""expiryDate":"\#(merchant.text)"}}}}}"#)
            var gateway = merchant.worldlineDirect
            gateway.webhookKeys = ["key-1": merchant.secret]
            return [
                contact, gateway, merchant.apiKey, answer,
                Worldline.paymentReport(answer, .direct), try answer.object() as Any,
            ]
        }
        $0.commands =
            [
                ExampleCommand(
                    "worldline-direct --authorization-mode SALE --requires-approval true "
                        + "--merchant-reference R-1 --billing-contact FOLDER/web.json "
                        + "--shipping-contact FOLDER/native.json --address-indicator ship-to-store",
                    "POST https://payment.direct.worldline-solutions.com/v2/unset/payments",
                    #""shipping":{"addressIndicator":"ship-to-store","address":{"name":{"firstName":"Jane"},"#
                        + #""street":"Rue Basse 9"}}},"mobilePaymentMethodSpecificInput":{"#
                        + #""paymentProductId":302,"authorizationMode":"SALE","requiresApproval":true,"#
                        + #""decryptedPaymentData":{"dpan":"4761120010000492""#),
                ExampleCommand(
                    "worldline-direct --merchant-reference R-1 --encrypted --worldline-merchant-id m1 --preproduction "
                        + "--api-key-id key-1 --secret-api-key-env SECRET --date 2026-11-21T08:30:00Z "
                        + "--tokenize true --is-recurring true --first-recurring --idempotence-key a-1",
                    "POST https://payment.preprod.direct.worldline-solutions.com/v2/m1/payments",
                    #""tokenize":true,"isRecurring":true,"recurring":{"#),
                ExampleCommand(
                    "worldline-direct --step hosted-checkout --merchant-reference R-1 --amount 1000 --currency EUR "
                        + "--return-url https://shop.example/return "
                        + "--payment-description Magazine --regular-billing-amount 999 "
                        + "--regular-billing-label Monthly --regular-billing-interval-unit month "
                        + "--trial-billing-amount 1 --trial-billing-label T "
                        + "--trial-billing-amount-form minorUnits",
                    "POST https://payment.direct.worldline-solutions.com/v2/unset/hostedcheckouts",
                    #""paymentDescription":"Magazine","regularBilling":{"amount":"9.99","label":"Monthly","#
                        + #""recurringPaymentIntervalUnit":"month"},"trialBilling":{"amount":"1","#),
                ExampleCommand(
                    "worldline-direct --step hosted-checkout --merchant-reference R-1 --amount 1000 --currency EUR "
                        + "--return-url https://shop.example/return --session-timeout 30 "
                        + "--allowed-number-of-payment-attempts 3",
                    "POST https://payment.direct.worldline-solutions.com/v2/unset/hostedcheckouts",
                    #""allowedNumberOfPaymentAttempts":3"#),
                ExampleCommand(
                    "worldline-direct --step get-payment --payment-id 1_1 --worldline-merchant-id m/1",
                    "GET https://payment.direct.worldline-solutions.com/v2/m%2F1/payments/1_1"),
                ExampleCommand(
                    "worldline-direct --step get-hosted-checkout --hosted-checkout-id h",
                    "GET https://payment.direct.worldline-solutions.com/v2/unset/hostedcheckouts/h"
                ),
                ExampleCommand(
                    "worldline-direct --step get-payment-details --payment-id 1_1",
                    "GET https://payment.direct.worldline-solutions.com/v2/unset/payments/1_1/details"
                ),
            ] + followUps("worldline-direct", "https://payment.direct.worldline-solutions.com/v2")
    }

    /// Worldline Connect.
    static let worldlineConnect = with(ExampleGateway("worldline-connect")) {
        $0.opened = [
            Opened(
                name: "worldline-connect",
                make: { input, merchant in try merchant.worldlineConnect.paymentRequest(input) },
                expiry: { _ in #""expiryDate":"1130""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.twoDecimals),"# })
        ]
        $0.encrypted = [
            Encrypted(
                name: "worldline-connect",
                make: { input, merchant in try merchant.worldlineConnect.paymentRequest(input) })
        ]
        $0.values = { _, merchant in [merchant.worldlineConnect] }
        $0.commands =
            [
                ExampleCommand(
                    "worldline-connect --merchant-reference R-1 --eci-form string --customer-reference c-1 --tokenize false",
                    "POST https://api.connect.worldline-solutions.com/v1/unset/payments",
                    #""expiryDate":"1225","eci":"7"}}}"#),
                ExampleCommand(
                    "worldline-connect --merchant-reference R-1 --encrypted --sandbox --recurring-payment-sequence-indicator first",
                    "POST https://eu.sandbox.api-ingenico.com/v1/unset/payments",
                    #""encryptedPaymentData":"{\""#),
                ExampleCommand(
                    "worldline-connect --step hosted-checkout --merchant-reference R-1 --amount 100 --currency JPY "
                        + "--return-url a:b --tokens t1 --tokens t2",
                    "POST https://api.connect.worldline-solutions.com/v1/unset/hostedcheckouts",
                    #""amount":10000,"currencyCode":"JPY"},"references":{"merchantReference":"R-1"}},"hostedCheckoutSpecificInput":{"returnUrl":"#
                        + #""a:b","tokens":"t1,t2"}"#),
                ExampleCommand(
                    "worldline-connect --step get-payment --payment-id 1 --preproduction",
                    "GET https://api.preprod.connect.worldline-solutions.com/v1/unset/payments/1"
                ),
                ExampleCommand(
                    "worldline-connect --step get-hosted-checkout --hosted-checkout-id h "
                        + "--origin https://connect.example",
                    "GET https://connect.example/v1/unset/hostedcheckouts/h"),
                ExampleCommand(
                    "worldline-connect --step approve --payment-id 1 --reference R-1 --operation o-1 "
                        + "--authorized-amount 3000 --currency EUR --amount 1000",
                    "POST https://api.connect.worldline-solutions.com/v1/unset/payments/1/approve",
                    #"{"amount":1000}"#),
                ExampleCommand(
                    "worldline-connect --step find-payments --merchant-reference R-1",
                    "GET https://api.connect.worldline-solutions.com/v1/unset/payments?merchantReference=R-1&limit=100"
                ),
            ] + followUps("worldline-connect", "https://api.connect.worldline-solutions.com/v1")
    }
}
