import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@Suite("bePaid")
struct BePaidTests {
    private let shop = BePaid.Shop(
        identifier: "361", secretKey: GatewayFixture.secret("bepaid-secret"))

    private var whiteLabel: BePaid.Shop {
        var shop = shop
        shop.origin = "https://gateway.white-label.example"
        return shop
    }

    private let minimal = with(BePaid.TransactionOptions(description: "Order 1")) {
        $0.tokenForm = .paymentDataOnly
    }

    private func full(isAsynchronous: Bool = true) -> BePaid.TransactionOptions {
        with(BePaid.TransactionOptions(description: "Order 1")) {
            $0.trackingId = "order-1"
            $0.isTest = true
            $0.language = "en"
            $0.returnURL = "https://shop.example/return"
            $0.notificationURL = "https://shop.example/hook"
            $0.expiresAt = "2026-05-04T10:00:00+03:00"
            $0.contract = [.recurring, .cardOnFile]
            $0.customer = with(BePaid.Customer()) {
                $0.ip = "192.0.2.1"
                $0.email = "jane@example.com"
            }
            $0.billingAddress = with(BePaid.BillingAddress()) {
                $0.firstName = "Jane"
                $0.lastName = "Doe"
                $0.country = "BY"
                $0.city = "Minsk"
                $0.zip = "220000"
                $0.address = "Main 1"
            }
            $0.isAsynchronous = isAsynchronous
            $0.asksForVersion3 = true
        }
    }

    /// Returns the JSON that follows the prefix of a token string.
    private func content(_ string: SensitiveBytes) throws -> String {
        let base64 = try #require(string.revealText().split(separator: "$").last)
        return String(decoding: try #require(Data(base64Encoded: String(base64))), as: UTF8.self)
    }

    @Test("token strings are those of the vectors, byte for byte")
    func tokenStrings() throws {
        let whole = try StubTokens.whole()
        #expect(
            try BePaid.tokenString(whole, form: .wholeToken).revealText()
                == StubTokens.string("bepaid_full"))
        for token in [whole, try StubTokens.bare()] {
            #expect(
                try BePaid.tokenString(token, form: .paymentDataOnly).revealText()
                    == StubTokens.string("bepaid_min"))
        }
        #expect(
            try BePaid.tokenString(StubTokens.bare(), form: .wholeToken).revealText()
                == StubTokens.string("bepaid_min"))
        #expect(
            try BePaid.tokenString(GatewayFixture.payment()).revealText()
                == StubTokens.string("bepaid_decrypted"))
    }

    @Test("the wrapped paymentData keeps order, applicationData and members nobody knows")
    func keptMembers() throws {
        let token = try StubTokens.bare { json in
            json.replacing(#""header":{"#, with: #""header": {"applicationData": "\#(hash)", "#)
                .replacing(
                    #""version":"#, with: "\n\"future\": [1, {\"a/b\": \"\\/\"}], \"version\":")
        }
        let json = try content(BePaid.tokenString(token, form: .wholeToken))
        #expect(json.hasPrefix(#"{"paymentData":{"data":"#))
        #expect(json.contains(#""header":{"applicationData":"\#(hash)","publicKeyHash":"#))
        #expect(json.hasSuffix(#","future":[1,{"a/b":"\/"}],"version":"EC_v1"}}"#))
    }

    private let hash = String(repeating: "ab", count: 32)

    @Test("requests of each operation, minimal and full")
    func requests() async throws {
        let dollar = try GatewayFixture.order(100, "USD")
        let order = try GatewayFixture.order()
        let payment = try GatewayFixture.payment()
        try await GatewayFixture.expect(
            BePaid.transaction(
                .payment, StubTokens.whole(), order: dollar, shop: shop, options: minimal),
            is: "bepaid-payment-minimal")
        try await GatewayFixture.expect(
            BePaid.transaction(
                .payment, StubTokens.whole(), order: dollar, shop: shop,
                options: full(isAsynchronous: false)),
            is: "bepaid-payment-full")
        for (operation, shop) in [(BePaid.Operation.authorization, shop), (.charge, whiteLabel)] {
            try await GatewayFixture.expect(
                BePaid.transaction(
                    operation, payment, order: order, shop: shop, options: minimal),
                is: "bepaid-\(operation)-minimal")
            try await GatewayFixture.expect(
                BePaid.transaction(operation, payment, order: order, shop: shop, options: full()),
                is: "bepaid-\(operation)-full")
        }
    }

    @Test("a verified token goes encrypted, and nothing of it is to be seen")
    func verified() throws {
        let token = try GatewayFixture.payment().token
        let request = try BePaid.transaction(
            .payment, token, order: GatewayFixture.order(), shop: shop, options: minimal)
        let string = BePaid.tokenString(token).revealText()
        #expect(string.hasPrefix("$begateway_apple_pay_1_0_0$"))
        #expect(!string.contains("\n") && !string.contains("\\"))
        #expect(request.body?.revealText().contains(#""token":"\#(string)""#) == true)
        #expect(!"\(request)".contains("begateway"))
        #expect(!"\(request)".contains("MzYx"))
    }

    @Test("an opened token's expiry, amount and ECI stay as Apple wrote them")
    func verbatim() throws {
        for eci in ["", #","eciIndicator":"07""#, #","eciIndicator":"5""#] {
            let payload = GatewayFixture.payload(
                expiry: "301199",
                authentication: #""onlinePaymentCryptogram":"/+AAAAAAAAAAAAAAAAAAAAAAAA==""# + eci)
            #expect(
                try content(BePaid.tokenString(GatewayFixture.payment(payload))) == payload)
        }
    }

    @Test("the checkout takes the token as an object and the contract as a Boolean")
    func checkout() async throws {
        let secret = GatewayFixture.secret("checkout-token")
        try await GatewayFixture.expect(
            BePaid.checkoutPayment(StubTokens.bare(), checkoutToken: secret, contract: false),
            is: "bepaid-checkout-payment-minimal")
        try await GatewayFixture.expect(
            BePaid.checkoutPayment(StubTokens.whole(), checkoutToken: secret, contract: true),
            is: "bepaid-checkout-payment-full")
        let request = try BePaid.checkoutPayment(
            GatewayFixture.payment().token, checkoutToken: secret, origin: "https://c.example")
        #expect(request.url == "https://c.example/ctp/api/apple_pay/payment")
        try await GatewayFixture.expect(
            BePaid.validateMerchant(
                validationURL: "https://apple-pay-gateway.apple.com/paymentservices/startSession",
                checkoutToken: secret),
            is: "bepaid-validate-merchant")
    }

    @Test("what cannot be said is refused")
    func refusals() throws {
        let order = try GatewayFixture.order()
        let payment = try GatewayFixture.payment()
        let other = #expect(throws: PaymentTokenError.self) {
            try BePaid.transaction(
                .payment, payment, order: GatewayFixture.order(3001), shop: shop, options: minimal)
        }
        #expect(other?.code == .orderMismatch)
        let emv = try GatewayFixture.payment(
            GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#))
        GatewayFixture.expectRefusal(.cryptogramMissing, "credit_card.token") {
            try BePaid.transaction(.payment, emv, order: order, shop: shop, options: minimal)
        }
        let nothing = try GatewayFixture.zeroPayment()
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try BePaid.transaction(
                .payment, nothing, order: GatewayFixture.zeroTakingOrder(), shop: shop,
                options: minimal)
        }
        _ = try BePaid.transaction(
            .payment, nothing, order: GatewayFixture.order(0), shop: shop, options: minimal)
        for (identifier, code) in [
            ("", PaymentTokenError.Code.unsupportedLength), ("3:61", .unsupportedCharacter),
        ] {
            var shop = shop
            shop.identifier = identifier
            GatewayFixture.expectRefusal(code, "shop_id") {
                try BePaid.transaction(
                    .payment, payment, order: order, shop: shop, options: minimal)
            }
        }
        let keyless = BePaid.Shop(identifier: "361", secretKey: GatewayFixture.secret(""))
        GatewayFixture.expectRefusal(.unsupportedLength, "secret_key") {
            try BePaid.transaction(
                .payment, payment, order: order, shop: keyless, options: minimal)
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try BePaid.transaction(
                .payment, StubTokens.whole(), order: GatewayFixture.order(-1), shop: shop,
                options: minimal)
        }
        let long = String(repeating: "é", count: 256)
        for (field, options) in [
            ("description", BePaid.TransactionOptions(description: long)),
            (
                "tracking_id",
                with(BePaid.TransactionOptions(description: "")) { $0.trackingId = long }
            ),
        ] {
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try BePaid.transaction(
                    .payment, payment, order: order, shop: shop, options: options)
            }
        }
        let fits = String(repeating: "é", count: 255)
        _ = try BePaid.transaction(
            .payment, payment, order: order, shop: shop,
            options: with(BePaid.TransactionOptions(description: fits)) { $0.trackingId = fits })
    }

    private func answer(_ status: Int, _ body: String) throws -> BePaid.TransactionAnswer {
        try BePaid.TransactionAnswer(GatewayResponse(status: status, body: Array(body.utf8)))
    }

    @Test("answers are read in each shape")
    func answers() throws {
        let done = try answer(
            200,
            #"{"transaction":{"uid":"3fff","status":"successful","amount":"492","currency":"EUR","#
                + #""tracking_id":"o1","message":"ok","credit_card":{"token":"card-token"},"x":1}}"#
        )
        #expect(done.isSuccessful && done.uid == "3fff" && done.amount == 492)
        #expect(done.currency == "EUR" && done.trackingId == "o1" && done.message == "ok")
        #expect(done.cardToken?.revealText() == "card-token" && !"\(done)".contains("card-token"))
        let third = try answer(
            201,
            #"{"uid":"4","status":"failed","code":"S.0001","friendly_message":"Try another card","#
                + #""message":"declined","amount":492}"#)
        #expect(!third.isSuccessful && third.status == .failed && third.code == "S.0001")
        #expect(third.friendlyMessage == "Try another card" && third.amount == 492)
        let checkout = try answer(
            200, #"{"response":{"status":"incomplete","url":"https://acs.example","uid":null}}"#)
        #expect(!checkout.isSuccessful && checkout.status == .incomplete && checkout.uid == nil)
        #expect(checkout.redirectURL == "https://acs.example")
    }

    @Test("neither incomplete nor refused nor failed over HTTP is success")
    func notSuccess() throws {
        let incomplete = try answer(
            200, #"{"transaction":{"status":"incomplete","redirect_url":"https://acs.example"}}"#)
        #expect(!incomplete.isSuccessful && incomplete.redirectURL == "https://acs.example")
        #expect(try answer(200, #"{"status":"pending"}"#).status == .other("pending"))
        #expect(try !answer(500, #"{"transaction":{"status":"successful"}}"#).isSuccessful)
        let refused = try answer(
            422, #"{"message":"Currency can't be blank.","errors":{"currency":["can't be blank"]}}"#
        )
        #expect(!refused.isSuccessful && refused.status == nil)
        #expect(refused.message == "Currency can't be blank.")
        #expect(try answer(404, #"{"response":{"message":"Record not found"}}"#).message != nil)
    }

    @Test(
        "an answer that cannot be read says why",
        arguments: [
            ("<html>", UnreadableJSONError.Code.notJSON, ""),
            ("[]", .wrongType, ""),
            (#"{"transaction":[]}"#, .wrongType, "transaction"),
            (#"{"transaction":{}}"#, .missingMember, "transaction.status"),
            ("{}", .missingMember, "status"),
            (#"{"status":{}}"#, .wrongType, "status"),
        ])
    func unreadable(_ body: String, _ code: UnreadableJSONError.Code, _ field: String) throws {
        let error = #expect(throws: UnreadableJSONError.self) { try answer(200, body) }
        #expect(error?.code == code && error?.field == field)
    }
}

extension GatewayExamples {
    func bePaid() async throws -> PaymentOutcome {
        let accepted = try await acceptor.accept(body, order: order)  // verifies, compares, claims
        let shop = BePaid.Shop(identifier: "361", secretKey: secret)
        let request = try await accepted.prepare { payment throws(PaymentTokenError) in
            var options = BePaid.TransactionOptions(description: "Order 1001")
            options.trackingId = "order-1001"
            options.requestID = "order-1001-1"
            return try BePaid.transaction(  // or payment.token: bePaid decrypts it
                .payment, payment, order: order, shop: shop, options: options)
        }
        do {
            let response = try await transport.send(request)
            try await accepted.confirm()  // the charge was sent, whatever its outcome
            return PaymentOutcome(response, order: order, BePaid.TransactionAnswer.init)
        } catch let error as GatewayTransportError {
            if !error.requestMayHaveReachedGateway { try await accepted.release() }
            guard let outcome = error.outcome else { throw error }
            return outcome  // unknown: the claim stays open; ask the gateway
        }
    }
}
