internal import ApplePayAcceptance
internal import ApplePayGateways
internal import Foundation

extension ExampleGateway {
    /// The date of signed examples: 2026-11-21 08:30:00 UTC.
    private static let time = Date(timeIntervalSince1970: 1_795_249_800)

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
                #"{"creationOutput":{"token":"\#(merchant.text)"},"payment":{"id":"1","status":"s","paymentOutput":{"#
                    + #""mobilePaymentMethodSpecificOutput":{"paymentData":{"dpan":"\#(merchant.text)","#
                    + #""expiryDate":"\#(merchant.text)"}}}}}"#)
            var gateway = merchant.worldlineDirect
            gateway.webhookKeys = ["key-1": merchant.secret]
            return [
                contact, gateway, merchant.apiKey, answer,
                Worldline.paymentReport(answer, .direct), try answer.object() as Any,
            ]
        }
        $0.requests = worldlineDirectRequests
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
        $0.requests = worldlineConnectRequests
    }
}
