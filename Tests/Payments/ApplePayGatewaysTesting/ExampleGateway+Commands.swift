internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    /// The command lines of bePaid.
    static let bePaidCommands: [ExampleCommand] = {
        func account(_ members: String) -> String {
            #"{"gateway":"bepaid","environment":"live","account":{"shopId":"361"},"#
                + #""credentials":{"secretKey":{"env":"SECRET"}}\#(members)}"#
        }
        let order = ExampleCommand.describedOrder
        let server = "https://gateway.bepaid.by"
        let gateway: ExampleCommand.Account = { $0.bePaid }
        let payments = [
            (BePaid.Kind.payment, "payment", "transactions/payments"),
            (.authorization, "authorization", "transactions/authorizations"),
            (.charge, "charge", "services/credit_cards/charges"),
        ].flatMap { kind, name, path in
            [
                ExampleCommand(
                    "payment", account(#","payment":{"kind":"\#(name)"}"#), order: order,
                    "POST \(server)/\(path)", #""token":"$begateway_apple_pay_decrypted_1_0_0$eyJ"#,
                    library: ExampleCommand.payment { merchant in
                        with(merchant.bePaid) { $0.options.kind = kind }
                    }),
                ExampleCommand(
                    "payment",
                    account(
                        #","token":"encrypted","payment":{"kind":"\#(name)","asynchronous":true,"#
                            + #""contract":["recurring"]}"#), order: order,
                    "POST \(server)/async/\(path)", #""token":"$begateway_apple_pay_1_0_0$eyJ"#,
                    library: ExampleCommand.payment { merchant in
                        with(merchant.bePaid) {
                            $0.options.kind = kind
                            $0.options.sendsEncrypted = true
                            $0.options.isAsynchronous = true
                            $0.options.contract = [.recurring]
                        }
                    }),
            ]
        }
        let page = "https://checkout.bepaid.by/ctp/api/apple_pay"
        let options = "--payment-id u1 --operation o-1"
        return payments + [
            ExampleCommand(
                "checkout-payment", account(#","token":"encrypted""#),
                options: "--access-token-env SECRET",
                "POST \(page)/payment", #""token":"top-secret","contract":false"#
            ) { merchant, input in
                guard let payment = input.payment else { throw ExampleCommand.MissingInput() }
                return try merchant.bePaid.checkoutPayment(payment, checkoutToken: merchant.secret)
                    .request(at: input.date)
            },
            ExampleCommand(
                "validate-merchant", account(""), order: nil,
                options: "--access-token-env SECRET --url https://a.example",
                "POST \(page)/validate",
                #""url":"https://a.example""#
            ) { merchant, _ in
                merchant.bePaid.validateMerchant(
                    validationURL: "https://a.example", checkoutToken: merchant.secret)
            },
            ExampleCommand(
                "search", account(""), order: ExampleCommand.order.replacing("R-1", with: "o/1"),
                "GET \(server)/v2/transactions/tracking_id/o%2F1",
                library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "status", account(""), options: "--payment-id u1", "GET \(server)/transactions/u1"
            ) { merchant, _ in try merchant.bePaid.statusRequest(uid: "u1") },
            ExampleCommand(
                "capture", account(""), options: options, "POST \(server)/transactions/captures",
                #"{"request":{"parent_uid":"u1","amount":3000}}"#,
                library: ExampleCommand.operation(.capture, gateway)),
            ExampleCommand(
                "cancel", account(""), options: options, "POST \(server)/transactions/voids",
                #"{"request":{"parent_uid":"u1","amount":3000}}"#,
                library: ExampleCommand.operation(.cancellation, gateway)),
            ExampleCommand(
                "refund", account(""), options: "\(options) --amount 1 --reason returned",
                "POST \(server)/transactions/refunds",
                #"{"request":{"parent_uid":"u1","amount":1,"reason":"returned"}}"#,
                library: ExampleCommand.operation(.refund, gateway)),
        ]
    }()

    /// The command lines of Dintero.
    static let dinteroCommands: [ExampleCommand] = {
        func account(_ members: String = "") -> String {
            #"{"gateway":"dintero","environment":"live","account":{"accountId":"P00000000"},"#
                + #""credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}\#(members)}"#
        }
        let server = "https://checkout.dintero.com/v1"
        let gateway: ExampleCommand.Account = { $0.dintero }
        let order =
            #"{"reference":"o1","amount":20100,"currency":"NOK","returnURL":"app://r","items":[{"id":"i1","#
            + #""lineId":"1","description":"Item","amount":20100,"quantity":2,"taxAmount":4020,"#
            + #""taxBasisPoints":2550}]}"#
        let money = #"{"reference":"R-1","amount":3000,"currency":"NOK"}"#
        let token = "--access-token-env SECRET"
        let options = "--payment-id T1 --operation o-1 \(token)"
        return [
            ExampleCommand(
                "login", account(), order: nil,
                "POST https://api.dintero.com/v1/accounts/P00000000/auth/token",
                "client_credentials"
            ) { merchant, _ in
                try with(merchant.dintero) {
                    $0.credentials = .client(id: "c", secret: merchant.secret)
                }.loginRequest()
            },
            ExampleCommand(
                "session", account(), order: order, options: token, "POST \(server)/sessions",
                #""items":[{"id":"i1","line_id":"1","description":"Item","amount":20100,"#
                    + #""quantity":2,"vat_amount":4020,"vat":25.5}]"#
            ) { merchant, input in
                try Dintero.authorize(
                    merchant.dintero.sessionRequest(
                        ExampleCommand.order(input), ExampleCommand.attempt(input)),
                    merchant.secret)
            },
            ExampleCommand(
                "operations", account(#","payment":{"sendsEmptyObject":true}"#),
                options: "--session-id P1",
                "POST \(server)/view/P1/payments/dintero_psp.applepay", "{}"
            ) { merchant, _ in
                try with(merchant.dintero) { $0.options.sendsEmptyObject = true }
                    .operationsRequest(sessionID: "P1")
            },
            ExampleCommand(
                "payment", account(), options: "--previous FOLDER/operations.json",
                "POST https://psp.dintero.example/s", #""reference":"R-1""#
            ) { merchant, input in
                guard let payment = input.payment else { throw ExampleCommand.MissingInput() }
                return try merchant.dintero.paymentRequest(
                    PaymentInput(payment), to: submission(merchant))
            },
            ExampleCommand(
                "pay", account(), options: "--session-id P1 --payment-id T1",
                "POST \(server)/sessions/P1/pay", #""psp_transaction_id":"T1""#
            ) { merchant, _ in
                try merchant.dintero.payRequest(sessionID: "P1", transactionID: "T1")
            },
            ExampleCommand(
                "status", account(), options: "--payment-id T1 \(token)",
                "GET \(server)/transactions/T1",
                library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "session-status", account(), options: "--session-id P1 \(token)",
                "GET \(server)/sessions/P1", library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "search", account(), options: token,
                "GET \(server)/transactions?merchant_reference=R-1&limit=100",
                library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "capture", account(), order: money, options: options,
                "POST \(server)/transactions/T1/capture", #"{"amount":3000,"capture_reference":"#,
                library: ExampleCommand.operation(.capture, gateway)),
            ExampleCommand(
                "cancel", account(), order: money, options: options,
                "POST \(server)/transactions/T1/void",
                library: ExampleCommand.operation(.cancellation, gateway)),
            ExampleCommand(
                "refund", account(), order: money,
                options: "\(options) --amount 1000 --reason returned",
                "POST \(server)/transactions/T1/refund",
                #"{"amount":1000,"reason":"returned","refund_reference":"#,
                library: ExampleCommand.operation(.refund, gateway)),
        ]
    }()

    /// The command lines of RBS and BPC.
    static let rbsCommands: [ExampleCommand] = {
        func account(_ credentials: String, _ members: String = "", merchant: String = "") -> String
        {
            #"{"gateway":"rbs","origin":"https://pay.example","account":{\#(merchant)},"#
                + #""credentials":{\#(credentials)}\#(members)}"#
        }
        func gateway(
            _ kind: RBS.Kind, _ change: @escaping @Sendable (inout RBS, ExampleMerchant) -> Void
        ) -> ExampleCommand.Account {
            { merchant in
                var gateway = RBS(host: RBS.Host(origin: "https://pay.example"))
                gateway.options.kind = kind
                change(&gateway, merchant)
                return gateway
            }
        }
        let user = #""userName":"shop","password":{"env":"SECRET"}"#
        let byUser: @Sendable (inout RBS, ExampleMerchant) -> Void = {
            $0.user = RBS.User(name: "shop", password: $1.secret)
        }
        let byToken: @Sendable (inout RBS, ExampleMerchant) -> Void = {
            $0.token = $1.secret
            $0.merchant = "shop"
        }
        let encrypted = account(
            #""token":{"env":"SECRET"}"#, #","token":"encrypted""#, merchant: #""merchant":"shop""#)
        let server = "https://pay.example/payment"
        let options = "--payment-id o1 --operation o-1"
        return [
            ExampleCommand(
                "payment", encrypted, "POST \(server)/applepay/payment.do",
                #""paymentToken":"eyJ"#,
                library: ExampleCommand.payment(
                    gateway(.encrypted) { gateway, _ in gateway.merchant = "shop" })),
            ExampleCommand(
                "payment", account(user, merchant: #""prefix":"/gw""#),
                "POST https://pay.example/gw/applepay/paymentDirect.do", #""paymentToken":"eyJ"#,
                library: ExampleCommand.payment(
                    gateway(.decrypted) {
                        byUser(&$0, $1)
                        $0.host.prefix = "/gw"
                    })),
            ExampleCommand(
                "payment", account(user, #","payment":{"paysWithToken":true}"#),
                order: ExampleCommand.describedOrder, "POST \(server)/token/payment.do",
                #""MM":"12","YYYY":"2025""#,
                library: ExampleCommand.payment(gateway(.token, byUser))),
            ExampleCommand(
                "status", encrypted, options: "--payment-id o1",
                "POST \(server)/rest/getOrderStatusExtended.do", "token=top-secret",
                library: ExampleCommand.status(gateway(.encrypted, byToken))),
            ExampleCommand(
                "status", account(user, merchant: #""merchantLogin":"m""#),
                "POST \(server)/rest/getOrderStatusExtended.do", "orderNumber=R-1&merchantLogin=m",
                library: ExampleCommand.status(
                    gateway(.decrypted) {
                        byUser(&$0, $1)
                        $0.options.merchantLogin = "m"
                    })),
            ExampleCommand(
                "capture", account(user), options: options, "POST \(server)/rest/deposit.do",
                "amount=0",
                library: ExampleCommand.operation(.capture, gateway(.decrypted, byUser))),
            ExampleCommand(
                "cancel", encrypted, options: options, "POST \(server)/rest/reverse.do",
                "token=top-secret&orderId=o1",
                library: ExampleCommand.operation(.cancellation, gateway(.encrypted, byToken))),
            ExampleCommand(
                "refund", encrypted, options: "\(options) --amount 1000",
                "POST \(server)/rest/refund.do",
                "amount=1000",
                library: ExampleCommand.operation(.refund, gateway(.encrypted, byToken))),
        ]
    }()
}
