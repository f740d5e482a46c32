internal import ApplePayGateways
internal import ApplePayToken

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
                    merchant.bePaid.checkoutRequest(input.token, merchant.secret, contract: false)
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
        $0.commands =
            [
                ("payment", "transactions/payments"),
                ("authorization", "transactions/authorizations"),
                ("charge", "services/credit_cards/charges"),
            ].flatMap { step, path in
                let words =
                    "bepaid --step \(step) --shop-id 361 --secret-key-env SECRET --description Order "
                    + "--tracking-id R-1"
                return [
                    ExampleCommand(
                        words, "POST https://gateway.bepaid.by/\(path)",
                        #""token":"$begateway_apple_pay_decrypted_1_0_0$eyJ"#),
                    ExampleCommand(
                        "\(words) --encrypted --async --contract recurring",
                        "POST https://gateway.bepaid.by/async/\(path)",
                        #""token":"$begateway_apple_pay_1_0_0$eyJ"#),
                ]
            } + [
                ExampleCommand(
                    "bepaid --encrypted --step checkout-payment --checkout-token-env SECRET",
                    "POST https://checkout.bepaid.by/ctp/api/apple_pay/payment",
                    #""token":"top-secret","contract":false"#),
                ExampleCommand(
                    "bepaid --step validate-merchant --checkout-token-env SECRET --url https://a.example",
                    "POST https://checkout.bepaid.by/ctp/api/apple_pay/validate",
                    #""url":"https://a.example""#),
                ExampleCommand(
                    "bepaid --step status --shop-id 361 --secret-key-env SECRET --tracking-id o/1",
                    "GET https://gateway.bepaid.by/v2/transactions/tracking_id/o%2F1"),
                ExampleCommand(
                    "bepaid --step uid --shop-id 361 --secret-key-env SECRET --uid u1",
                    "GET https://gateway.bepaid.by/transactions/u1"),
                ExampleCommand(
                    "bepaid --step capture --uid u1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR",
                    "POST https://gateway.bepaid.by/transactions/captures",
                    #"{"request":{"parent_uid":"u1","amount":3000}}"#),
                ExampleCommand(
                    "bepaid --step void --uid u1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR",
                    "POST https://gateway.bepaid.by/transactions/voids",
                    #"{"request":{"parent_uid":"u1","amount":3000}}"#),
                ExampleCommand(
                    "bepaid --step refund --uid u1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR "
                        + "--amount 1 --reason returned",
                    "POST https://gateway.bepaid.by/transactions/refunds",
                    #"{"request":{"parent_uid":"u1","amount":1,"reason":"returned"}}"#),
            ]
    }

    /// Dintero.
    static let dintero = with(ExampleGateway("dintero")) {
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
        $0.commands = [
            ExampleCommand(
                "dintero --encrypted --operations FOLDER/operations.json --reference r1",
                "POST https://psp.dintero.example/s", #""reference":"r1""#),
            ExampleCommand(
                "dintero --step session --amount 20100 --currency NOK --access-token-env SECRET "
                    + "--return-url app://r --merchant-reference o1",
                "POST https://checkout.dintero.com/v1/sessions", #""amount":20100,"currency":"NOK""#
            ),
            ExampleCommand(
                "dintero --step operations --session-id P1 --empty-object",
                "POST https://checkout.dintero.com/v1/view/P1/payments/dintero_psp.applepay", "{}"),
            ExampleCommand(
                "dintero --step pay --session-id P1 --psp-transaction-id T1",
                "POST https://checkout.dintero.com/v1/sessions/P1/pay",
                #""psp_transaction_id":"T1""#),
            ExampleCommand(
                "dintero --step session --amount 20100 --currency NOK --return-url app://r "
                    + "--merchant-reference o1 --items FOLDER/items.json",
                "POST https://checkout.dintero.com/v1/sessions",
                #""items":[{"id":"i1","line_id":"1","description":"Item","amount":20100,"#
                    + #""quantity":2,"vat_amount":4020,"vat":25.5}]"#),
            ExampleCommand(
                "dintero --step get-session --session-id P1 --access-token-env SECRET",
                "GET https://checkout.dintero.com/v1/sessions/P1"),
            ExampleCommand(
                "dintero --step get-transaction --transaction-id T1 --access-token-env SECRET",
                "GET https://checkout.dintero.com/v1/transactions/T1"),
            ExampleCommand(
                "dintero --step capture --transaction-id T1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency NOK",
                "POST https://checkout.dintero.com/v1/transactions/T1/capture",
                #"{"amount":3000,"capture_reference":"#),
            ExampleCommand(
                "dintero --step void --transaction-id T1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency NOK",
                "POST https://checkout.dintero.com/v1/transactions/T1/void"),
            ExampleCommand(
                "dintero --step refund --transaction-id T1 --reference R-1 --operation o-1 --authorized-amount 3000 --currency NOK "
                    + "--amount 1000 --reason returned",
                "POST https://checkout.dintero.com/v1/transactions/T1/refund",
                #"{"amount":1000,"reason":"returned","refund_reference":"#),
            ExampleCommand(
                "dintero --step access-token --account-id P00000000 --client-id c1 --client-secret-env SECRET",
                "POST https://api.dintero.com/v1/accounts/P00000000/auth/token",
                "client_credentials"),
            ExampleCommand(
                "dintero --step find-transactions --merchant-reference R-1 --access-token-env SECRET",
                "GET https://checkout.dintero.com/v1/transactions?merchant_reference=R-1&limit=100"),
        ]
    }

    private static func submission(_ merchant: ExampleMerchant) throws -> Dintero.Submission {
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
                    $0.phone = merchant.text
                    $0.additionalParameters = [merchant.text: merchant.text]
                },
            ]
        }
        $0.commands = [
            ExampleCommand(
                "rbs --encrypted --origin https://pay.example --merchant shop --order-number 1001",
                "POST https://pay.example/payment/applepay/payment.do", #""paymentToken":"eyJ"#),
            ExampleCommand(
                "rbs --origin https://pay.example --user-name shop --password-env SECRET "
                    + "--order-number 1001 --prefix /gw",
                "POST https://pay.example/gw/applepay/paymentDirect.do", #""paymentToken":"eyJ"#),
            ExampleCommand(
                "rbs --step token-payment --origin https://pay.example --user-name shop "
                    + "--password-env SECRET --order-number 1001 --return-url https://shop.example/r",
                "POST https://pay.example/payment/token/payment.do", #""MM":"12","YYYY":"2025""#),
            ExampleCommand(
                "rbs --step order-status --origin https://pay.example --token-env SECRET --order-id o1",
                "POST https://pay.example/payment/rest/getOrderStatusExtended.do",
                "token=top-secret"),
            ExampleCommand(
                "rbs --step deposit --origin https://pay.example --user-name shop "
                    + "--password-env SECRET --order-id o1 --reference R-1 --operation o-1 "
                    + "--authorized-amount 3000 --currency EUR",
                "POST https://pay.example/payment/rest/deposit.do", "amount=0"),
            ExampleCommand(
                "rbs --step reverse --origin https://pay.example --token-env SECRET --order-id o1 "
                    + "--reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR",
                "POST https://pay.example/payment/rest/reverse.do",
                "token=top-secret&orderId=o1"),
            ExampleCommand(
                "rbs --step refund --origin https://pay.example --token-env SECRET --order-id o1 "
                    + "--reference R-1 --operation o-1 --authorized-amount 3000 --currency EUR --amount 1000",
                "POST https://pay.example/payment/rest/refund.do", "amount=1000"),
        ]
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
        $0.commands = [
            ExampleCommand(
                "intergiro --step login --api-key-env SECRET",
                "POST https://3d.intergiro.com/v3/auth/login", #"{"api_key":"top-secret"}"#),
            ExampleCommand(
                "intergiro --step refresh --refresh-token-env SECRET --staging",
                "POST https://3d.staging.intergiro.tech/v3/auth/refresh", "top-secret"),
            ExampleCommand(
                "intergiro --step tokenize --access-token-env SECRET --card-id k1",
                "POST https://3d.intergiro.com/v3/cards/k1/apple_pay/tokenize"),
            ExampleCommand(
                "intergiro --step consent --access-token-env SECRET --consent-id c1",
                "POST https://3d.intergiro.com/v3/consents/c1"),
        ]
    }
}
