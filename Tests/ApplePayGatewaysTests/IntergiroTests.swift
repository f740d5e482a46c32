import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayToken
import Foundation
import Testing

@Suite("Intergiro")
struct IntergiroTests {
    private let token = GatewayFixture.secret("eyJraWQiOiIxIn0")
    private let consentID = "0f6f6f86-8f0f-4f7e-9b53-0c7c3a9a1a11"

    private func response(_ status: Int, _ body: String) -> GatewayResponse {
        GatewayResponse(status: status, body: Array(body.utf8))
    }

    @Test("logs in and renews, byte for byte")
    func session() async throws {
        let login = try Intergiro.login(
            apiKey: GatewayFixture.secret("c5f90f4b-9d69-416a-8611-8a8c8d605c36"))
        try await GatewayFixture.expect(login, is: "intergiro-login-minimal")
        #expect(!"\(login)".contains("c5f90f4b"))
        try await GatewayFixture.expect(
            Intergiro.refresh(refreshToken: GatewayFixture.secret("eyJzZXNzaW9uSWQiOiJmMjUa")),
            is: "intergiro-refresh-minimal")
    }

    @Test("asks for a card and for its consent, byte for byte; a body is there or absent")
    func flow() async throws {
        try await GatewayFixture.expect(
            Intergiro.tokenize(
                cardID: "7d3fd2a4-2f25-4b6c-8f6a-7e2f0b1f6a10", accessToken: token),
            is: "intergiro-tokenize-minimal")
        let consent = try Intergiro.consent(consentID, accessToken: token)
        try await GatewayFixture.expect(consent, is: "intergiro-consent-minimal")
        #expect(consent.body == nil)
        try await GatewayFixture.expect(
            Intergiro.consent(
                consentID, accessToken: token, returnURL: "https://shop.example/done",
                environment: .staging),
            is: "intergiro-consent-full")
    }

    @Test("refuses empty texts, which Intergiro does not take, and what breaks a header or a path")
    func refusals() {
        let empty = GatewayFixture.secret("")
        GatewayFixture.expectRefusal(.unsupportedLength, "api_key") {
            try Intergiro.login(apiKey: empty)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "refresh_token") {
            try Intergiro.refresh(refreshToken: empty)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "card_id") {
            try Intergiro.tokenize(cardID: "", accessToken: token)
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "card_id") {
            try Intergiro.tokenize(cardID: "..", accessToken: token)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "access_token") {
            try Intergiro.tokenize(cardID: "1", accessToken: empty)
        }
        GatewayFixture.expectRefusal(.unsupportedCharacter, "access_token") {
            try Intergiro.tokenize(cardID: "1", accessToken: GatewayFixture.secret("a\r\nb"))
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "consent_id") {
            try Intergiro.consent("", accessToken: token)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, "return_url") {
            try Intergiro.consent(consentID, accessToken: token, returnURL: "")
        }
    }

    @Test("reads a session")
    func sessionAnswer() throws {
        let answer = try Intergiro.SessionAnswer(
            response(200, #"{"access_token":"a1","refresh_token":"r1"}"#))
        #expect(answer.accessToken?.revealText() == "a1")
        #expect(answer.refreshToken?.revealText() == "r1")
        #expect(!"\(answer)".contains("a1"))
        let refused = try Intergiro.SessionAnswer(response(401, ""))
        #expect(refused.httpStatus == 401)
        #expect(refused.accessToken == nil)
        let error = #expect(throws: UnreadableJSONError.self) {
            try Intergiro.SessionAnswer(response(200, #"{"access_token":"a1"}"#))
        }
        #expect(error?.code == .missingMember)
        #expect(error?.field == "refresh_token")
    }

    @Test("expects 412, and reads the consent that it names")
    func tokenizeAnswer() throws {
        let answer = try Intergiro.TokenizeAnswer(
            response(
                412,
                #"{"consent":{"id":"\#(consentID)","status":"pending","scope":["apple_pay"],"#
                    + #""expires_at":"2022-06-01T12:00:00.500Z"}}"#))
        #expect(answer.consent?.id == consentID)
        #expect(answer.consent?.status == "pending")
        #expect(answer.consent?.scope == ["apple_pay"])
        #expect(answer.consent?.expiresAt == Date(timeIntervalSince1970: 1_654_084_800.5))
        let short = try Intergiro.TokenizeAnswer(
            response(412, #"{"consent":{"id":"\#(consentID)","status":"pending"}}"#))
        #expect(short.consent?.expiresAt == nil)
        let expired = try Intergiro.TokenizeAnswer(response(401, ""))
        #expect(expired.isSessionExpired)
        #expect(expired.consent == nil)
        #expect(try Intergiro.TokenizeAnswer(response(200, "{}")).consent == nil)
        let error = #expect(throws: UnreadableJSONError.self) {
            try Intergiro.TokenizeAnswer(response(412, #"{"consent":{"status":"pending"}}"#))
        }
        #expect(error?.code == .missingMember)
        #expect(error?.field == "consent.id")
    }

    @Test(
        "reads times in both of Intergiro's forms",
        arguments: [
            ("2022-06-01T12:00:00.500Z", 1_654_084_800.5),
            ("2022-06-01T14:00:00+02:00", 1_654_084_800),
            ("2022-06-01T06:30:00-05:30", 1_654_084_800), ("1969-12-31T23:59:59Z", -1),
            ("2024-02-29T00:00:00Z", 1_709_164_800), ("2023-02-29T00:00:00Z", nil),
            ("2022-06-01T12:00:00", nil), ("2022-06-01 12:00:00Z", nil),
            ("2022-13-01T12:00:00Z", nil), ("2022-06-01T24:00:00Z", nil),
            ("2022-06-01T12:00:00.Z", nil), ("2022-06-01T12:00:00Zx", nil),
            ("2022-06-01T12:00:00+0200", nil), ("", nil),
        ] as [(String, Double?)]
    )
    func times(_ text: String, _ seconds: Double?) throws {
        let body = #"{"method":{"redirect_url":"https://a","expires_at":"\#(text)"}}"#
        if let seconds {
            let answer = try Intergiro.ConsentAnswer(response(200, body))
            #expect(answer.expiresAt == Date(timeIntervalSince1970: seconds))
        } else {
            let error = #expect(throws: UnreadableJSONError.self) {
                try Intergiro.ConsentAnswer(response(200, body))
            }
            #expect(error?.code == .wrongType)
            #expect(error?.field == "method.expires_at")
        }
    }

    @Test("reads the launch token of the app's flow and the address of the browser's")
    func consentAnswer() throws {
        let app = try Intergiro.ConsentAnswer(
            response(200, #"{"method":{"redirect_url":"https://a","token":"t1"}}"#))
        #expect(app.launchToken?.revealText() == "t1")
        #expect(app.redirectURL == "https://a")
        #expect(!"\(app)".contains("t1"))
        let browser = try Intergiro.ConsentAnswer(
            response(200, #"{"method":{"redirect_url":"https://a","token":null}}"#))
        #expect(browser.launchToken == nil)
        #expect(try Intergiro.ConsentAnswer(response(401, "")).isSessionExpired)
        for (body, code, field) in [
            (#"{"method":{}}"#, UnreadableJSONError.Code.missingMember, "method.token"),
            (#"{"method":{"token":7}}"#, .wrongType, "method.token"), ("", .notJSON, ""),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) {
                try Intergiro.ConsentAnswer(response(200, body))
            }
            #expect(error?.code == code)
            #expect(error?.field == field)
        }
    }

    @Test("reads the callback's payloads and error codes")
    func launch() throws {
        #expect(
            try Intergiro.LaunchAnswer(Array(#"{"status":"approved"}"#.utf8)).status == .approved)
        #expect(try Intergiro.LaunchAnswer(Array(#"{"status":"error"}"#.utf8)).status == .error)
        for (body, code) in [
            (#"{"status":"done"}"#, UnreadableJSONError.Code.wrongType), ("{}", .missingMember),
        ] {
            let error = #expect(throws: UnreadableJSONError.self) {
                try Intergiro.LaunchAnswer(Array(body.utf8))
            }
            #expect(error?.code == code)
            #expect(error?.field == "status")
        }
        #expect(
            (0...5).map { Intergiro.LaunchError(rawValue: $0) } == Intergiro.LaunchError.allCases)
        #expect(Intergiro.LaunchError(rawValue: 2) == .missedToken)
        #expect(Intergiro.LaunchError.domain == "IntergiroSDK.IntergiroError")
    }
}

extension GatewayExamples {
    func intergiro() async throws -> PaymentOutcome {
        let session = try await Intergiro.SessionAnswer(
            transport.send(Intergiro.login(apiKey: secret)))
        guard let accessToken = session.accessToken else { return session.outcome }
        let asked = try await Intergiro.TokenizeAnswer(  // 412 is what is expected
            transport.send(Intergiro.tokenize(cardID: "card-1", accessToken: accessToken)))
        guard let consent = asked.consent else { return asked.outcome }
        let answer = try await Intergiro.ConsentAnswer(
            transport.send(Intergiro.consent(consent.id, accessToken: accessToken)))
        return answer.outcome  // answer.launchToken is for Intergiro.launch in the app
    }
}
