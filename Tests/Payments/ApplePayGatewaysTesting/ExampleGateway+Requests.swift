internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    /// The requests of bePaid.
    static let bePaidRequests: [ExampleRequest] = {
        func account(_ members: String) -> String {
            #"{"gateway":"bepaid","environment":"live","account":{"shopId":"361"},"#
                + #""credentials":{"secretKey":{"env":"SECRET"}}\#(members)}"#
        }
        let order = ExampleRequest.describedOrder
        let server = "https://gateway.bepaid.by"
        let gateway: ExampleRequest.Library = { .payments($0.bePaid) }
        let payments = [
            (BePaid.Kind.payment, "payment", "transactions/payments"),
            (.authorization, "authorization", "transactions/authorizations"),
            (.charge, "charge", "services/credit_cards/charges"),
        ].flatMap { kind, name, path in
            [
                ExampleRequest(
                    .payment(), account(#","payment":{"kind":"\#(name)"}"#), order: order,
                    "POST \(server)/\(path)", #""token":"$begateway_apple_pay_decrypted_1_0_0$eyJ"#
                ) { merchant in .payments(with(merchant.bePaid) { $0.options.kind = kind }) },
                ExampleRequest(
                    .payment(),
                    account(
                        #","token":"encrypted","payment":{"kind":"\#(name)","asynchronous":true,"#
                            + #""contract":["recurring"]}"#), order: order,
                    "POST \(server)/async/\(path)", #""token":"$begateway_apple_pay_1_0_0$eyJ"#
                ) { merchant in
                    .payments(
                        with(merchant.bePaid) {
                            $0.options.kind = kind
                            $0.options.sendsEncrypted = true
                            $0.options.isAsynchronous = true
                            $0.options.contract = [.recurring]
                        })
                },
            ]
        }
        let page = "https://checkout.bepaid.by/ctp/api"
        let checkout =
            #"{"checkout":{"shop_id":"361","finished":false,"expired":false,"test":false,"#
            + #""order":{"tracking_id":"R-1","amount":3000,"currency":"EUR"}}}"#
        let transactions =
            #"{"transactions":[{"uid":"u1","type":"payment","status":"successful","amount":3000,"#
            + #""currency":"EUR","tracking_id":"R-1"}]}"#
        let encrypted: ExampleRequest.Library = { merchant in
            .payments(with(merchant.bePaid) { $0.options.sendsEncrypted = true })
        }
        return payments + [
            ExampleRequest(
                .payment(session: "top-secret"), account(#","token":"encrypted""#), order: order,
                "GET \(page)/checkouts/top-secret", library: encrypted),
            ExampleRequest(
                .payment(session: "top-secret"),
                account(#","token":"encrypted","payment":{"checkoutContract":true}"#), order: order,
                after: [checkout],
                "POST \(page)/apple_pay/payment", #""token":"top-secret","contract":true"#
            ) { merchant in
                .payments(
                    with(merchant.bePaid) {
                        $0.options.sendsEncrypted = true
                        $0.checkoutContract = true
                    })
            },
            ExampleRequest(
                .status(), account(""),
                order: ExampleRequest.order.replacing("R-1", with: "o/1"),
                "GET \(server)/v2/transactions/tracking_id/o%2F1", library: gateway),
            ExampleRequest(
                .operation(ExampleRequest.operation(.capture), paymentID: "u1"), account(""),
                "POST \(server)/transactions/captures",
                #"{"request":{"parent_uid":"u1","amount":3000}}"#, library: gateway),
            ExampleRequest(
                .operation(ExampleRequest.operation(.cancellation), paymentID: "u1"), account(""),
                "POST \(server)/transactions/voids",
                #"{"request":{"parent_uid":"u1","amount":3000}}"#, library: gateway),
            ExampleRequest(
                .operation(
                    ExampleRequest.operation(.refund, 1) { $0.reason = "returned" },
                    paymentID: "u1"), account(""), after: [transactions],
                "POST \(server)/transactions/refunds",
                #"{"request":{"parent_uid":"u1","amount":1,"reason":"returned"}}"#, library: gateway
            ),
        ]
    }()

    /// The requests of Dintero.
    static let dinteroRequests: [ExampleRequest] = {
        func account(_ members: String = "") -> String {
            #"{"gateway":"dintero","environment":"live","account":{"accountId":"P00000000"},"#
                + #""credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}\#(members)}"#
        }
        let server = "https://checkout.dintero.com/v1"
        let client: @Sendable (ExampleMerchant) -> Dintero = { merchant in
            Dintero(
                accountID: "P00000000", credentials: .client(id: "c", secret: merchant.secret))
        }
        let gateway: ExampleRequest.Library = { .payments(client($0)) }
        let empty: ExampleRequest.Library = { merchant in
            .payments(with(client(merchant)) { $0.options.sendsEmptyObject = true })
        }
        let order =
            #"{"reference":"o1","amount":20100,"currency":"NOK","returnURL":"app://r","items":[{"id":"i1","#
            + #""lineId":"1","description":"Item","amount":20100,"quantity":2,"taxAmount":4020,"#
            + #""taxBasisPoints":2550}]}"#
        let money =
            #"{"reference":"R-1","amount":3000,"currency":"NOK","returnURL":"https://shop.example/r"}"#
        let login =
            #"{"access_token":"access","token_type":"Bearer","expires_in":86400}"#
        let session = #"{"id":"P00000000.s1","url":"https://checkout.dintero.com/v1/view/P1"}"#
        let operations =
            #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=top-secret","#
            + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#
        let submitted =
            #"{"payment_id":"p1","transaction_id":"T1","type":"APPLE_PAY_AUTHENTICATION"}"#
        let found =
            #"{"id":"P00000000.s1","order":{"amount":3000,"currency":"NOK","merchant_reference":"R-1"}}"#
        func operation(
            _ kind: PaymentOperation.Kind, _ amount: Int64? = nil, reason: ExactText? = nil
        ) -> ExampleRequest.Call {
            .operation(
                ExampleRequest.operation(kind, amount) { $0.reason = reason }, paymentID: "T1")
        }
        return [
            ExampleRequest(
                .payment(), account(), order: money,
                "POST https://api.dintero.com/v1/accounts/P00000000/auth/token",
                "client_credentials", library: gateway),
            ExampleRequest(
                .payment(), account(), order: order, after: [login], "POST \(server)/sessions",
                #""items":[{"id":"i1","line_id":"1","description":"Item","amount":20100,"#
                    + #""quantity":2,"vat_amount":4020,"vat":25.5}]"#, library: gateway),
            ExampleRequest(
                .payment(session: "P00000000.s1"), account(), order: money, after: [login],
                "GET \(server)/sessions/P00000000.s1", library: gateway),
            ExampleRequest(
                .payment(session: "P00000000.s1"),
                account(#","payment":{"sendsEmptyObject":true}"#),
                order: money, after: [login, found],
                "POST \(server)/view/P00000000.s1/payments/dintero_psp.applepay", "{}",
                library: empty),
            ExampleRequest(
                .payment(), account(), order: money, after: [login, session, operations],
                "POST https://psp.dintero.example/s", #""reference":"R-1""#, library: gateway),
            ExampleRequest(
                .payment(), account(), order: money,
                after: [login, session, operations, submitted],
                "POST \(server)/sessions/P00000000.s1/pay", #""psp_transaction_id":"T1""#,
                library: gateway),
            ExampleRequest(
                .status(paymentID: "T1"), account(), after: [login],
                "GET \(server)/transactions/T1", library: gateway),
            ExampleRequest(
                .status(session: "P1"), account(), after: [login], "GET \(server)/sessions/P1",
                library: gateway),
            ExampleRequest(
                .status(), account(), after: [login],
                "GET \(server)/transactions?merchant_reference=R-1&limit=100", library: gateway),
            ExampleRequest(
                operation(.capture), account(), order: money, after: [login],
                "POST \(server)/transactions/T1/capture", #"{"amount":3000,"capture_reference":"#,
                library: gateway),
            ExampleRequest(
                operation(.cancellation), account(), order: money, after: [login],
                "POST \(server)/transactions/T1/void", library: gateway),
            ExampleRequest(
                operation(.refund, 1000, reason: "returned"), account(), order: money,
                after: [login], "POST \(server)/transactions/T1/refund",
                #"{"amount":1000,"reason":"returned","refund_reference":"#, library: gateway),
        ]
    }()

    /// The requests of RBS and BPC.
    static let rbsRequests: [ExampleRequest] = {
        func account(_ credentials: String, _ members: String = "", merchant: String = "") -> String
        {
            #"{"gateway":"rbs","environment":"live","origin":"https://pay.example","account":{"identifier":"s"\#(merchant)},"#
                + #""credentials":{\#(credentials)}\#(members)}"#
        }
        func gateway(
            _ kind: RBS.Kind, _ change: @escaping @Sendable (inout RBS, ExampleMerchant) -> Void
        ) -> ExampleRequest.Library {
            { merchant in
                var gateway = RBS(host: RBS.Host(origin: "https://pay.example", isTest: false))
                gateway.options.kind = kind
                change(&gateway, merchant)
                return .payments(gateway)
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
            #""token":{"env":"SECRET"}"#, #","token":"encrypted""#, merchant: #","merchant":"shop""#
        )
        let server = "https://pay.example/payment"
        return [
            ExampleRequest(
                .payment(), encrypted, "POST \(server)/applepay/payment.do",
                #""paymentToken":"eyJ"#, library: gateway(.encrypted, byToken)),
            ExampleRequest(
                .payment(), account(user, merchant: #","prefix":"/gw""#),
                "POST https://pay.example/gw/applepay/paymentDirect.do", #""paymentToken":"eyJ"#,
                library: gateway(.decrypted) {
                    byUser(&$0, $1)
                    $0.host.prefix = "/gw"
                }),
            ExampleRequest(
                .payment(), account(user, #","payment":{"paysWithToken":true}"#),
                order: ExampleRequest.describedOrder, "POST \(server)/token/payment.do",
                #""MM":"12","YYYY":"2025""#, library: gateway(.token, byUser)),
            ExampleRequest(
                .status(paymentID: "o1"), encrypted,
                "POST \(server)/rest/getOrderStatusExtended.do", "token=top-secret",
                library: gateway(.encrypted, byToken)),
            ExampleRequest(
                .status(), account(user, merchant: #","merchantLogin":"m""#),
                "POST \(server)/rest/getOrderStatusExtended.do", "orderNumber=R-1&merchantLogin=m",
                library: gateway(.decrypted) {
                    byUser(&$0, $1)
                    $0.options.merchantLogin = "m"
                }),
            ExampleRequest(
                .operation(ExampleRequest.operation(.capture), paymentID: "o1"), account(user),
                "POST \(server)/rest/deposit.do", "amount=0", library: gateway(.decrypted, byUser)),
            ExampleRequest(
                .operation(ExampleRequest.operation(.cancellation), paymentID: "o1"), encrypted,
                "POST \(server)/rest/reverse.do", "token=top-secret&orderId=o1",
                library: gateway(.encrypted, byToken)),
            ExampleRequest(
                .operation(ExampleRequest.operation(.refund, 1000), paymentID: "o1"), encrypted,
                "POST \(server)/rest/refund.do", "amount=1000",
                library: gateway(.encrypted, byToken)),
        ]
    }()
}
