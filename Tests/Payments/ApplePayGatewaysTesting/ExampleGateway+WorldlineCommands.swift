internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayToken

extension ExampleGateway {
    private static func account(_ name: String, _ members: String) -> String {
        #"{"gateway":"\#(name)","account":{"merchantId":"m-1"},"credentials":{"apiKeyId":"key-1","#
            + #""secretApiKey":{"env":"SECRET"}},\#(members)}"#
    }

    private static let pageOrder =
        #"{"reference":"R-1","amount":1000,"currency":"EUR","returnURL":"https://shop.example/return"}"#

    /// Returns the command lines of the steps that follow a payment.
    private static func followUps(
        _ name: String, _ url: String, _ gateway: @escaping ExampleCommand.Account
    ) -> [ExampleCommand] {
        let file = account(name, #""environment":"live""#)
        let payment = "\(url)/m-1/payments/1_1"
        let options = "--payment-id 1_1 --operation o-1"
        return [
            ExampleCommand(
                "capture", file, options: "\(options) --amount 1000 --final true",
                "POST \(payment)/capture", #"{"amount":1000,"isFinal":true}"#,
                library: ExampleCommand.operation(.capture, gateway)),
            ExampleCommand(
                "cancel", file, options: options, "POST \(payment)/cancel",
                library: ExampleCommand.operation(.cancellation, gateway)),
            ExampleCommand(
                "refund", file, options: options, "POST \(payment)/refund",
                #"{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}"#,
                library: ExampleCommand.operation(.refund, gateway)),
            ExampleCommand(
                "status", file, options: "--payment-id 1_1",
                "GET \(payment)\(name == "worldline-direct" ? "/details" : "")",
                library: ExampleCommand.status(gateway)),
            ExampleCommand(
                "page-status", file, options: "--session-id h", "GET \(url)/m-1/hostedcheckouts/h",
                library: ExampleCommand.status(gateway)),
        ]
    }

    /// The command lines of Worldline Direct.
    static let worldlineDirectCommands: [ExampleCommand] = {
        let name = "worldline-direct"
        let live = "https://payment.direct.worldline-solutions.com/v2"
        let gateway: ExampleCommand.Account = { $0.worldlineDirect }
        return [
            ExampleCommand(
                "payment",
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
                    + #""decryptedPaymentData":{"dpan":"4761120010000492""#,
                library: ExampleCommand.payment { merchant in
                    with(merchant.worldlineDirect) {
                        $0.options.authorizationMode = .sale
                        $0.options.requiresApproval = true
                        $0.options.addressIndicator = "ship-to-store"
                    }
                }),
            ExampleCommand(
                "payment",
                account(
                    name,
                    #""environment":"test","token":"encrypted","payment":{"applePay":{"tokenize":true,"#
                        + #""isRecurring":true,"isFirstRecurring":true}}"#),
                options: "--key a-1",
                "POST https://payment.preprod.direct.worldline-solutions.com/v2/m-1/payments",
                #""tokenize":true,"isRecurring":true,"recurring":{"#,
                library: ExampleCommand.payment { merchant in
                    var gateway = WorldlineDirect(
                        merchantId: "m-1", credentials: merchant.apiKey, environment: .preproduction
                    )
                    gateway.options.sendsEncrypted = true
                    var input = WorldlineDirect.ApplePayInput()
                    input.tokenize = true
                    input.isRecurring = true
                    input.isFirstRecurring = true
                    gateway.options.applePay = input
                    return gateway
                }),
            ExampleCommand(
                "page",
                account(
                    name,
                    #""environment":"live","page":{"sessionTimeout":30,"allowedNumberOfPaymentAttempts":3,"#
                        + #""applePay":{"recurring":{"paymentDescription":"Magazine","#
                        + #""regularBilling":{"amount":999,"label":"Monthly","intervalUnit":"month"},"#
                        + #""trialBilling":{"amount":1,"label":"T","amountForm":"minorUnits"}}}}"#),
                order: pageOrder, "POST \(live)/m-1/hostedcheckouts",
                #""paymentDescription":"Magazine","regularBilling":{"amount":"9.99","label":"Monthly","#
                    + #""recurringPaymentIntervalUnit":"month"},"trialBilling":{"amount":"1","#
            ) { merchant, input in
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
                return try merchant.worldlineDirect.hostedPage(
                    for: ExampleCommand.order(input), ExampleCommand.attempt(input),
                    sessionTimeout: 30, allowedPaymentAttempts: 3, applePay: applePay
                ).request(at: input.date)
            },
        ] + followUps(name, live, gateway)
    }()

    /// The command lines of Worldline Connect.
    static let worldlineConnectCommands: [ExampleCommand] = {
        let name = "worldline-connect"
        let live = "https://api.connect.worldline-solutions.com/v1"
        let gateway: ExampleCommand.Account = { $0.worldlineConnect }
        return [
            ExampleCommand(
                "payment",
                account(
                    name,
                    #""environment":"live","payment":{"eciForm":"string","tokenize":false}"#),
                order:
                    #"{"reference":"R-1","amount":3000,"currency":"EUR","customerReference":"c-1"}"#,
                "POST \(live)/m-1/payments", #""expiryDate":"1225","eci":"7"}}}"#,
                library: ExampleCommand.payment { merchant in
                    with(merchant.worldlineConnect) {
                        $0.options.eciForm = .string
                        $0.options.tokenize = false
                    }
                }),
            ExampleCommand(
                "payment",
                account(
                    name,
                    #""environment":"test","token":"encrypted","payment":{"#
                        + #""recurringPaymentSequenceIndicator":"first"}"#),
                "POST https://api.preprod.connect.worldline-solutions.com/v1/m-1/payments",
                #""encryptedPaymentData":"{\""#,
                library: ExampleCommand.payment { merchant in
                    var gateway = WorldlineConnect(
                        merchantId: "m-1", credentials: merchant.apiKey, environment: .preproduction
                    )
                    gateway.options.sendsEncrypted = true
                    gateway.options.recurringPaymentSequenceIndicator = "first"
                    return gateway
                }),
            ExampleCommand(
                "page", account(name, #""environment":"live""#),
                order: #"{"reference":"R-1","amount":100,"currency":"JPY","returnURL":"a:b","#
                    + #""storedCards":["t1","t2"]}"#,
                "POST \(live)/m-1/hostedcheckouts",
                #""amount":10000,"currencyCode":"JPY"},"references":{"merchantReference":"R-1"}},"#
                    + #""hostedCheckoutSpecificInput":{"returnUrl":"a:b","tokens":"t1,t2"}"#
            ) { merchant, input in
                try merchant.worldlineConnect.hostedPage(
                    for: ExampleCommand.order(input), ExampleCommand.attempt(input)
                ).request(at: input.date)
            },
            ExampleCommand(
                "approve", account(name, #""origin":"https://connect.example""#),
                options: "--payment-id 1 --operation o-1 --amount 1000",
                "POST https://connect.example/v1/m-1/payments/1/approve", #"{"amount":1000}"#,
                library: ExampleCommand.operation(
                    .capture,
                    { merchant in
                        with(merchant.worldlineConnect) { $0.origin = "https://connect.example" }
                    }, status: "PENDING_APPROVAL")),
            ExampleCommand(
                "search", account(name, #""environment":"live""#),
                "GET \(live)/m-1/payments?merchantReference=R-1&limit=100",
                library: ExampleCommand.status(gateway)),
        ] + followUps(name, live, gateway)
    }()
}
