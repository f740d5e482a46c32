internal import ApplePayAcceptance
internal import ApplePayGateways

extension ExampleGateway {
    /// bePaid, and other gateways that run beGateway.
    static let bePaid = with(ExampleGateway("bepaid")) {
        $0.opened = [
            Opened(
                name: "bepaid",
                make: { input, merchant in try merchant.bePaid.paymentRequest(input) },
                expiry: { #""applicationExpirationDate":"3011\#($0)""# },
                eci: { eci, _ in #""eciIndicator":"\#(eci)""# },
                amount: { #""amount":\#($0.minorUnits),"# },
                authorization: { $0.basicAuthorization })
        ]
        $0.encrypted = [
            Encrypted(
                name: "bepaid",
                make: { input, merchant in try merchant.bePaid.paymentRequest(input) },
                authorization: { $0.basicAuthorization }),
            Encrypted(
                name: "bepaid-checkout",
                make: { input, merchant in
                    merchant.bePaid.checkoutRequest(input.token, ExactText(merchant.text))
                }),
        ]
        $0.values = { payment, merchant in
            guard let currency = payment.currency else { return [] }
            let order = Order(reference: "1", amount: payment.amount, currency: currency)
            let input = try PaymentInput.example(payment, order)
            let answer = GatewayResponse(
                #"{"transaction":{"status":"s","credit_card":{"token":"\#(merchant.text)"}}}"#)
            return [
                merchant.bePaid, try merchant.bePaid.tokenString(input), answer,
                BePaid.paymentReport(answer),
            ]
        }
        $0.requests = bePaidRequests
    }

    /// Dintero.
    static let dintero = with(ExampleGateway("dintero")) {
        $0.hasOneServer = true
        $0.encrypted = [
            Encrypted(
                name: "dintero",
                make: { input, merchant in
                    try merchant.dintero.paymentRequest(input, to: submission(merchant))
                }, authorization: { $0.text })
        ]
        $0.others = { input, merchant in
            let gateway = merchant.dintero
            let client = OAuthCredentials.client(id: "c", secret: merchant.secret)
            return [
                try Dintero.authorize(
                    gateway.sessionRequest(input.order, input.attempt), merchant.secret),
                try with(gateway) { $0.credentials = client }.loginRequest(),
            ]
        }
        $0.values = { _, merchant in
            [
                try submission(merchant),
                with(merchant.dintero) { $0.callbackSecret = merchant.secret },
            ]
        }
        $0.requests = dinteroRequests
    }

    static func submission(_ merchant: ExampleMerchant) throws -> Dintero.Submission {
        let token = merchant.text.replacing("+", with: "%2B")
        return try Dintero.submission(
            GatewayResponse(
                #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=\#(token)","#
                    + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#))
    }

    /// RBS and BPC.
    static let rbs = with(ExampleGateway("rbs")) {
        $0.opened = [
            Opened(
                name: "rbs-direct",
                make: { input, merchant in try merchant.rbs(.decrypted).paymentRequest(input) },
                expiry: { #""applicationExpirationDate":"3011\#($0)""# },
                eci: { eci, _ in #""eciIndicator":"\#(eci)""# },
                amount: { #""transactionAmount":\#($0.minorUnits),"# }),
            Opened(
                name: "rbs-token",
                make: { input, merchant in try merchant.rbs(.token).paymentRequest(input) },
                expiry: { _ in #""MM":"11","YYYY":"2030""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.minorUnits),"# }),
        ]
        $0.encrypted = [
            Encrypted(
                name: "rbs",
                make: { input, merchant in try merchant.rbs(.encrypted).paymentRequest(input) })
        ]
        $0.others = { input, merchant in
            var gateway = merchant.rbs(.encrypted)
            let byUser = try gateway.statusRequest(input.attempt)
            (gateway.user, gateway.token) = (nil, merchant.secret)
            var attempt = input.attempt
            attempt.paymentID = "1"
            return [byUser, try gateway.statusRequest(attempt)]
        }
        $0.values = { _, merchant in
            [
                merchant.rbs(.token),
                with(RBS.Options()) {
                    $0.additionalParameters = [ExactText(merchant.text): ExactText(merchant.text)]
                },
            ]
        }
        $0.requests = rbsRequests
    }

    /// Intergiro.
    static let intergiro = with(ExampleGateway("intergiro")) {
        $0.others = { _, merchant in
            let service = merchant.intergiro
            return [
                try service.loginRequest(), try service.tokenizeRequest("1", merchant.secret),
                try service.consentRequest("1", merchant.secret, returnURL: nil),
            ]
        }
        $0.values = { _, merchant in
            let answer = GatewayResponse(#"{"method":{"token":"\#(merchant.text)"}}"#)
            return [merchant.intergiro, Intergiro.consentOutcome(answer, isBrowser: false)]
        }
        $0.requests = intergiroRequests
    }
}
