import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@Suite("What Worldline Direct and Connect share")
struct WorldlineTests {
    private func contact(_ json: String) throws -> PaymentContact {
        try PaymentContact(json: Array(json.utf8))
    }

    private func response(_ body: String, _ status: Int = 200) -> GatewayResponse {
        GatewayResponse(status: status, body: Array(body.utf8))
    }

    @Test(
        "signs as the vendor's SDKs do",
        arguments: [
            (
                "GET", nil, [], "/v2/1/tokens/2", "6Kj5HT0MQKC6D8eb7W3lTg71kVKVDSt1",
                "vCos01y77soPNJOW6kDCm4Bu5b2darAZ09PP7Wa+jRA="
            ),
            (
                "GET", nil, [], "/v1/9991/tokens/123456789", "6Kj5HT0MQKC6D8eb7W3lTg71kVKVDSt1",
                "9ond5EIN05dBXJGCLRK5om9pxHsyrh/12pZJ7bvmwNM="
            ),
            (
                "DELETE", "application/json",
                ["X-GCS-ServerMetaInfo", "X-GCS-CustomerHeader", "x-gcs-clientmetainfo"],
                "/v2/1/tokens/2", "secretApiKey", "jXG/ESTtRWawO4OOyxOrtWcQA8XkrZKeoHeGGIj4jws="
            ),
        ] as [(String, String?, [String], String, String, String)]
    )
    func signature(
        _ method: String,
        _ type: String?,
        _ names: [String],
        _ target: String,
        _ secret: String,
        _ expected: String
    ) throws {
        let text = Worldline.textToSign(
            method: method, contentType: type, date: "Fri, 06 Jun 2014 13:39:43 GMT",
            headers: names.map { ($0, "processed header value") } + [("X-Other", "unsigned")],
            target: target)
        let code = try Worldline.signature(of: text, GatewayFixture.secret(secret))
        let base64 = code.withRevealedBytes { bytes in
            Data(bytes.indices.map { bytes[$0] }).base64EncodedString()
        }
        #expect(base64 == expected)
    }

    @Test("dates requests as HTTP wants it, and masks the signature")
    func date() throws {
        let request = try WorldlineDirect.getPayment("p", account: WorldlineFixture.direct)
        let credentials = Worldline.Credentials(
            apiKeyId: "key-1", secretAPIKey: GatewayFixture.secret("k"))
        for (seconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_402_061_983, "Fri, 06 Jun 2014 13:39:43 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            let signed = try Worldline.authorize(
                request, credentials, date: Date(timeIntervalSince1970: Double(seconds)))
            #expect(signed.headers.map(\.name) == ["Date", "Authorization"])
            #expect(signed.headers.first?.revealValue() == text)
            #expect(!"\(signed)".contains("GCS"))
        }
        for seconds in [-1, 253_402_300_800, .infinity, .nan] as [Double] {
            GatewayFixture.expectRefusal(.unsupportedValue, "Date") {
                try Worldline.authorize(
                    request, credentials, date: Date(timeIntervalSince1970: seconds))
            }
        }
    }

    @Test("signs no path without the merchant, and with no key")
    func credentials() throws {
        let request = try WorldlineDirect.getPayment("p", account: WorldlineFixture.direct)
        func sign(_ request: GatewayRequest, _ id: String, _ secret: String) throws
            -> GatewayRequest
        {
            try Worldline.authorize(
                request, .init(apiKeyId: id, secretAPIKey: GatewayFixture.secret(secret)),
                date: Date(timeIntervalSince1970: 0))
        }
        GatewayFixture.expectRefusal(.unsupportedValue, "merchantId") {
            try sign(WorldlineDirect.getPayment("p"), "i", "k")
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "apiKeyId") {
            try sign(request, "", "k")
        }
        for id in ["a:b", "a b", "a\nb"] {
            GatewayFixture.expectRefusal(.unsupportedCharacter, "apiKeyId") {
                try sign(request, id, "k")
            }
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "secretApiKey") {
            try sign(request, "i", "")
        }
    }

    @Test("reads contacts of the web and of apps alike")
    func contacts() throws {
        let web = try contact(
            #"{"givenName":"Jane","familyName":"Doe","phoneticGivenName":"","emailAddress":"#
                + #""jane@example.com","phoneNumber":"+3225551234","addressLines":["Rue Haute 1","","#
                + #""bte 2"],"subLocality":"Centre","locality":"Bruxelles","postalCode":"1000","#
                + #""subAdministrativeArea":null,"administrativeArea":"BRU","country":"Belgium","#
                + #""countryCode":"BE"}"#)
        let native = try contact(
            #"{"name":{"givenName":"Jane","familyName":"Doe"},"emailAddress":"jane@example.com","#
                + #""phoneNumber":{"stringValue":"+3225551234"},"postalAddress":{"street":"#
                + #""Rue Haute 1\nbte 2","subLocality":"Centre","city":"Bruxelles","#
                + #""subAdministrativeArea":"","state":"BRU","postalCode":"1000","country":"Belgium","#
                + #""isoCountryCode":"be"}}"#)
        for contact in [web, native] {
            #expect(contact.givenName == "Jane" && contact.familyName == "Doe")
            #expect(contact.emailAddress == "jane@example.com")
            #expect(contact.phoneNumber == "+3225551234" && contact.country == "Belgium")
            #expect(contact.addressLines == ["Rue Haute 1", "bte 2"])
            #expect(contact.subAdministrativeArea == nil)
            let address = try #require(Worldline.Address(contact))
            #expect(address.street == "Rue Haute 1" && address.houseNumber == nil)
            #expect(address.additionalInfo == "bte 2, Centre" && address.zip == "1000")
            #expect(address.city == "Bruxelles" && address.state == "BRU")
            #expect(address.countryCode == "BE")
            #expect("\(contact) \(address)" == "PaymentContact(masked) Address(masked)")
        }
        #expect(try contact(#"{"phoneNumber":"1"}"#).phoneNumber == "1")
        #expect(try Worldline.Address(contact("{}")) == nil)
    }

    @Test("takes the email address and the phone number where they are")
    func customer() throws {
        let billing = try contact(#"{"givenName":"Jane"}"#)
        let shipping = try contact(
            #"{"givenName":"John","emailAddress":"j@example.com","phoneNumber":"+1"}"#)
        let customer = Worldline.Customer(billing: billing, shipping: shipping)
        #expect(customer.firstName == "Jane" && customer.surname == nil)
        #expect(customer.emailAddress == "j@example.com" && customer.phoneNumber == "+1")
        #expect(customer.billingAddress == nil)
        let destination = Worldline.Shipping(shipping)
        #expect(destination.firstName == "John" && destination.address == nil)
        let body = try WorldlineDirect.createPayment(
            GatewayFixture.payment(), order: GatewayFixture.order(),
            options: with(WorldlineDirect.CreatePaymentOptions()) {
                $0.customer = with(Worldline.Customer()) { $0.firstName = "Jane" }
                $0.shipping = destination
            }
        ).body?.revealText()
        #expect(
            body?.contains(
                #""customer":{"personalInformation":{"name":{"firstName":"Jane"}}},"#
                    + #""shipping":{"emailAddress":"j@example.com","#
                    + #""address":{"name":{"firstName":"John"}}}"#) == true)
    }

    @Test("leaves out objects of which nothing is known")
    func emptyContacts() throws {
        let nobody = try contact("{}")
        func order(
            _ customer: Worldline.Customer,
            _ shipping: Worldline.Shipping
        ) throws -> String {
            let body =
                try WorldlineDirect.createPayment(
                    GatewayFixture.payment(), order: GatewayFixture.order(),
                    options: with(WorldlineDirect.CreatePaymentOptions()) {
                        $0.customer = customer
                        $0.shipping = shipping
                    }
                ).body?.revealText() ?? ""
            return String(try #require(body.split(separator: #","mobile"#).first))
        }
        let money = #"{"order":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}"#
        #expect(try order(.init(billing: nobody), .init(nobody)) == "\(money)}")
        #expect(
            try order(
                with(Worldline.Customer()) { $0.billingAddress = .init() },
                with(Worldline.Shipping()) { $0.address = .init() }) == "\(money)}")
        #expect(
            try order(
                with(Worldline.Customer()) {
                    $0.emailAddress = "j@example.com"
                    $0.billingAddress = .init()
                },
                .init(nobody, addressIndicator: "same-as-billing"))
                == money + #","customer":{"contactDetails":{"emailAddress":"j@example.com"}},"#
                + #""shipping":{"addressIndicator":"same-as-billing"}}"#)
        #expect(
            try order(
                with(Worldline.Customer()) {
                    $0.billingAddress = with(Worldline.Address()) { $0.city = "Gent" }
                },
                with(Worldline.Shipping()) {
                    $0.surname = "Doe"
                    $0.address = .init()
                })
                == money + #","customer":{"billingAddress":{"city":"Gent"}},"#
                + #""shipping":{"address":{"name":{"surname":"Doe"}}}}"#)
    }

    @Test(
        "refuses what is no contact",
        arguments: [
            ("[]", .wrongType, ""), ("{", .notJSON, ""),
            (#"{"givenName":1}"#, .wrongType, "givenName"),
            (#"{"name":"Jane"}"#, .wrongType, "name"),
            (#"{"addressLines":"x"}"#, .wrongType, "addressLines"),
            (#"{"addressLines":[1]}"#, .wrongType, "addressLines"),
            (#"{"postalAddress":{"city":[]}}"#, .wrongType, "postalAddress.city"),
            (#"{"phoneNumber":{"stringValue":1}}"#, .wrongType, "phoneNumber.stringValue"),
            (#"{"phoneNumber":1}"#, .wrongType, "phoneNumber"),
        ] as [(String, UnreadableJSONError.Code, String)]
    )
    func malformedContact(_ json: String, _ code: UnreadableJSONError.Code, _ field: String) {
        let error = #expect(throws: UnreadableJSONError.self) { try contact(json) }
        #expect(error?.code == code && error?.field == field)
        #expect(error?.description.contains("contact") == true)
    }

    private static let payment =
        #"{"id":"3066019730_1","status":"PENDING_CAPTURE","statusOutput":{"isAuthorized":true,"#
        + #""isCancellable":true,"isRefundable":false,"statusCategory":"PENDING_MERCHANT","#
        + #""statusCode":"5","errors":null},"paymentOutput":{"amountOfMoney":{"amount":10000,"#
        + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1001"},"#
        + #""mobilePaymentMethodSpecificOutput":{"authorisationCode":"123456","network":"VISA","#
        + #""paymentProductId":302,"paymentData":{"dpan":"************7977","expiryDate":"1225"}}}}"#

    @Test("reads payments as CreatePayment wraps them and as GetPayment does not")
    func payments() throws {
        for body in [#"{"creationOutput":{},"payment":\#(Self.payment)}"#, Self.payment] {
            let answer = try Worldline.PaymentAnswer(response(body, 201))
            let payment = try #require(answer.payment)
            #expect(answer.isAuthorized && payment.id == "3066019730_1")
            #expect(payment.status == "PENDING_CAPTURE" && payment.statusCode == 5)
            #expect(payment.statusCategory == "PENDING_MERCHANT" && payment.isRefundable == false)
            #expect(payment.isCancellable == true && payment.amount == 10000)
            #expect(payment.currency == "EUR" && payment.merchantReference == "order-1001")
            #expect(payment.authorisationCode == "123456" && payment.network == "VISA")
            #expect(payment.paymentProductId == 302 && payment.errors.isEmpty)
            #expect(payment.dpan?.revealText() == "************7977")
            #expect(payment.expiryDate?.revealText() == "1225")
            #expect(try !Worldline.PaymentAnswer(response(body, 500)).isAuthorized)
        }
    }

    @Test(
        "decides by the payment's status, and by isAuthorized only where the status is not documented",
        arguments: [
            ("CAPTURED", "false", 201, true), ("PAID", "false", 200, true),
            ("CAPTURED", "false", 402, false), ("CAPTURE_REQUESTED", "true", 201, true),
            ("CAPTURE_REQUESTED", "false", 201, true), ("REFUNDED", "false", 200, false),
            ("PENDING_CAPTURE", "null", 201, true), ("PENDING_CAPTURE", "false", 201, true),
            ("NEW_WORD", "false", 201, false), ("NEW_WORD", "true", 201, true),
        ])
    func captured(_ state: String, _ flag: String, _ status: Int, _ isPaid: Bool) throws {
        let payment =
            #"{"id":"1","status":"\#(state)","statusOutput":{"isAuthorized":\#(flag),"#
            + #""isCancellable":false,"isRefundable":true,"statusCategory":"COMPLETED","statusCode":9}}"#
        for body in [payment, #"{"payment":\#(payment)}"#] {
            #expect(try Worldline.PaymentAnswer(response(body, status)).isAuthorized == isPaid)
        }
        let page = #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"payment":\#(payment)}}"#
        #expect(
            try Worldline.HostedCheckoutStatusAnswer(response(page, status)).isAuthorized == isPaid)
    }

    @Test("takes no 2xx for a success")
    func pending() throws {
        let answer = try Worldline.PaymentAnswer(
            response(
                #"{"merchantAction":{"actionType":"REDIRECT","redirectData":{"RETURNMAC":"x","#
                    + #""redirectURL":"https://r.example/1"}},"payment":{"id":"1","#
                    + #""status":"REDIRECTED","statusOutput":{"isAuthorized":false}}}"#, 201))
        #expect(!answer.isAuthorized && answer.actionType == "REDIRECT")
        #expect(answer.redirectURL == "https://r.example/1")
    }

    @Test("reads errors, with the payment that was refused and without one")
    func errors() throws {
        let refused = try Worldline.PaymentAnswer(
            response(
                #"{"errorId":"e-1","errors":[{"errorCode":"30511001","code":"old","category":"IO","#
                    + #""id":"INVALID_CARD","httpStatusCode":"402","message":"refused","#
                    + #""propertyName":"dpan","retriable":false},7],"paymentResult":{"payment":{"#
                    + #""id":"1","status":"REJECTED","statusOutput":{"isAuthorized":false,"#
                    + #""errors":[{"code":"430"}]}}}}"#, 402))
        #expect(!refused.isAuthorized && refused.errorId == "e-1" && refused.errors.count == 1)
        let error = try #require(refused.errors.first)
        #expect(error.code == "30511001" && error.category == "IO" && error.id == "INVALID_CARD")
        #expect(error.httpStatusCode == 402 && error.message == "refused")
        #expect(error.propertyName == "dpan" && error.isRetriable == false)
        #expect(refused.payment?.status == "REJECTED")
        #expect(refused.payment?.errors.first?.code == "430")
        let failed = try Worldline.PaymentAnswer(
            response(#"{"errorId":"e-2","errors":[{"code":"9002"}]}"#, 403))
        #expect(failed.payment == nil && failed.errors.first?.code == "9002")
        for (body, field) in [
            ("{}", "payment"), (#"{"payment":{"status":"x"}}"#, "id"),
            (#"{"payment":{"id":"x"}}"#, "status"),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) {
                try Worldline.PaymentAnswer(response(body, 201))
            }
            #expect(error?.code == .missingMember && error?.field == field)
        }
    }

    @Test("reads the answers about pages")
    func hostedCheckouts() throws {
        let created = try Worldline.HostedCheckoutAnswer(
            response(
                #"{"RETURNMAC":"mac-1","hostedCheckoutId":"hc-1","partialRedirectUrl":"#
                    + #""pay1.example/checkout/1","redirectUrl":"https://payment.pay1.example/1"}"#,
                201))
        #expect(created.hostedCheckoutId == "hc-1")
        #expect(created.returnMAC?.revealText() == "mac-1")
        #expect(created.partialRedirectURL == "pay1.example/checkout/1")
        #expect(created.redirectURL == "https://payment.pay1.example/1")
        // Connect sends only the partial address.
        let partial = try Worldline.HostedCheckoutAnswer(
            response(
                #"{"hostedCheckoutId":"hc-1","partialRedirectUrl":"pay1.example/checkout/1"}"#, 201)
        )
        #expect(partial.redirectURL == "https://payment.pay1.example/checkout/1")
        let refused = response(#"{"errorId":"e","errors":[{"errorCode":"1"}]}"#, 400)
        #expect(try Worldline.HostedCheckoutAnswer(refused).errors.first?.code == "1")
        #expect(try Worldline.HostedCheckoutStatusAnswer(refused).errorId == "e")
        let waiting = try Worldline.HostedCheckoutStatusAnswer(
            response(#"{"status":"IN_PROGRESS"}"#))
        #expect(waiting.status == "IN_PROGRESS" && waiting.payment == nil)
        #expect(!waiting.isAuthorized)
        let paid = try Worldline.HostedCheckoutStatusAnswer(
            response(
                #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"#
                    + #""paymentStatusCategory":"SUCCESSFUL","payment":\#(Self.payment)}}"#))
        #expect(paid.isAuthorized && paid.paymentStatusCategory == "SUCCESSFUL")
        for (field, read) in [
            ("hostedCheckoutId", { _ = try Worldline.HostedCheckoutAnswer($0) }),
            ("status", { _ = try Worldline.HostedCheckoutStatusAnswer($0) }),
        ] as [(String, (GatewayResponse) throws -> Void)] {
            let error = #expect(throws: UnreadableJSONError.self) { try read(response("{}")) }
            #expect(error?.code == .missingMember && error?.field == field)
        }
    }
}
