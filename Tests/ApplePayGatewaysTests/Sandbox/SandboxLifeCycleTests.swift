import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import Testing

@Suite("The life of a payment at the sandbox", .serialized, .timeLimit(.minutes(5)))
struct SandboxLifeCycleTests {
    private let sandbox: SandboxProcess

    init() throws { sandbox = try SandboxProcess() }

    private func merchant(_ name: String) throws -> SandboxMerchant {
        try #require(SandboxMerchant.all.first { $0.gateway == name })
    }

    @Test(
        "of Worldline: authorized, captured in parts, refunded, never more than there is",
        arguments: [("worldline-direct", "v2"), ("worldline-connect", "v1")])
    func worldline(_ name: String, _ version: String) async throws {
        let sale = try await merchant(name).message(sandbox)
        let message = try sale.replacing("SALE", with: "PRE_AUTHORIZATION").signedForWorldline()
        let payment = try await message.send(to: sandbox)
        let id = try #require(payment["payment.id"])
        #expect(payment["payment.status"] == "PENDING_CAPTURE")
        let path = "/\(version)/m-1/payments/\(id)"
        func post(_ action: String, _ body: String? = nil) async throws -> SandboxResponse {
            try await SandboxMessage("POST", "\(path)/\(action)", body).signedForWorldline()
                .send(to: sandbox)
        }
        func status() async throws -> String? {
            try await SandboxMessage("GET", path).signedForWorldline().send(to: sandbox)["status"]
        }
        func money(_ amount: Int) -> String {
            #"{"amountOfMoney":{"amount":\#(amount),"currencyCode":"EUR"}}"#
        }
        #expect(try await post("refund", money(1)).status == 402)
        #expect(try await post("capture", #"{"amount":3001}"#).status == 402)
        #expect(try await post("capture", #"{"amount":0}"#).status == 402)
        let capture = try await post("capture", #"{"amount":1000,"isFinal":false}"#)
        #expect(capture.status == 201 && capture["status"] == "CAPTURE_REQUESTED")
        #expect(capture["captureOutput.amountOfMoney.amount"] == "1000")
        #expect(try await status() == (version == "v2" ? "CAPTURED" : "PAID"))
        #expect(try await post("cancel").status == 402)
        #expect(try await post("capture").status == 201)
        #expect(try await post("capture").status == 402)
        #expect(try await post("refund", money(3001)).status == 402)
        let refund = try await post("refund", money(1000))
        #expect(refund.status == 201 && refund["status"] == "REFUND_REQUESTED")
        #expect(refund["refundOutput.amountOfMoney.amount"] == "1000")
        #expect(try await post("refund").status == 201)
        #expect(try await status() == "REFUNDED")
        #expect(try await post("refund").status == 402)
        let refunds = try await SandboxMessage("GET", "\(path)/refunds").signedForWorldline()
            .send(to: sandbox)
        #expect(refunds["refunds.1.refundOutput.amountOfMoney.amount"] == "2000")
        let details = try await SandboxMessage("GET", "\(path)/details").signedForWorldline()
            .send(to: sandbox)
        #expect(details.status == (version == "v2" ? 200 : 404))
        if version == "v2" { #expect(details["Operations.4.status"] == "REFUNDED") }
    }

    @Test("of Worldline: authorized and canceled, and unknown ones are not found")
    func worldlineCancel() async throws {
        let sale = try await merchant("worldline-direct").message(sandbox)
        let message = try sale.replacing("SALE", with: "FINAL_AUTHORIZATION").signedForWorldline()
        let id = try #require(try await message.send(to: sandbox)["payment.id"])
        let path = "/v2/m-1/payments/\(id)"
        let cancel = try SandboxMessage("POST", "\(path)/cancel").signedForWorldline()
        #expect(try await cancel.send(to: sandbox)["payment.status"] == "CANCELLED")
        #expect(try await cancel.send(to: sandbox).status == 402)
        // The other platform's API does not know the payment.
        for other in ["/v1/m-1/payments/\(id)", "/v2/m-1/payments/\(id)9"] {
            let answer = try await SandboxMessage("GET", other).signedForWorldline()
                .send(to: sandbox)
            #expect(answer.status == 404 && answer["errors.0.id"] == "UNKNOWN_PAYMENT_ID")
        }
    }

    @Test("of Worldline's own page: the customer pays there")
    func hostedCheckout() async throws {
        let order = try GatewayFixture.order()
        let checkout = Worldline.HostedCheckout(returnURL: "https://shop.example/r")
        let request = try WorldlineDirect.createHostedCheckout(
            order: order, checkout, account: .init(merchantId: "m-1"))
        let page = try await SandboxMessage(request).signedForWorldline().send(to: sandbox)
        let answer = try Worldline.HostedCheckoutAnswer(page.gateway)
        let id = try #require(answer.hostedCheckoutId)
        let question = try SandboxMessage("GET", "/v2/m-1/hostedcheckouts/\(id)")
            .signedForWorldline()
        let before = try await question.send(to: sandbox)
        #expect(try Worldline.HostedCheckoutStatusAnswer(before.gateway).status == "IN_PROGRESS")
        let address = try #require(answer.redirectURL)
        _ = try await SandboxMessage("GET", String(address.dropFirst(sandbox.origin.count)))
            .send(to: sandbox)
        let after = try await question.send(to: sandbox)
        #expect(try Worldline.HostedCheckoutStatusAnswer(after.gateway).isAuthorized)
    }

    @Test("of bePaid: authorized, captured, refunded, found by uid and tracking_id")
    func bePaid() async throws {
        var message = try await merchant("bepaid").message(sandbox, 3000, "o/1")
        message.target = "/transactions/authorizations"
        let uid = try #require(try await message.send(to: sandbox)["transaction.uid"])
        func post(_ action: String, _ amount: Int, _ parent: String) async throws -> SandboxResponse
        {
            let body =
                #"{"request":{"parent_uid":"\#(parent)","amount":\#(amount),"reason":"returned"}}"#
            return try await SandboxMessage("POST", "/transactions/\(action)", body).withBasic()
                .send(to: sandbox)
        }
        #expect(try await post("voids", 2999, uid).status == 422)
        #expect(try await post("refunds", 1, uid).status == 422)
        #expect(try await post("captures", 3001, uid).status == 422)
        let capture = try await post("captures", 2000, uid)
        #expect(capture["transaction.type"] == "capture" && capture["transaction.amount"] == "2000")
        #expect(try await post("voids", 3000, uid).status == 422)
        let parent = try #require(capture["transaction.uid"])
        let refund = try await post("refunds", 500, parent)
        #expect(try BePaid.TransactionAnswer(refund.gateway).isSuccessful)
        #expect(try await post("refunds", 1501, uid).status == 422)
        #expect(try await post("refunds", 1500, uid).status == 201)
        #expect(try await post("refunds", 1, "unknown").status == 404)
        let found = try await SandboxMessage("GET", "/v2/transactions/tracking_id/o%2F1")
            .withBasic()
            .send(to: sandbox)
        let types = (0..<4).map { found["transactions.\($0).type"] }
        #expect(types == ["authorization", "capture", "refund", "refund"])
        let one = try await SandboxMessage("GET", "/transactions/\(parent)").withBasic()
            .send(to: sandbox)
        #expect(one["transaction.parent_uid"] == uid)
    }

    @Test("of bePaid: authorized and voided, with version 3's answer at the top")
    func bePaidVoid() async throws {
        var message = try await merchant("bepaid").message(sandbox).with("X-API-Version", "3")
        message.target = "/transactions/authorizations"
        let uid = try #require(try await message.send(to: sandbox)["uid"])
        let body = #"{"request":{"parent_uid":"\#(uid)","amount":3000}}"#
        let void = SandboxMessage("POST", "/transactions/voids", body).withBasic()
        #expect(try await void.send(to: sandbox)["transaction.type"] == "void")
        #expect(try await void.send(to: sandbox).status == 422)
    }

    @Test("of Dintero: authorized, captured, refunded, or voided")
    func dintero() async throws {
        for isVoided in [false, true] {
            let merchant = try merchant("dintero")
            let message = try await merchant.message(sandbox)
            let answer = try await message.send(to: sandbox)
            #expect(try await message.send(to: sandbox).status == 409)
            let question = try merchant.status(answer, message, "order-1")
            #expect(try await question.send(to: sandbox)["status"] == "AUTHORIZED")
            func post(_ action: String, _ amount: Int) async throws -> SandboxResponse {
                try await SandboxMessage(
                    "POST", "\(question.target)/\(action)", #"{"amount":\#(amount)}"#
                ).withBearer().send(to: sandbox)
            }
            if isVoided {
                #expect(try await post("void", 0)["status"] == "AUTHORIZATION_VOIDED")
                #expect(try await post("capture", 1)["error.code"] == "INVALID_STATE")
                continue
            }
            #expect(try await post("refund", 1).status == 400)
            #expect(try await post("capture", 3001).status == 400)
            #expect(try await post("capture", 1000)["status"] == "PARTIALLY_CAPTURED")
            #expect(try await post("capture", 2000)["status"] == "CAPTURED")
            #expect(try await post("void", 0).status == 400)
            #expect(try await post("refund", 1)["status"] == "PARTIALLY_REFUNDED")
            #expect(try await post("refund", 2999)["status"] == "REFUNDED")
            let search = try await SandboxMessage(
                "GET", "/v1/transactions?merchant_reference=order-1"
            ).withBearer().send(to: sandbox)
            #expect(search["transactions.0.events.4.event"] == "REFUND")
            let refused = try await question.withBearer("other").send(to: sandbox)
            #expect(refused.status == 401 && refused["error.code"] == "UNAUTHORIZED")
        }
    }

    @Test("of Dintero takes a token only with the access token of its own session")
    func dinteroSession() async throws {
        let message = try await merchant("dintero").message(sandbox)
        let session = message.target.split(separator: "/")[2]
        let submit = SandboxMessage(
            "POST", "/v1/psp/\(session)/applepay/submit", #"{"payment_data":"{}","reference":"r"}"#)
        #expect(try await submit.with("Authorization", "other").send(to: sandbox).status == 401)
        #expect(try await submit.send(to: sandbox).status == 401)
        let unknown = SandboxMessage("POST", "/v1/view/other/payments/dintero_psp.applepay")
        #expect(try await unknown.send(to: sandbox)["error.code"] == "NOT_FOUND")
    }

    @Test("of RBS: held, deposited, refunded, or reversed")
    func rbs() async throws {
        for isReversed in [false, true] {
            let number = isReversed ? "r-2" : "r-1"
            let sale = try await merchant("rbs").message(sandbox, 3000, number)
            let held = sale.replacing(
                #""orderNumber""#, with: #""preAuth":true,"orderNumber""#)
            let payment = try RBS.PaymentAnswer(await held.send(to: sandbox).gateway)
            #expect(payment.orderStatus?.state == .held)
            let id = try #require(payment.orderId)
            func post(_ action: String, _ amount: Int?) async throws -> String? {
                var message = SandboxMessage("POST", "/payment/rest/\(action).do")
                message.headers = [("Content-Type", "application/x-www-form-urlencoded")]
                message.body =
                    "userName=shop-api&password=sandbox-secret&orderId=\(id)"
                    + (amount.map { "&amount=\($0)" } ?? "")
                return try await message.send(to: sandbox)["errorCode"]
            }
            func state() async throws -> RBS.OrderStatus {
                let user = RBS.User(
                    name: "shop-api", password: GatewayFixture.secret("sandbox-secret"))
                let request = try RBS.orderStatus(
                    orderId: id, credentials: .user(user), host: .sandbox)
                return try RBS.OrderStatus(
                    await SandboxMessage(request).send(to: sandbox).gateway)
            }
            #expect(try await post("refund", 1) == "7")
            if isReversed {
                #expect(try await post("reverse", nil) == "0")
                #expect(try await state().state == .cancelled)
                #expect(try await post("deposit", 0) == "7")
                continue
            }
            #expect(try await post("deposit", 3001) == "7")
            #expect(try await post("deposit", nil) == "4")
            #expect(try await post("deposit", 0) == "0")
            let captured = try await state()
            #expect(captured.isPaid && captured.state == .captured)
            #expect(captured.agrees(with: try GatewayFixture.order()))
            #expect(try await post("reverse", nil) == "7")
            #expect(try await post("refund", 1000) == "0")
            #expect(try await state().refundedAmount == 1000)
            #expect(try await post("refund", 2001) == "7")
            #expect(try await post("refund", 2000) == "0")
            #expect(try await state().state == .refunded)
        }
    }

    @Test("of RBS with an encrypted token, whose amount only the description can name")
    func rbsEncrypted() async throws {
        let payment = try GatewayFixture.payment()
        for (amount, isPaid) in [("", true), ("amount 40200", false)] {
            let request = try RBS.payment(
                payment.token, merchant: "shop-api", orderNumber: "e-\(amount.count)",
                options: with(.init()) { $0.description = amount }, host: .sandbox)
            let answer = try RBS.PaymentAnswer(
                await SandboxMessage(request).send(to: sandbox).gateway)
            #expect(answer.isPaid == isPaid)
            #expect(answer.orderStatus?.amount == (isPaid ? nil : 40_200))
        }
    }

    @Test("of Intergiro: log-in, consent, and the scenarios of the card's number")
    func intergiro() async throws {
        let secret = GatewayFixture.secret("sandbox-secret")
        let login = SandboxMessage(try Intergiro.login(apiKey: secret))
        let session = try Intergiro.SessionAnswer(await login.send(to: sandbox).gateway)
        let access = try #require(session.accessToken)
        let wrong = SandboxMessage(try Intergiro.login(apiKey: GatewayFixture.secret("other")))
        #expect(try await wrong.send(to: sandbox).status == 401)
        let card = "7d3fd2a4-2f25-4b6c-8f6a-7e2f0b1f6a10"
        let tokenize = SandboxMessage(try Intergiro.tokenize(cardID: card, accessToken: access))
        let answer = try Intergiro.TokenizeAnswer(await tokenize.send(to: sandbox).gateway)
        let consent = try #require(answer.consent)
        let method = try Intergiro.ConsentAnswer(
            await SandboxMessage(try Intergiro.consent(consent.id, accessToken: access))
                .send(to: sandbox).gateway)
        #expect(method.launchToken != nil && method.redirectURL != nil)
        #expect(try await tokenize.withBearer("other").send(to: sandbox).status == 401)
        for (number, status) in [("000000040200", 403), ("000000050000", 500)] {
            var other = tokenize
            other.target = tokenize.target.replacing("7e2f0b1f6a10", with: number)
            #expect(try await other.send(to: sandbox).status == status)
        }
        let refresh = SandboxMessage(
            try Intergiro.refresh(refreshToken: try #require(session.refreshToken)))
        #expect(try await refresh.send(to: sandbox).status == 200)
        #expect(try await refresh.send(to: sandbox).status == 401)
    }
}
