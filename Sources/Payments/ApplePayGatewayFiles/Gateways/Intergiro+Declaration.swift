internal import ApplePayGateways
internal import ApplePayToken

extension Intergiro {
    static let declaration = DeclaredGateway(
        "intergiro", "Intergiro", Intergiro(apiKey: .unset, environment: .staging), forms: [],
        environment: { $0.origin = ($1 == .live ? Environment.live : .staging).rawValue },
        origin: { $0.origin = $1 },
        gateway: { _ in nil },
        members: [
            .credentials(
                "what a login needs",
                .mandatory(
                    "apiKey", .secret, \.apiKey, "the API key", key: "api_key",
                    example: "INTERGIRO_API_KEY"))
        ] as [FileMember<Intergiro>],
        steps: { service in
            let session = AnswerReader.prepares(Intergiro.sessionTokens)
            return [
                AccountStep("login", "Asks for an access token.", needs: [], reader: session) {
                    _ throws(PaymentTokenError) in try service.loginRequest()
                },
                AccountStep(
                    "refresh", "Asks for an access token with the refresh token of a login.",
                    needs: [.accessToken], reader: session
                ) { input throws(PaymentTokenError) in
                    try service.loginRequest(refreshing: input.token())
                },
                AccountStep(
                    "tokenize", "Begins to add the card --id to Wallet.", needs: [.subject],
                    takes: [.accessToken], reader: .card(Intergiro.tokenizeOutcome)
                ) { input throws(PaymentTokenError) in
                    try service.tokenizeRequest(input.subject, input.token())
                },
                AccountStep(
                    "consent",
                    "Asks the cardholder for the consent --id, in a browser if --url is given.",
                    needs: [.subject], takes: [.accessToken, .url], reader: .card(consent)
                ) { input throws(PaymentTokenError) in
                    try service.consentRequest(
                        input.subject, input.token(), returnURL: input.url.isEmpty ? nil : input.url
                    )
                },
            ]
        })

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
