internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let refreshToken = secret("--refresh-token-env", "the refresh token")
    static let cardID = CommandOption("--card-id", "ID", "the card")
    static let consentID = CommandOption("--consent-id", "ID", "the consent")
    static let staging = flag("--staging", "address the staging server instead of the live one")
}

/// `paytoken request intergiro`; none of its steps takes a payment token.
enum IntergiroRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "login", options: [.apiKey.mandatory, .staging], answer: session, make: login),
        GatewayStep(
            name: "refresh", options: [.refreshToken.mandatory, .staging], answer: session,
            make: refresh),
        GatewayStep(
            name: "tokenize", options: [.accessToken, .cardID.mandatory, .staging],
            answer: .card { Intergiro.tokenizeOutcome($0) }, make: tokenize),
        GatewayStep(
            name: "consent",
            options: [.accessToken, .consentID.mandatory, .returnURL, .staging],
            answer: .card { consentOutcome($0) }, make: consent),
    ]

    private static let session = AnswerReader.preparation {
        response throws(UnreadableJSONError) in _ = try Intergiro.sessionTokens(response)
    }

    /// Returns the outcome of a consent: the app's, or the browser's if the answer has no token for the SDK.
    ///
    /// The request's return address, which selects the browser, is not known here.
    private static func consentOutcome(_ response: GatewayResponse) -> CardOutcome {
        let app = Intergiro.consentOutcome(response, isBrowser: false)
        guard app.state == .unknown else { return app }
        let browser = Intergiro.consentOutcome(response, isBrowser: true)
        return browser.state == .unknown ? app : browser
    }

    private static func login(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let gateway = service(arguments, key: try arguments.secret(.apiKey))
        return try refusing(try gateway.loginRequest())
    }

    private static func refresh(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let token = try arguments.secret(.refreshToken)
        let gateway = service(arguments, key: token)
        return try refusing(try gateway.loginRequest(refreshing: token))
    }

    private static func tokenize(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let cardID = try arguments.required(.cardID)
        let accessToken = try arguments.secretToSend(.accessToken)
        let gateway = service(arguments, key: accessToken)
        return try refusing(try gateway.tokenizeRequest(cardID, accessToken))
    }

    private static func consent(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let id = try arguments.required(.consentID)
        let accessToken = try arguments.secretToSend(.accessToken)
        let returnURL = arguments.text(.returnURL)
        let gateway = service(arguments, key: accessToken)
        return try refusing(
            try gateway.consentRequest(id, accessToken, returnURL: returnURL))
    }

    private static func service(_ arguments: Arguments, key: SensitiveBytes) -> Intergiro {
        var service = Intergiro(
            apiKey: key, environment: arguments.has(.staging) ? .staging : .live)
        if let origin = arguments.text(.origin) { service.origin = origin }
        return service
    }
}
