internal import ApplePayGateways
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
            name: "login", input: .none, options: [.apiKey.mandatory, .staging],
            answer: Intergiro.SessionAnswer.init, make: login),
        GatewayStep(
            name: "refresh", input: .none, options: [.refreshToken.mandatory, .staging],
            answer: Intergiro.SessionAnswer.init, make: refresh),
        GatewayStep(
            name: "tokenize", input: .none, options: [.accessToken, .cardID.mandatory, .staging],
            answer: Intergiro.TokenizeAnswer.init, make: tokenize),
        GatewayStep(
            name: "consent", input: .none,
            options: [.accessToken, .consentID.mandatory, .returnURL, .staging],
            answer: Intergiro.ConsentAnswer.init, make: consent),
    ]

    private static func login(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let apiKey = try arguments.secret(.apiKey)
        return try refusing(
            try Intergiro.login(apiKey: apiKey, environment: environment(arguments)))
    }

    private static func refresh(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let refreshToken = try arguments.secret(.refreshToken)
        return try refusing(
            try Intergiro.refresh(
                refreshToken: refreshToken, environment: environment(arguments)))
    }

    private static func tokenize(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let cardID = try arguments.required(.cardID)
        let accessToken = try arguments.secretToSend(.accessToken)
        return try refusing(
            try Intergiro.tokenize(
                cardID: cardID, accessToken: accessToken, environment: environment(arguments)))
    }

    private static func consent(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        let id = try arguments.required(.consentID)
        let accessToken = try arguments.secretToSend(.accessToken)
        let returnURL = arguments.text(.returnURL)
        return try refusing(
            try Intergiro.consent(
                id, accessToken: accessToken, returnURL: returnURL,
                environment: environment(arguments)))
    }

    private static func environment(_ arguments: Arguments) -> Intergiro.Environment {
        arguments.has(.staging) ? .staging : .live
    }
}
