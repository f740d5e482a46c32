import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

extension IntergiroTests: GatewaySuite {
    static let gatewayName = "intergiro"

    static func accounts(of merchant: ExampleMerchant) -> [any TestedGateway] {
        []
    }

    static func cardReading(
        of vector: AnswerVector, _ response: GatewayResponse, _ text: String
    ) -> AnswerReading? {
        switch vector.step {
        case "tokens":
            guard let tokens = try? Intergiro.sessionTokens(response) else {
                return AnswerReading(state: "refused")
            }
            return AnswerReading(
                state: "pending", nil,
                [
                    "accessToken": ExactText(tokens.accessToken.revealText()),
                    "refreshToken": ExactText(tokens.refreshToken.revealText()),
                ])
        case "tokenize":
            let outcome = Intergiro.tokenizeOutcome(response)
            return AnswerReading(outcome, pending: outcome.consentID != nil)
        case "consent":
            let isBrowser = vector.order?.options?["returnURL"] != nil
            return AnswerReading(Intergiro.consentOutcome(response, isBrowser: isBrowser))
        default: return AnswerReading(Intergiro.launchOutcome(Array(text.utf8)))
        }
    }
}

@Suite("Intergiro")
struct IntergiroTests {
    private static let token = GatewayFixture.secret("eyJraWQiOiIxIn0")
    private static let consentID = "0f6f6f86-8f0f-4f7e-9b53-0c7c3a9a1a11"

    private static func service(_ environment: Intergiro.Environment = .live) -> Intergiro {
        let key = GatewayFixture.secret("c5f90f4b-9d69-416a-8611-8a8c8d605c36")
        return Intergiro(apiKey: key, environment: environment)
    }

    static let vectors = [
        RequestVector("intergiro-login-minimal") { try service().loginRequest() },
        RequestVector("intergiro-tokenize-minimal") {
            try service().tokenizeRequest("7d3fd2a4-2f25-4b6c-8f6a-7e2f0b1f6a10", token)
        },
        RequestVector("intergiro-consent-minimal") {
            try service().consentRequest(ExactText(consentID), token, returnURL: nil)
        },
        RequestVector("intergiro-consent-full") {
            try service(.staging).consentRequest(
                ExactText(consentID), token, returnURL: "https://shop.example/done")
        },
    ]

    @Test("receives no body in the app's flow, which differs from an empty object")
    func absentBodies() throws {
        let service = Self.service()
        #expect(try service.consentRequest("1", Self.token, returnURL: nil).body == nil)
        #expect(try service.tokenizeRequest("1", Self.token).body == nil)
    }

    @Test("gets a login first, and the card's identifier is checked before")
    func addCard() throws {
        let service = Self.service()
        let call = try service.addition(of: "1", returnURL: "https://shop.example/done")
        #expect(
            try GatewayFixture.text(call.request(at: .distantPast))
                == GatewayVector.request("intergiro-login-minimal"))
        #expect(!call.canMoveMoney && call.attempt == nil)
        for (cardID, returnURL, code, field) in [
            ("", nil, .unsupportedLength, "card_id"), (".", nil, .unsupportedCharacter, "card_id"),
            ("1", "", .unsupportedLength, "return_url"),
        ] as [(String, String?, PaymentError.Code, String)] {
            GatewayFixture.expectRefusal(code, field) {
                try service.addition(of: ExactText(cardID), returnURL: returnURL).request(
                    at: .distantPast)
            }
        }
        let keyless = Intergiro(apiKey: GatewayFixture.secret(""), environment: .live)
        GatewayFixture.expectRefusal(.unsupportedLength, "api_key") {
            try keyless.addition(of: "1", returnURL: nil).request(at: .distantPast)
        }
    }

    @Test(
        "is asked at the servers of each environment",
        arguments: [
            (.live, "https://3d.intergiro.com"), (.staging, "https://3d.staging.intergiro.tech"),
        ] as [(Intergiro.Environment, String)])
    func servers(_ environment: Intergiro.Environment, _ origin: String) throws {
        let service = Self.service(environment)
        let requests = [
            try service.loginRequest(), try service.tokenizeRequest("c", Self.token),
            try service.consentRequest("c", Self.token, returnURL: nil),
        ]
        #expect(
            requests.map(\.url) == [
                "\(origin)/v3/auth/login", "\(origin)/v3/cards/c/apple_pay/tokenize",
                "\(origin)/v3/consents/c",
            ])
    }
}

/// The flow of Intergiro, as its page in Sources/Payments/ApplePayGateways/Docs.docc prints it.
struct IntergiroExample {
    let secret: SensitiveBytes

    func intergiro(_ transport: some GatewayTransport, origin: String) async throws
        -> SensitiveBytes?
    {
        let transport = MovingTransport(transport: transport, origin: origin)
        let service = Intergiro(apiKey: secret, environment: .staging)
        let outcome = try await service.addCard("card-1", over: transport)
        guard outcome.state == .launch else { return nil }
        return outcome.launchToken  // for Intergiro.launch in the app
    }
}

/// Sends requests to another server than the one that they name.
private struct MovingTransport: GatewayTransport {
    let transport: any GatewayTransport
    let origin: String

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        try await transport.send(
            GatewayRequest(
                method: request.method, origin, request.path, query: request.query,
                headers: request.headers, body: request.body))
    }
}
