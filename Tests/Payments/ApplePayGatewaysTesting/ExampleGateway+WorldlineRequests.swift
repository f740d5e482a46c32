internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    private static func account(_ name: String, _ members: String) -> String {
        #"{"gateway":"\#(name)","account":{"merchantId":"m-1"},"credentials":{"apiKeyId":"key-1","#
            + #""secretApiKey":{"env":"SECRET"}},\#(members)}"#
    }

    private static let pageOrder =
        #"{"reference":"R-1","amount":1000,"currency":"EUR","returnURL":"https://shop.example/return"}"#

    /// Returns the requests that follow a payment.
    private static func followUps(
        _ name: String, _ url: String, _ gateway: @escaping ExampleRequest.Library
    ) -> [ExampleRequest] {
        let file = account(name, #""environment":"live""#)
        let payment = "\(url)/m-1/payments/1_1"
        func operation(
            _ kind: PaymentOperation.Kind, _ amount: Int64? = nil, isFinal: Bool? = nil
        ) -> ExampleRequest.Call {
            .operation(
                ExampleRequest.operation(kind, amount) { $0.isFinal = isFinal }, paymentID: "1_1")
        }
        return [
            ExampleRequest(
                operation(.capture, 1000, isFinal: true), file, "POST \(payment)/capture",
                #"{"amount":1000,"isFinal":true}"#, library: gateway),
            ExampleRequest(
                operation(.cancellation), file, "POST \(payment)/cancel", library: gateway),
            ExampleRequest(
                operation(.refund), file, "POST \(payment)/refund",
                #"{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#, library: gateway),
            ExampleRequest(
                .status(paymentID: "1_1"), file,
                "GET \(payment)\(name == "worldline-direct" ? "/details" : "")", library: gateway),
            ExampleRequest(
                .status(session: "h"), file, "GET \(url)/m-1/hostedcheckouts/h", library: gateway),
        ]
    }

    /// The requests of Worldline Direct.
    static let worldlineDirectRequests: [ExampleRequest] = {
        let name = "worldline-direct"
        let live = "https://payment.direct.worldline-solutions.com/v2"
        return [
            ExampleRequest(
                .payment(),
                account(
                    name,
                    #""environment":"live","payment":{"authorizationMode":"SALE","requiresApproval":true,"#
                        + #""addressIndicator":"ship-to-store"}"#),
                order: #"{"reference":"R-1","amount":3000,"currency":"EUR","#
                    + #""customer":{"givenName":"Jane","familyName":"Doe","emailAddress":"jane@example.com","#
                    + #""addressLines":["Rue Haute 1"],"locality":"Bruxelles","countryCode":"BE"},"#
                    + #""shipping":{"name":{"givenName":"Jane"},"postalAddress":{"street":"Rue Basse 9"}}}"#,
                "POST \(live)/m-1/payments",
                #""shipping":{"addressIndicator":"ship-to-store","address":{"name":{"firstName":"Jane"},"#
                    + #""street":"Rue Basse 9"}}},"mobilePaymentMethodSpecificInput":{"#
                    + #""paymentProductId":302,"authorizationMode":"SALE","requiresApproval":true,"#
                    + #""decryptedPaymentData":{"dpan":"4761120010000492""#
            ) { merchant in
                .payments(
                    with(merchant.worldlineDirect) {
                        $0.options.authorizationMode = .sale
                        $0.options.requiresApproval = true
                        $0.options.addressIndicator = "ship-to-store"
                    })
            },
            ExampleRequest(
                .payment(),
                account(
                    name,
                    #""environment":"test","token":"encrypted","payment":{"applePay":{"tokenize":true,"#
                        + #""isRecurring":true,"isFirstRecurring":true}}"#),
                "POST https://payment.preprod.direct.worldline-solutions.com/v2/m-1/payments",
                #""tokenize":true,"isRecurring":true,"recurring":{"#
            ) { merchant in
                var gateway = WorldlineDirect(
                    merchantId: "m-1", credentials: merchant.apiKey, environment: .preproduction)
                gateway.options.sendsEncrypted = true
                var input = WorldlineDirect.ApplePayInput()
                input.tokenize = true
                input.isRecurring = true
                input.isFirstRecurring = true
                gateway.options.applePay = input
                return .payments(gateway)
            },
            ExampleRequest(
                .page,
                account(
                    name,
                    #""environment":"live","page":{"sessionTimeout":30,"allowedNumberOfPaymentAttempts":3,"#
                        + #""applePay":{"recurring":{"paymentDescription":"Magazine","#
                        + #""regularBilling":{"amount":999,"label":"Monthly","intervalUnit":"month"},"#
                        + #""trialBilling":{"amount":1,"label":"T","amountForm":"minorUnits"}}}}"#),
                order: pageOrder, "POST \(live)/m-1/hostedcheckouts",
                #""paymentDescription":"Magazine","regularBilling":{"amount":"9.99","label":"Monthly","#
                    + #""recurringPaymentIntervalUnit":"month"},"trialBilling":{"amount":"1","#
            ) { merchant in
                var regular = WorldlineDirect.LineItem(amount: 999, label: "Monthly")
                regular.intervalUnit = .month
                var trial = WorldlineDirect.LineItem(amount: 1, label: "T")
                trial.amountForm = .minorUnits
                var recurring = WorldlineDirect.RecurringRequest()
                recurring.paymentDescription = "Magazine"
                recurring.regularBilling = regular
                recurring.trialBilling = trial
                var applePay = WorldlineDirect.ApplePayInput()
                applePay.recurringRequest = recurring
                return .payments(
                    with(merchant.worldlineDirect) {
                        $0.pageOptions.sessionTimeout = 30
                        $0.pageOptions.allowedPaymentAttempts = 3
                        $0.pageOptions.applePay = applePay
                    })
            },
        ] + followUps(name, live) { .payments($0.worldlineDirect) }
    }()

    /// The requests of Worldline Connect.
    static let worldlineConnectRequests: [ExampleRequest] = {
        let name = "worldline-connect"
        let live = "https://api.connect.worldline-solutions.com/v1"
        let gateway: ExampleRequest.Library = { .payments($0.worldlineConnect) }
        return [
            ExampleRequest(
                .payment(),
                account(
                    name,
                    #""environment":"live","payment":{"eciForm":"string","tokenize":false}"#),
                order:
                    #"{"reference":"R-1","amount":3000,"currency":"EUR","customerReference":"c-1"}"#,
                "POST \(live)/m-1/payments", #""expiryDate":"1225","eci":"7"}}}"#
            ) { merchant in
                .payments(
                    with(merchant.worldlineConnect) {
                        $0.options.eciForm = .string
                        $0.options.tokenize = false
                    })
            },
            ExampleRequest(
                .payment(),
                account(
                    name,
                    #""environment":"test","token":"encrypted","payment":{"#
                        + #""recurringPaymentSequenceIndicator":"first","isFirstUnscheduled":true}"#
                ),
                "POST https://api.preprod.connect.worldline-solutions.com/v1/m-1/payments",
                #""encryptedPaymentData":"{\""#
            ) { merchant in
                var gateway = WorldlineConnect(
                    merchantId: "m-1", credentials: merchant.apiKey, environment: .preproduction)
                gateway.options.sendsEncrypted = true
                gateway.options.recurringPaymentSequenceIndicator = "first"
                gateway.options.isFirstUnscheduled = true
                return .payments(gateway)
            },
            ExampleRequest(
                .page, account(name, #""environment":"live""#),
                order: #"{"reference":"R-1","amount":100,"currency":"JPY","returnURL":"a:b","#
                    + #""storedCards":["t1","t2"]}"#,
                "POST \(live)/m-1/hostedcheckouts",
                #""amount":10000,"currencyCode":"JPY"},"references":{"merchantReference":"R-1"}},"#
                    + #""hostedCheckoutSpecificInput":{"returnUrl":"a:b","tokens":"t1,t2"}"#,
                library: gateway),
            ExampleRequest(
                .operation(
                    ExampleRequest.operation(.capture, 1000), paymentID: "1",
                    status: "PENDING_APPROVAL"),
                account(name, #""environment":"live","origin":"https://connect.example""#),
                "POST https://connect.example/v1/m-1/payments/1/approve", #"{"amount":1000}"#
            ) { merchant in
                .payments(
                    with(merchant.worldlineConnect) { $0.origin = "https://connect.example" })
            },
            ExampleRequest(
                .status(), account(name, #""environment":"live""#),
                "GET \(live)/m-1/payments?merchantReference=R-1&limit=100", library: gateway),
        ] + followUps(name, live, gateway)
    }()
}
