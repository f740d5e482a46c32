internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    /// bePaid, and other gateways that run beGateway.
    static let bePaid = with(ExampleGateway("bepaid")) {
        $0.opened = [
            Opened(
                name: "bepaid",
                make: { payment, order, merchant in
                    try BePaid.transaction(
                        .payment, payment, order: order, shop: merchant.shop,
                        options: .init(description: "d"))
                },
                expiry: { #""applicationExpirationDate":"3011\#($0)""# },
                eci: { eci, _ in #""eciIndicator":"\#(eci)""# },
                amount: { #""amount":\#($0.minorUnits),"# },
                authorization: { $0.basicAuthorization })
        ]
        $0.encrypted = [
            Encrypted(
                name: "bepaid",
                make: { token, order, merchant in
                    try BePaid.transaction(
                        .payment, token, order: order, shop: merchant.shop,
                        options: .init(description: "d"))
                }, authorization: { $0.basicAuthorization }),
            Encrypted(
                name: "bepaid-checkout",
                make: { token, _, merchant in
                    BePaid.checkoutPayment(token, checkoutToken: merchant.secret, contract: false)
                }),
        ]
        $0.values = { payment, merchant in
            let customer = with(BePaid.Customer()) {
                $0.ip = merchant.text
                $0.email = merchant.text
            }
            let address = with(BePaid.BillingAddress()) {
                $0.firstName = merchant.text
                $0.city = merchant.text
            }
            let options = with(BePaid.TransactionOptions(description: "Order")) {
                $0.customer = customer
                $0.billingAddress = address
            }
            return [
                merchant.shop, try BePaid.tokenString(payment), BePaid.tokenString(payment.token),
                options, customer, address,
                try BePaid.TransactionAnswer(
                    GatewayResponse(
                        #"{"transaction":{"status":"s","credit_card":{"token":"\#(merchant.text)"}}}"#
                    )),
            ]
        }
        for step in ["payment", "authorization", "charge", "checkout-payment"] {
            $0.outcomes["bepaid-\(step)"] = { try BePaid.TransactionAnswer($0).isSuccessful }
        }
        $0.outcomes["bepaid-validate-merchant"] = { $0.status == 200 }
        $0.outcomes["bepaid-status"] = { try BePaid.StatusAnswer($0).outcome == .paid }
        for step in ["capture", "void", "refund"] {
            $0.outcomes["bepaid-\(step)"] = { try BePaid.TransactionAnswer($0).outcome == .paid }
        }
        $0.commands =
            [
                ("payment", "transactions/payments"),
                ("authorization", "transactions/authorizations"),
                ("charge", "services/credit_cards/charges"),
            ].flatMap { step, path in
                let words =
                    "bepaid --step \(step) --shop-id 361 --secret-key-env SECRET --description Order"
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
                    "bepaid --step capture --uid u1 --authorized-amount 3000 --currency EUR",
                    "POST https://gateway.bepaid.by/transactions/captures",
                    #"{"request":{"parent_uid":"u1","amount":3000}}"#),
                ExampleCommand(
                    "bepaid --step void --uid u1 --authorized-amount 3000 --currency EUR",
                    "POST https://gateway.bepaid.by/transactions/voids",
                    #"{"request":{"parent_uid":"u1","amount":3000}}"#),
                ExampleCommand(
                    "bepaid --step refund --uid u1 --authorized-amount 3000 --currency EUR "
                        + "--amount 1 --reason returned --request-id r1",
                    "POST https://gateway.bepaid.by/transactions/refunds",
                    #"{"request":{"parent_uid":"u1","amount":1,"reason":"returned"}}"#),
            ]
    }

    /// Dintero.
    static let dintero = with(ExampleGateway("dintero")) {
        $0.encrypted = [
            Encrypted(
                name: "dintero",
                make: { token, _, merchant in
                    Dintero.submitToken(token, to: try submission(merchant), reference: "r1")
                }, authorization: { $0.text })
        ]
        $0.others = { _, order, merchant in
            [
                try Dintero.createSession(
                    .init(returnURL: "a:b", merchantReference: "1"), order: order,
                    accessToken: merchant.secret)
            ]
        }
        $0.values = { _, merchant in [try submission(merchant), try operations(merchant)] }
        $0.outcomes = [
            "dintero-session": { try Dintero.SessionAnswer($0).sessionId != nil },
            "dintero-operations": { try Dintero.OperationsAnswer($0).submission != nil },
            "dintero-token": { try Dintero.SubmissionAnswer($0).transactionId != nil },
            "dintero-pay": { try Dintero.PayAnswer($0).isSuccessful },
            "dintero-get-session": { try Dintero.SessionStatusAnswer($0).transactionId != nil },
            "dintero-get-transaction": {
                try Dintero.TransactionAnswer($0).outcome == .authorized
            },
            "dintero-capture": { try Dintero.TransactionAnswer($0, .capture).outcome == .paid },
            "dintero-void": { try Dintero.TransactionAnswer($0, .cancel).outcome == .paid },
            "dintero-refund": { try Dintero.TransactionAnswer($0, .refund).outcome == .paid },
        ]
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
                "dintero --step capture --transaction-id T1 --authorized-amount 3000 --currency NOK",
                "POST https://checkout.dintero.com/v1/transactions/T1/capture",
                #"{"amount":3000}"#),
            ExampleCommand(
                "dintero --step void --transaction-id T1 --authorized-amount 3000 --currency NOK",
                "POST https://checkout.dintero.com/v1/transactions/T1/void"),
            ExampleCommand(
                "dintero --step refund --transaction-id T1 --authorized-amount 3000 --currency NOK "
                    + "--amount 1000 --reason returned",
                "POST https://checkout.dintero.com/v1/transactions/T1/refund",
                #"{"amount":1000,"reason":"returned"}"#),
        ]
    }

    private static func operations(
        _ merchant: ExampleMerchant
    ) throws -> Dintero.OperationsAnswer {
        let token = merchant.text.replacing("+", with: "%2B")
        return try Dintero.OperationsAnswer(
            GatewayResponse(
                #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=\#(token)","#
                    + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#))
    }

    private static func submission(_ merchant: ExampleMerchant) throws -> Dintero.Submission {
        guard let submission = try operations(merchant).submission else {
            throw MissingSubmission()
        }
        return submission
    }

    /// The error if the example's answer does not contain the address for the token.
    private struct MissingSubmission: Error {}

    /// RBS and BPC.
    static let rbs = with(ExampleGateway("rbs")) {
        $0.opened = [
            Opened(
                name: "rbs-direct",
                make: { payment, order, merchant in
                    try RBS.paymentDirect(
                        payment, order: order, orderNumber: "1001", user: merchant.user,
                        host: .sandbox)
                },
                expiry: { #""applicationExpirationDate":"3011\#($0)""# },
                eci: { eci, _ in #""eciIndicator":"\#(eci)""# },
                amount: { #""transactionAmount":\#($0.minorUnits),"# }),
            Opened(
                name: "rbs-token",
                make: { payment, order, merchant in
                    try RBS.tokenPayment(
                        payment, order: order, user: merchant.user,
                        returnURL: "https://shop.example/r", host: .sandbox)
                },
                expiry: { _ in #""MM":"11","YYYY":"2030""# },
                eci: { _, digit in #""eci":\#(digit)}"# },
                amount: { #""amount":\#($0.minorUnits),"# }),
        ]
        $0.encrypted = [
            Encrypted(
                name: "rbs",
                make: { token, _, _ in
                    try RBS.payment(token, merchant: "shop", orderNumber: "1001", host: .sandbox)
                })
        ]
        $0.others = { _, _, merchant in
            [
                try RBS.orderStatus(
                    orderId: "1", credentials: .token(merchant.secret), host: .sandbox),
                try RBS.orderStatus(
                    orderId: "1", credentials: .user(merchant.user), host: .sandbox),
            ]
        }
        $0.values = { _, merchant in
            [
                merchant.user, RBS.Credentials.user(merchant.user),
                with(RBS.PaymentOptions()) {
                    $0.email = merchant.text
                    $0.additionalParameters = [merchant.text: merchant.text]
                },
                with(RBS.PaymentExtras()) { $0.phone = merchant.text },
                try RBS.OrderStatus(
                    GatewayResponse(
                        #"{"orderStatus":2,"cardAuthInfo":{"cardholderName":"\#(merchant.text)"}}"#)
                ),
            ]
        }
        $0.outcomes = [
            "rbs-payment": { try RBS.PaymentAnswer($0).success },
            "rbs-payment-direct": { try RBS.PaymentAnswer($0).success },
            "rbs-token-payment": { try RBS.PaymentAnswer($0).isPaid },
            "rbs-order-status": { try RBS.OrderStatus($0).isPaid },
            "rbs-deposit": { try RBS.DepositAnswer($0).isAccepted },
            "rbs-reverse": { try RBS.DepositAnswer($0).outcome == .paid },
            "rbs-refund": { try RBS.DepositAnswer($0).outcome == .paid },
        ]
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
                    + "--password-env SECRET --return-url https://shop.example/r",
                "POST https://pay.example/payment/token/payment.do", #""MM":"12","YYYY":"2025""#),
            ExampleCommand(
                "rbs --step order-status --origin https://pay.example --token-env SECRET --order-id o1",
                "POST https://pay.example/payment/rest/getOrderStatusExtended.do",
                "token=top-secret"),
            ExampleCommand(
                "rbs --step deposit --origin https://pay.example --user-name shop "
                    + "--password-env SECRET --order-id o1 --all",
                "POST https://pay.example/payment/rest/deposit.do", "amount=0"),
            ExampleCommand(
                "rbs --step reverse --origin https://pay.example --token-env SECRET --order-id o1",
                "POST https://pay.example/payment/rest/reverse.do",
                "token=top-secret&orderId=o1"),
            ExampleCommand(
                "rbs --step refund --origin https://pay.example --token-env SECRET --order-id o1 "
                    + "--authorized-amount 3000 --currency EUR --amount 1000",
                "POST https://pay.example/payment/rest/refund.do", "amount=1000"),
        ]
    }

    /// Intergiro.
    static let intergiro = with(ExampleGateway("intergiro")) {
        $0.others = { _, _, merchant in
            [
                try Intergiro.login(apiKey: merchant.secret),
                try Intergiro.tokenize(cardID: "1", accessToken: merchant.secret),
            ]
        }
        $0.values = { _, merchant in
            [
                try Intergiro.SessionAnswer(
                    GatewayResponse(
                        #"{"access_token":"\#(merchant.text)","refresh_token":"\#(merchant.text)"}"#
                    )),
                try Intergiro.ConsentAnswer(
                    GatewayResponse(#"{"method":{"token":"\#(merchant.text)"}}"#)),
            ]
        }
        $0.outcomes = [
            "intergiro-login": { try Intergiro.SessionAnswer($0).accessToken != nil },
            "intergiro-refresh": { try Intergiro.SessionAnswer($0).accessToken != nil },
            "intergiro-tokenize": { try Intergiro.TokenizeAnswer($0).consent != nil },
            "intergiro-consent": { try Intergiro.ConsentAnswer($0).launchToken != nil },
        ]
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
