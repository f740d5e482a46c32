import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@Suite("Dintero")
struct DinteroTests {
    private let secret = GatewayFixture.secret("merchant.access-token")
    private let item = with(Dintero.Item(id: "i1", lineId: "1", description: "Item", amount: 20100))
    {
        $0.vatAmount = 4020
        $0.vatBasisPoints = 2500
    }

    private func response(_ body: String, _ status: Int = 200) -> GatewayResponse {
        GatewayResponse(status: status, body: Array(body.utf8))
    }

    private func operations(
        href: String =
            "https://psp.dintero.example/v1/applepay/submit?access_token=eyJ0%2B/a.b%3D%3D",
        method: String = "POST",
        rel: String = "submit-dintero-psp-applepay"
    ) -> String {
        #"{"operations":[{"href":"https://x.example/validate","method":"POST","#
            + #""rel":"validate-dintero-psp-applepay-merchant"},{"href":"\#(href)","#
            + #""method":"\#(method)","rel":"\#(rel)","content_type":"application/json","#
            + #""supported_networks":["visa","masterCard"],"merchant_country":"NO"}]}"#
    }

    private func submission(_ body: String) throws -> Dintero.Submission {
        try #require(try Dintero.OperationsAnswer(response(body)).submission)
    }

    @Test("session requests, with Bearer and integer minor units")
    func session() async throws {
        let order = try GatewayFixture.order(20100, "NOK")
        var session = Dintero.Session(
            returnURL: "yourapp://redirect?initial_recipient=merchant",
            merchantReference: "order-1")
        try await GatewayFixture.expect(
            Dintero.createSession(session, order: order, accessToken: secret),
            is: "dintero-session-minimal")
        session.callbackURL = "https://shop.example/cb"
        session.items = [item]
        session.settings = .inApp(generatesPaymentToken: true)
        session.expiresAt = "2099-12-31T23:23:59.999Z"
        let full = try Dintero.createSession(session, order: order, accessToken: secret)
        try await GatewayFixture.expect(full, is: "dintero-session-full")
        #expect(!"\(full)".contains("merchant.access-token"))
        try await GatewayFixture.expect(
            Dintero.createSession(
                with(
                    Dintero.Session(
                        returnURL: "https://shop.example/r", merchantReference: "order-1")
                ) {
                    $0.settings = .profile("default")
                },
                order: GatewayFixture.order(1234, "JPY"), accessToken: secret),
            is: "dintero-session-profile")
    }

    @Test(
        "a tax rate is written without floating point",
        arguments: [(2500, "25"), (2550, "25.5"), (1, "0.01"), (775, "7.75"), (0, "0")])
    func vat(_ basisPoints: Int64, _ text: String) throws {
        var item = item
        item.vatBasisPoints = basisPoints
        let request = try Dintero.createSession(
            with(Dintero.Session(returnURL: "", merchantReference: "")) { $0.items = [item] },
            order: GatewayFixture.order(), accessToken: secret)
        #expect(request.body?.revealText().contains(#""vat":\#(text)}"#) == true)
    }

    @Test("a session that cannot be said is refused")
    func refusals() throws {
        let session = Dintero.Session(returnURL: "", merchantReference: "")
        for token in ["", "a\r\nX-Other: 1", "a\n", "a b", "é"] {
            GatewayFixture.expectRefusal(
                token.isEmpty ? .unsupportedLength : .unsupportedCharacter, "access_token"
            ) {
                try Dintero.createSession(
                    session, order: GatewayFixture.order(),
                    accessToken: GatewayFixture.secret(token))
            }
        }
        GatewayFixture.expectRefusal(.unsupportedAmount, "amount") {
            try Dintero.createSession(
                session, order: GatewayFixture.order(-1), accessToken: secret)
        }
        for vat: Int64 in [-1, 10_001] {
            var item = item
            item.vatBasisPoints = vat
            GatewayFixture.expectRefusal(.unsupportedAmount, "vat") {
                try Dintero.createSession(
                    with(Dintero.Session(returnURL: "", merchantReference: "")) {
                        $0.items = [item]
                    },
                    order: GatewayFixture.order(), accessToken: secret)
            }
        }
    }

    @Test("operations and pay requests carry no credentials")
    func otherRequests() async throws {
        try await GatewayFixture.expect(
            Dintero.operations(sessionId: "P12345678.abc"), is: "dintero-operations-minimal")
        try await GatewayFixture.expect(
            Dintero.operations(sessionId: "a/b?c", forceNew: true, sendsEmptyObject: true),
            is: "dintero-operations-full")
        try await GatewayFixture.expect(
            Dintero.pay(sessionId: "P12345678.abc", transactionId: "T1"), is: "dintero-pay")
        let odd = try Dintero.pay(sessionId: "../x", transactionId: #"T"1"#)
        #expect(odd.path == "/v1/sessions/..%2Fx/pay")
        #expect(odd.body?.revealText().contains(#""psp_transaction_id":"T\"1""#) == true)
        GatewayFixture.expectRefusal(.unsupportedLength, "session_id") {
            try Dintero.operations(sessionId: "")
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "session_id") {
            try Dintero.pay(sessionId: "..", transactionId: "T1")
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "psp_transaction_id") {
            try Dintero.pay(sessionId: "P1", transactionId: "")
        }
    }

    @Test("the token is posted with access_token moved from the address to a bare header")
    func token() async throws {
        let reference = "7B7F0E5C-2C0C-4A2B-9B0C-3C7C6B0E9C11"
        let full = try submission(
            operations(
                href: "https://psp.dintero.example/v1/applepay/submit?session=a%20b"
                    + "&access_token=eyJ0%2B/a.b%3D%3D&n=1#top",
                method: "PUT"))
        let request = try Dintero.submitToken(
            StubTokens.whole(), to: full, reference: reference)
        try await GatewayFixture.expect(request, is: "dintero-token-full")
        #expect(try request.body?.revealText() == StubTokens.string("dintero_body"))
        #expect(!request.url.contains("access_token") && !"\(request)".contains("eyJ0"))
        #expect(!"\(full)".contains("eyJ0"))
        #expect(full.supportedNetworks == ["visa", "masterCard"] && full.merchantCountry == "NO")
        #expect(full.contentType == "application/json")
        try await GatewayFixture.expect(
            Dintero.submitToken(
                StubTokens.bare(), to: submission(operations()), reference: reference),
            is: "dintero-token-minimal")
    }

    @Test("an access token is decoded once, and its plus sign is no space")
    func accessToken() throws {
        let operation = try submission(
            operations(href: "https://h.example/p?access_token=a%252Bb+c"))
        #expect(operation.accessToken.revealText() == "a%2Bb+c")
        #expect(operation.query.isEmpty && operation.path == "/p")
    }

    @Test("the token keeps applicationData")
    func applicationData() throws {
        let hash = String(repeating: "ab", count: 32)
        let token = try StubTokens.bare {
            $0.replacing(#""header":{"#, with: #""header":{"applicationData":"\#(hash)","#)
        }
        let request = try Dintero.submitToken(
            token, to: submission(operations()), reference: "r")
        #expect(request.body?.revealText().contains(#"\"applicationData\":\"\#(hash)\""#) == true)
        let verified = try Dintero.submitToken(
            GatewayFixture.payment().token, to: submission(operations()), reference: "r")
        #expect(verified.body?.revealText().contains(#"\"version\":\"EC_v1\""#) == true)
    }

    @Test("operations that lead nowhere safe are refused")
    func badOperations() throws {
        let name = "submit-dintero-psp-applepay"
        for (body, code, field) in [
            (
                operations(rel: "other"), UnreadableJSONError.Code.missingMember,
                "operations.\(name)"
            ),
            ("{}", .missingMember, "operations.\(name)"),
            (#"{"operations":[{"rel":"\#(name)"}]}"#, .missingMember, "href"),
            (#"{"operations":[{"rel":"\#(name)","href":""}]}"#, .missingMember, "method"),
            (operations(method: "POST\\r\\nX: 1"), .wrongType, "method"),
            (operations(method: ""), .wrongType, "method"),
            (operations(href: "http://h.example/p?access_token=a"), .wrongType, "href"),
            (operations(href: "https:///p?access_token=a"), .wrongType, "href"),
            (operations(href: "https://a@h.example/p?access_token=a"), .wrongType, "href"),
            (operations(href: "https://h.example/p\\r\\n?access_token=a"), .wrongType, "href"),
            (operations(href: "https://h.example/p?access_token=%2"), .wrongType, "href"),
            (operations(href: "https://h.example/p"), .missingMember, "href.access_token"),
            (
                operations(href: "https://h.example/p?access_token="), .wrongType,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=a%0D%0Ab"), .wrongType,
                "href.access_token"
            ),
            (
                operations(href: "https://h.example/p?access_token=a&access_token=b"), .wrongType,
                "href.access_token"
            ),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) {
                try Dintero.OperationsAnswer(response(body))
            }
            #expect(error?.code == code && error?.field == field, "\(body)")
        }
    }

    @Test("the token goes to a loopback address without TLS too, for a server of the tests")
    func loopback() throws {
        let place = try #require(
            try Dintero.OperationsAnswer(
                response(operations(href: "http://127.0.0.1:8080/p?access_token=a"))
            ).submission)
        #expect(place.origin == "http://127.0.0.1:8080" && place.path == "/p")
    }

    @Test("session and submission answers, success and refusal")
    func answers() throws {
        let session = try Dintero.SessionAnswer(
            response(#"{"id":"P1","url":"https://checkout.dintero.com/v1/view/P1"}"#))
        #expect(session.sessionId == "P1" && session.refusal == nil && session.url != nil)
        let submitted = try Dintero.SubmissionAnswer(
            response(
                #"{"payment_id":"p","transaction_id":"T1","type":"APPLE_PAY_AUTHENTICATION"}"#))
        #expect(submitted.transactionId == "T1" && submitted.paymentId == "p")
        #expect(submitted.type == "APPLE_PAY_AUTHENTICATION")
        let refused = response(
            #"{"error":{"code":"NOT FOUND","message":"no such session"},"id":"x","transaction_id":1}"#,
            404)
        #expect(try Dintero.SessionAnswer(refused).sessionId == nil)
        #expect(try Dintero.SubmissionAnswer(refused).transactionId == nil)
        let operations = try Dintero.OperationsAnswer(refused)
        #expect(operations.submission == nil && operations.refusal?.code == "NOT FOUND")
        #expect(operations.refusal?.message == "no such session")
        for (field, read) in [
            ("id", { _ = try Dintero.SessionAnswer($0) }),
            ("transaction_id", { _ = try Dintero.SubmissionAnswer($0) }),
            ("success", { _ = try Dintero.PayAnswer($0) }),
        ] as [(String, (GatewayResponse) throws -> Void)] {
            let error = #expect(throws: UnreadableJSONError.self) { try read(response("{}")) }
            #expect(error?.code == .missingMember && error?.field == field)
        }
    }

    @Test(
        "reads both documented shapes of a success",
        arguments: [
            (200, #"{"success":true,"redirect_url":"https://r"}"#, true, true),
            (200, #"{"success":false,"redirect_url":"https://r"}"#, false, false),
            (200, #"{"return_url":"https://r"}"#, nil, true),
            (500, #"{"success":true,"return_url":"https://r"}"#, true, false),
        ])
    func pay(_ status: Int, _ body: String, _ success: Bool?, _ isSuccessful: Bool) throws {
        let answer = try Dintero.PayAnswer(response(body, status))
        #expect(answer.success == success && answer.isSuccessful == isSuccessful)
        #expect(answer.returnURL == "https://r")
        let error = #expect(throws: UnreadableJSONError.self) {
            try Dintero.PayAnswer(response(#"{"success":1}"#))
        }
        #expect(error?.code == .wrongType && error?.field == "success")
    }
}

extension GatewayExamples {
    func dintero() async throws -> PaymentOutcome {
        let session = Dintero.Session(returnURL: "shop://return", merchantReference: "order-1001")
        let created = try await Dintero.SessionAnswer(
            transport.send(Dintero.createSession(session, order: order, accessToken: secret)))
        guard let id = created.sessionId else { return created.outcome }
        let operations = try await Dintero.OperationsAnswer(
            transport.send(Dintero.operations(sessionId: id)))
        guard let place = operations.submission else { return operations.outcome }
        let accepted = try await acceptor.accept(body, order: order)  // verifies, compares, claims
        let submitted = try await Dintero.SubmissionAnswer(
            transport.send(
                Dintero.submitToken(accepted.payment, to: place, reference: "order-1001")))
        guard let transaction = submitted.transactionId else {
            try await accepted.release()  // nothing is charged before the next request
            return submitted.outcome
        }
        let request = try Dintero.pay(sessionId: id, transactionId: transaction)
        do {
            let response = try await transport.send(request)
            try await accepted.confirm()  // the charge was sent, whatever its outcome
            return PaymentOutcome(response, order: order, Dintero.PayAnswer.init)
        } catch let error as GatewayTransportError {
            if !error.requestMayHaveReachedGateway { try await accepted.release() }
            guard let outcome = error.outcome else { throw error }
            return outcome  // unknown: the claim stays open; ask the gateway
        }
    }
}
