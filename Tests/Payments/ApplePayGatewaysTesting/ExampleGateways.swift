internal import ApplePayGateways
import ApplePayOtherGateways
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
        $0.requests = cyberSourceRequests
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
        $0.requests = checkoutRequests
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
        $0.requests = adyenRequests
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
        $0.requests = payPalRequests
    }
}
