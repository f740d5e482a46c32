internal import ApplePayGateways
internal import ApplePayToken

extension Intergiro {
    static let declaration = GatewayDeclaration<Intergiro>(
        "intergiro", "Intergiro", Intergiro(apiKey: .unset, environment: .staging), forms: [],
        environment: { service, environment in
            service.origin =
                (environment == .live ? Environment.live : Environment.staging).rawValue
        },
        origin: { $0.origin = $1 },
        gateway: { _ in nil },
        members: [
            .group(
                "credentials", "what a login needs",
                [
                    .secret(
                        "apiKey", \.apiKey, "the API key", key: "api_key",
                        variable: "INTERGIRO_API_KEY")
                ])
        ],
        steps: [
            GatewayStep("login", "Asks for an access token.", needs: [], reader: session) {
                service, _ throws(PaymentTokenError) in try service.loginRequest()
            },
            GatewayStep(
                "refresh", "Asks for an access token with the refresh token of a login.",
                needs: [.accessToken], reader: session
            ) { service, input throws(PaymentTokenError) in
                try service.loginRequest(refreshing: input.token())
            },
            GatewayStep(
                "tokenize", "Begins to add the card --id to Wallet.", needs: [.subject],
                takes: [.accessToken],
                reader: .card { Intergiro.tokenizeOutcome($0) }
            ) { service, input throws(PaymentTokenError) in
                try service.tokenizeRequest(input.subject, input.token())
            },
            GatewayStep(
                "consent",
                "Asks the cardholder for the consent --id, in a browser if --url is given.",
                needs: [.subject], takes: [.accessToken, .url],
                reader: .card { consent($0) }
            ) { service, input throws(PaymentTokenError) in
                try service.consentRequest(
                    input.subject, input.token(), returnURL: input.url.isEmpty ? nil : input.url)
            },
        ])

    private static let session = AnswerReader.preparation {
        response throws(UnreadableJSONError) in _ = try Intergiro.sessionTokens(response)
    }

    /// Returns the outcome of a consent: the app's, or the browser's if the answer has no token for the SDK.
    ///
    /// The request's return address, which selects the browser, is not known when the answer is read.
    private static func consent(_ response: GatewayResponse) -> CardOutcome {
        let app = Intergiro.consentOutcome(response, isBrowser: false)
        guard app.state == .unknown else { return app }
        let browser = Intergiro.consentOutcome(response, isBrowser: true)
        return browser.state == .unknown ? app : browser
    }
}
