import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@Suite("RBS and BPC")
struct RBSTests {
    private let host = RBS.Host(origin: "https://pay.example", prefix: "/gw")
    private let user = RBS.User(
        name: "shop-api", password: GatewayFixture.secret("p+ss w&rd=%"))
    private let orderId = "01491d0b-c848-7dd6-a20d-e96900a7d8c0"

    private let full = with(RBS.PaymentOptions()) {
        $0.description = "Order 1001"
        $0.language = "ru"
        $0.preAuth = true
        $0.clientId = "259753456"
        $0.email = "jane@example.com"
        $0.storedCredential = .common
        $0.feeInput = 100
        $0.additionalParameters = ["phone": "9521235847", "email": "jane@example.com"]
    }

    private let extras = with(RBS.PaymentExtras()) {
        $0.phone = "+35799988877"
        $0.autocompletionDate = "2026-05-11T10:00:00"
        $0.autoReverseDate = "2026-05-12T10:00:00"
        $0.dynamicCallbackURL = "https://shop.example/cb"
    }

    private let direct = with(RBS.PaymentOptions()) {
        $0.description = "Order 1001"
        $0.language = "en"
        $0.preAuth = false
        $0.clientId = "259753456"
        $0.email = "jane@example.com"
        $0.storedCredential = .recurring
        $0.feeInput = 100
        $0.additionalParameters = ["email": "jane@example.com", "phone": "9521235847"]
    }

    private func payment(
        _ options: RBS.PaymentOptions = RBS.PaymentOptions(),
        _ extras: RBS.PaymentExtras = RBS.PaymentExtras(),
        merchant: String = "shop-api",
        orderNumber: String? = "1001",
        host: RBS.Host = .sberbank
    ) throws -> GatewayRequest {
        try RBS.payment(
            StubTokens.whole(), merchant: merchant, orderNumber: orderNumber, options: options,
            extras: extras, host: host)
    }

    private func paymentDirect(
        _ payment: Payment,
        order: Order,
        merchant: String? = nil,
        verifies: Bool = false,
        options: RBS.PaymentOptions = with(RBS.PaymentOptions()) { $0.language = "en" }
    ) throws -> GatewayRequest {
        try RBS.paymentDirect(
            payment, order: order, orderNumber: "1001", user: user, merchant: merchant,
            verifies: verifies, options: options, host: host)
    }

    private func tokenPayment(
        _ payload: String = GatewayFixture.payload()
    ) throws -> GatewayRequest {
        try RBS.tokenPayment(
            GatewayFixture.payment(payload), order: GatewayFixture.order(), user: user,
            returnURL: "https://shop.example/r", host: .sberbank)
    }

    @Test("payment.do carries the bare paymentData, and neither money nor credentials")
    func encrypted() async throws {
        let minimal = try payment()
        try await GatewayFixture.expect(minimal, is: "rbs-payment-minimal")
        #expect(
            try minimal.body?.revealText().contains(StubTokens.string("rbs_paymentToken")) == true)
        try await GatewayFixture.expect(payment(full, extras, host: host), is: "rbs-payment-full")
        #expect(try payment(orderNumber: nil).body?.revealText().contains("orderNumber") == false)
        let verified = try RBS.payment(
            GatewayFixture.payment().token, merchant: "m", orderNumber: "1", host: .sandbox)
        #expect(verified.url == "https://dev.bpcbt.com/payment/applepay/payment.do")
        #expect(verified.headers.count == 1 && !"\(verified)".contains("paymentToken"))
    }

    @Test("two stages are a Boolean that is there, one stage one that is false or missing")
    func stages() throws {
        let body = { (preAuth: Bool?) in
            try payment(
                with(RBS.PaymentOptions()) { $0.preAuth = preAuth }
            ).body?.revealText() ?? ""
        }
        #expect(try body(true).contains(#""preAuth":true,"#))
        #expect(try body(false).contains(#""preAuth":false,"#))
        #expect(try !body(nil).contains("preAuth"))
    }

    @Test("paymentDirect.do carries Apple's own plaintext")
    func decrypted() async throws {
        let paid = try GatewayFixture.payment()
        let order = try GatewayFixture.order()
        let minimal = try paymentDirect(paid, order: order)
        try await GatewayFixture.expect(minimal, is: "rbs-payment-direct-minimal")
        #expect(
            try minimal.body?.revealText().contains(StubTokens.string("rbs_direct_paymentToken"))
                == true)
        #expect(!"\(minimal)".contains("p+ss"))
        try await GatewayFixture.expect(
            paymentDirect(paid, order: order, merchant: "other-shop", options: direct),
            is: "rbs-payment-direct-full")
        let nothing = try GatewayFixture.payment(GatewayFixture.payload(amount: "0"))
        let verification = try paymentDirect(
            nothing, order: GatewayFixture.order(0), verifies: true)
        #expect(verification.body?.revealText().contains(#""features":"VERIFY""#) == true)
    }

    @Test("a token for nothing verifies a card for any order, and pays for one of nothing alone")
    func zeroAmount() throws {
        let nothing = try GatewayFixture.zeroPayment()
        let order = try GatewayFixture.zeroTakingOrder()
        let verification = try paymentDirect(nothing, order: order, verifies: true)
        #expect(verification.body?.revealText().contains(#""features":"VERIFY""#) == true)
        GatewayFixture.expectRefusal(.unsupportedAmount, "paymentToken") {
            try paymentDirect(nothing, order: order)
        }
        _ = try paymentDirect(nothing, order: GatewayFixture.order(0))
        let fields = try RBS.tokenPayment(
            nothing, order: order, user: user, returnURL: "https://shop.example/r", host: host)
        #expect(fields.body?.revealText().contains(#""amount":3000"#) == true)
    }

    @Test("token/payment.do has the fields one by one, the expiry as MM and YYYY")
    func fields() async throws {
        let authentication = #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=""#
        try await GatewayFixture.expect(
            tokenPayment(GatewayFixture.payload(authentication: authentication)),
            is: "rbs-token-payment-minimal")
        try await GatewayFixture.expect(
            RBS.tokenPayment(
                GatewayFixture.payment(
                    GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#)),
                order: GatewayFixture.order(), user: user, returnURL: "https://shop.example/r",
                orderNumber: "1001", preAuth: true, host: .sberbank),
            is: "rbs-token-payment-full")
        let odd = try tokenPayment(
            GatewayFixture.payload(
                expiry: "301109", currency: "978",
                authentication: authentication + #","eciIndicator":"07""#)
        ).body?.revealText()
        #expect(odd?.contains(#""MM":"11","YYYY":"2030","eci":7}"#) == true)
        let nonsenseDay = try tokenPayment(GatewayFixture.payload(expiry: "300299"))
        #expect(nonsenseDay.body?.revealText().contains(#""MM":"02","YYYY":"2030""#) == true)
        let nameless = try tokenPayment(GatewayFixture.payload(more: #""cardholderName":"","#))
        #expect(nameless.body?.revealText().contains("cardholderName") == false)
    }

    @Test("status and deposit are forms, in which a plus sign is escaped")
    func forms() async throws {
        try await GatewayFixture.expect(
            RBS.orderStatus(
                orderId: orderId, credentials: .token(GatewayFixture.secret("t+k/n")),
                host: .sberbank),
            is: "rbs-order-status-minimal")
        try await GatewayFixture.expect(
            RBS.orderStatus(
                orderNumber: "1001", user: user, merchantLogin: "other-shop", language: "en",
                host: .sberbank),
            is: "rbs-order-status-full")
        try await GatewayFixture.expect(
            RBS.deposit(.all, orderId: orderId, credentials: .user(user), host: .sberbank),
            is: "rbs-deposit-minimal")
        try await GatewayFixture.expect(
            RBS.deposit(
                .amount(2000), orderId: orderId, credentials: .user(user),
                currency: GatewayFixture.order().currency, language: "en", host: .sberbank),
            is: "rbs-deposit-full")
        try await GatewayFixture.expect(
            RBS.deposit(
                .amount(2000), orderNumber: "1001", merchantLogin: "other-shop", user: user,
                host: .sberbank),
            is: "rbs-deposit-order-number")
    }

    @Test("opened tokens are compared with the order and must have a cryptogram")
    func openedRefusals() throws {
        let paid = try GatewayFixture.payment()
        let other = try GatewayFixture.order(3000, "USD")
        for request in [
            { try paymentDirect(paid, order: other) },
            {
                try RBS.tokenPayment(
                    paid, order: other, user: user, returnURL: "", host: host)
            },
        ] {
            let error = #expect(throws: PaymentTokenError.self) { try request() }
            #expect(error?.code == .orderMismatch)
        }
        let emv = GatewayFixture.payload(type: "EMV", authentication: #""emvData":"nyYI""#)
        GatewayFixture.expectRefusal(.cryptogramMissing, "paymentToken") {
            try paymentDirect(GatewayFixture.payment(emv), order: GatewayFixture.order())
        }
        GatewayFixture.expectRefusal(.cryptogramMissing, "tokenCryptogram") {
            try tokenPayment(emv)
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "features") {
            try paymentDirect(paid, order: GatewayFixture.order(), verifies: true)
        }
        for name in ["J", String(repeating: "J", count: 46)] {
            let nameless = try tokenPayment(
                GatewayFixture.payload(more: #""cardholderName":"\#(name)","#))
            #expect(nameless.body?.revealText().contains("cardholderName") == false)
        }
        let long = String(repeating: "AAAA", count: 257)
        GatewayFixture.expectRefusal(.unsupportedLength, "tokenCryptogram") {
            try tokenPayment(
                GatewayFixture.payload(authentication: #""onlinePaymentCryptogram":"\#(long)""#))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "merchant") {
            try paymentDirect(paid, order: GatewayFixture.order(), merchant: "")
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "language") {
            try paymentDirect(
                paid, order: GatewayFixture.order(),
                options: with(RBS.PaymentOptions()) { $0.language = "" })
        }
    }

    @Test("texts of other lengths and with other characters are refused")
    func refusals() throws {
        let text = { String(repeating: "1", count: $0) }
        for (field, options) in [
            ("description", with(RBS.PaymentOptions()) { $0.description = text(599) }),
            ("language", with(RBS.PaymentOptions()) { $0.language = "eng" }),
            ("clientId", with(RBS.PaymentOptions()) { $0.clientId = text(256) }),
            ("email", with(RBS.PaymentOptions()) { $0.email = text(41) }),
        ] {
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try payment(options, host: host)
            }
        }
        for (code, field, extras) in [
            (
                PaymentTokenError.Code.unsupportedLength, "phone",
                with(RBS.PaymentExtras()) { $0.phone = text(6) }
            ),
            (.unsupportedLength, "phone", with(RBS.PaymentExtras()) { $0.phone = "+" + text(16) }),
            (
                .unsupportedCharacter, "phone",
                with(RBS.PaymentExtras()) { $0.phone = "+357 999 888" }
            ),
            (.unsupportedCharacter, "phone", with(RBS.PaymentExtras()) { $0.phone = "1234567+" }),
            (
                .unsupportedCharacter, "autocompletionDate",
                with(RBS.PaymentExtras()) { $0.autocompletionDate = "2026-05-11 10:00:00" }
            ),
            (
                .unsupportedLength, "autoReverseDate",
                with(RBS.PaymentExtras()) { $0.autoReverseDate = "2026-05-11T10:00:00Z" }
            ),
        ] {
            GatewayFixture.expectRefusal(code, field) { try payment(.init(), extras) }
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "feeInput") {
            try payment(with(RBS.PaymentOptions()) { $0.feeInput = -1 })
        }
        for merchant in ["", text(256)] {
            GatewayFixture.expectRefusal(.unsupportedLength, "merchant") {
                try payment(merchant: merchant)
            }
        }
        let large = try StubTokens.bare {
            $0.replacing("AAECAwQFBgcICQoLDA0ODw==", with: String(repeating: "AAAA", count: 1500))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "paymentToken") {
            try RBS.payment(large, merchant: "m", orderNumber: "1", host: host)
        }
    }

    @Test("each kind of host has its own limits")
    func limits() throws {
        let long = String(repeating: "1", count: 33)
        _ = try payment(orderNumber: long + "456", host: host)
        _ = try payment(with(RBS.PaymentOptions()) { $0.description = "100 % + more" }, host: host)
        _ = try payment(
            with(RBS.PaymentOptions()) { $0.description = String(repeating: "1", count: 1024) },
            host: .alfaBank)
        GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") {
            try payment(orderNumber: long + "4567", host: host)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") {
            try payment(orderNumber: long, host: .sberbankTest)
        }
        for character in ["%", "+", "\r", "\n", "\r\n"] {
            GatewayFixture.expectRefusal(.unsupportedCharacter, "description") {
                try payment(with(RBS.PaymentOptions()) { $0.description = "a\(character)b" })
            }
        }
    }

    @Test("credentials and deposits of other lengths and amounts are refused")
    func formRefusals() throws {
        let text = { String(repeating: "1", count: $0) }
        for (field, name, password) in [
            ("userName", "", "p"), ("userName", text(101), "p"), ("password", "u", ""),
            ("password", "u", text(31)),
        ] {
            let user = RBS.User(name: name, password: GatewayFixture.secret(password))
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try RBS.orderStatus(orderId: orderId, credentials: .user(user), host: host)
            }
        }
        let nothing = RBS.Credentials.token(GatewayFixture.secret(""))
        let token = RBS.Credentials.token(GatewayFixture.secret("t"))
        for (field, orderId, credentials) in [
            ("token", orderId, nothing), ("orderId", "", .user(user)), ("orderId", "", token),
        ] {
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try RBS.orderStatus(orderId: orderId, credentials: credentials, host: host)
            }
            GatewayFixture.expectRefusal(.unsupportedLength, field) {
                try RBS.deposit(.all, orderId: orderId, credentials: credentials, host: host)
            }
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "returnUrl") {
            try RBS.tokenPayment(
                GatewayFixture.payment(), order: GatewayFixture.order(), user: user, returnURL: "",
                host: host)
        }
        for amount: Int64 in [0, -1] {
            GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
                try RBS.deposit(
                    .amount(amount), orderId: orderId, credentials: .user(user), host: host)
            }
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") {
            try RBS.orderStatus(orderNumber: text(37), user: user, host: host)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "language") {
            try RBS.deposit(
                .all, orderId: orderId, credentials: .user(user), language: "e", host: host)
        }
    }

    private func response(_ body: String, _ status: Int = 200) -> GatewayResponse {
        GatewayResponse(status: status, body: Array(body.utf8))
    }

    @Test(
        "paid means success and a state of 1 or 2",
        arguments: [
            (200, #"{"success":true,"data":{"orderId":"b9"}}"#, false),
            (
                200, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":1}}"#,
                true
            ),
            (
                200,
                #"{"success":"true","data":{"orderId":"b9"},"orderStatus":{"orderStatus":"2"}}"#,
                true
            ),
            (
                200, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":0}}"#,
                false
            ),
            (
                200, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":6}}"#,
                false
            ),
            (
                200, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":8}}"#,
                false
            ),
            (
                200, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":99}}"#,
                false
            ),
            (
                200, #"{"success":false,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":2}}"#,
                false
            ),
            (
                502, #"{"success":true,"data":{"orderId":"b9"},"orderStatus":{"orderStatus":2}}"#,
                false
            ),
        ])
    func paid(_ status: Int, _ body: String, _ isPaid: Bool) throws {
        let answer = try RBS.PaymentAnswer(response(body, status))
        #expect(answer.isPaid == isPaid && answer.orderId == "b9")
    }

    @Test("a refused payment's error is read, its code a number or a string")
    func refusedPayment() throws {
        for code in ["10", #""10""#] {
            let answer = try RBS.PaymentAnswer(
                response(
                    #"{"success":false,"error":{"code":\#(code),"description":"Processing Error","#
                        + #""message":"Auth is invalid"}}"#))
            #expect(!answer.success && !answer.isPaid && answer.errorCode == 10)
            #expect(answer.errorMessage == "Auth is invalid")
            #expect(answer.errorDescription == "Processing Error" && answer.orderStatus == nil)
        }
    }

    @Test("an order's state is read whether numbers are numbers or strings")
    func status() throws {
        for quote in ["", "\""] {
            let q = { (number: String) in quote + number + quote }
            let state = try RBS.OrderStatus(
                response(
                    #"{"errorCode":\#(q("0")),"errorMessage":"Success","orderNumber":\#(q("1001")),"#
                        + #""orderStatus":\#(q("2")),"actionCode":\#(q("-1")),"amount":\#(q("3000")),"#
                        + #""actionCodeDescription":"","currency":\#(q("978")),"date":\#(q("1777000000000")),"#
                        + #""cardAuthInfo":{"maskedPan":"476112**0492","expiration":\#(q("202512")),"#
                        + #""cardholderName":"JANE DOE","approvalCode":\#(q("123456"))},"#
                        + #""paymentAmountInfo":{"paymentState":"DEPOSITED","approvedAmount":\#(q("3000")),"#
                        + #""depositedAmount":\#(q("2000")),"refundedAmount":\#(q("0"))},"#
                        + #""paymentWay":"APPLE_PAY","attributes":[{"name":"mdOrder","value":"b9"}],"#
                        + #""merchantOrderParams":[{"name":"a","value":"b"},{"name":"c"}],"future":[]}"#
                ))
            #expect(state.isPaid && state.state == .captured && state.errorCode == 0)
            #expect(state.orderNumber == "1001" && state.actionCode == -1)
            #expect(state.amount == 3000 && state.milliseconds == 1_777_000_000_000)
            #expect(state.expiration == "202512" && state.approvalCode == "123456")
            #expect(state.maskedPan == "476112**0492" && state.paymentState == "DEPOSITED")
            #expect(state.cardholderName?.revealText() == "JANE DOE")
            #expect(!"\(state)".contains("JANE"))
            #expect(state.approvedAmount == 3000 && state.depositedAmount == 2000)
            #expect(state.refundedAmount == 0 && state.paymentWay == "APPLE_PAY")
            #expect(state.orderId == "b9" && state.merchantOrderParams.map(\.name) == ["a"])
            #expect(try state.agrees(with: GatewayFixture.order()))
            #expect(try !state.agrees(with: GatewayFixture.order(3001)))
            #expect(try !state.agrees(with: GatewayFixture.order(3000, "USD")))
        }
        let short = try RBS.OrderStatus(
            response(#"{"orderStatus":7,"amount":1,"currency":36,"actionCode":""}"#))
        #expect(!short.isPaid && short.state == .pending && short.actionCode == nil)
        #expect(try short.agrees(with: GatewayFixture.order(1, "AUD")))
        let old = try RBS.OrderStatus(
            response(#"{"ErrorCode":"6","ErrorMessage":"No such order"}"#))
        #expect(!old.isPaid && old.errorCode == 6 && old.errorMessage == "No such order")
        // Nothing was charged, whatever the order's amount is.
        #expect(
            try old.outcome(for: GatewayFixture.order())
                == .refused(code: "6", text: "No such order"))
        let paid = try RBS.OrderStatus(response(#"{"errorCode":0,"orderStatus":2}"#))
        #expect(try !paid.agrees(with: GatewayFixture.order()))
    }

    @Test(
        "a state of 1 or 2 is paid where neither HTTP nor the gateway says an error",
        arguments: [
            (200, #"{"orderStatus":1}"#, true), (200, #"{"errorCode":"0","orderStatus":2}"#, true),
            (200, #"{"errorCode":"5","orderStatus":2}"#, false),
            (200, #"{"ErrorCode":7,"orderStatus":1}"#, false),
            (200, #"{"errorCode":0,"orderStatus":8}"#, false),
            (299, #"{"errorCode":0,"orderStatus":2}"#, true),
            (302, #"{"errorCode":0,"orderStatus":2}"#, false),
            (500, #"{"errorCode":0,"orderStatus":2}"#, false),
        ])
    func paidState(_ status: Int, _ body: String, _ isPaid: Bool) throws {
        #expect(try RBS.OrderStatus(response(body, status)).isPaid == isPaid)
        let answer = try RBS.PaymentAnswer(
            response(#"{"success":true,"orderStatus":\#(body)}"#, status))
        #expect(answer.isPaid == isPaid)
    }

    @Test("what says nothing of the payment may be of any type")
    func lenient() throws {
        for junk in [#""n/a""#, "[]", "{}", "true", "1.5", "null"] {
            let state =
                #"{"errorCode":0,"orderStatus":2,"amount":3000,"currency":"978","date":\#(junk),"#
                + #""actionCode":\#(junk),"cardAuthInfo":\#(junk),"paymentAmountInfo":{"#
                + #""approvedAmount":\#(junk),"depositedAmount":\#(junk),"refundedAmount":\#(junk)}}"#
            let answer = try RBS.PaymentAnswer(
                response(#"{"success":true,"error":{"code":\#(junk)},"orderStatus":\#(state)}"#))
            #expect(answer.isPaid && answer.errorCode == nil)
            let inner = try #require(answer.orderStatus)
            for status in [inner, try RBS.OrderStatus(response(state))] {
                #expect(try status.isPaid && status.agrees(with: GatewayFixture.order()))
                #expect(status.milliseconds == nil && status.actionCode == nil)
                #expect(status.approvedAmount == nil && status.depositedAmount == nil)
                #expect(status.refundedAmount == nil)
            }
        }
    }

    @Test("a deposit's answer tells acceptance alone")
    func deposit() throws {
        #expect(
            try RBS.DepositAnswer(response(#"{"errorCode":"0","errorMessage":"Success"}"#))
                .isAccepted)
        #expect(try RBS.DepositAnswer(response(#"{"ErrorCode":0}"#)).isAccepted)
        #expect(try !RBS.DepositAnswer(response(#"{"errorCode":"0"}"#, 500)).isAccepted)
        let refused = try RBS.DepositAnswer(
            response(#"{"errorCode":7,"errorMessage":"Deposit amount exceeds"}"#))
        #expect(!refused.isAccepted && refused.errorCode == 7 && refused.errorMessage != nil)
    }

    @Test("answers that cannot be read say why")
    func unreadable() throws {
        for (read, body, code, field) in [
            ({ _ = try RBS.PaymentAnswer($0) }, "", .notJSON, ""),
            ({ _ = try RBS.PaymentAnswer($0) }, "{}", .missingMember, "success"),
            ({ _ = try RBS.PaymentAnswer($0) }, #"{"success":2}"#, .wrongType, "success"),
            (
                { _ = try RBS.PaymentAnswer($0) },
                #"{"success":true,"orderStatus":{"orderStatus":"x"}}"#, .wrongType,
                "orderStatus.orderStatus"
            ),
            (
                { _ = try RBS.PaymentAnswer($0) }, #"{"success":true,"orderStatus":2}"#, .wrongType,
                "orderStatus"
            ),
            ({ _ = try RBS.OrderStatus($0) }, "{}", .missingMember, "orderStatus"),
            (
                { _ = try RBS.OrderStatus($0) }, #"{"orderStatus":2,"amount":30.5}"#, .wrongType,
                "amount"
            ),
            (
                { _ = try RBS.OrderStatus($0) }, #"{"orderStatus":2,"currency":[]}"#, .wrongType,
                "currency"
            ),
            (
                { _ = try RBS.OrderStatus($0) }, #"{"orderStatus":2,"errorCode":"x"}"#, .wrongType,
                "errorCode"
            ),
            ({ _ = try RBS.DepositAnswer($0) }, "{}", .missingMember, "errorCode"),
            ({ _ = try RBS.DepositAnswer($0) }, #"{"errorCode":[]}"#, .wrongType, "errorCode"),
        ] as [((GatewayResponse) throws -> Void, String, UnreadableJSONError.Code, String)] {
            let error = #expect(throws: UnreadableJSONError.self) { try read(response(body)) }
            #expect(error?.code == code && error?.field == field, "\(body)")
        }
    }
}

extension GatewayExamples {
    func rbs() async throws -> PaymentOutcome {
        let accepted = try await acceptor.accept(body, order: order)  // verifies, compares, claims
        let host = RBS.Host(origin: "https://pay.example", limits: .russianBanks)
        let user = RBS.User(name: "shop-api", password: secret)
        let request = try await accepted.prepare { payment throws(PaymentTokenError) in
            try RBS.paymentDirect(
                payment, order: order, orderNumber: "1001", user: user, host: host)
        }
        do {
            let response = try await transport.send(request)
            try await accepted.confirm()  // the charge was sent, whatever its outcome
            return PaymentOutcome(response, order: order, RBS.PaymentAnswer.init)
        } catch let error as GatewayTransportError {
            if !error.requestMayHaveReachedGateway { try await accepted.release() }
            guard let outcome = error.outcome else { throw error }
            return outcome  // unknown: the claim stays open; ask the gateway
        }
    }
}
