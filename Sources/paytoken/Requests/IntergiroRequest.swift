internal import ApplePayGateways
internal import ApplePayToken

/// `paytoken request intergiro`: no step of it has a payment token.
enum IntergiroRequest: GatewayRequestCommand {
    static let steps = [
        GatewayStep(
            name: "login", input: .none, options: ["--api-key-env"], flags: ["--staging"],
            make: login),
        GatewayStep(
            name: "refresh", input: .none, options: ["--refresh-token-env"], flags: ["--staging"],
            make: refresh),
        GatewayStep(
            name: "tokenize", input: .none, options: ["--access-token-env", "--card-id"],
            flags: ["--staging"], make: tokenize),
        GatewayStep(
            name: "consent", input: .none,
            options: ["--access-token-env", "--consent-id", "--return-url"],
            flags: ["--staging"], make: consent),
    ]

    private static func login(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let apiKey = try RequestOption.secret(arguments, "--api-key-env")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Intergiro.login(apiKey: apiKey, environment: environment(arguments))
        }
    }

    private static func refresh(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let refreshToken = try RequestOption.secret(arguments, "--refresh-token-env")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Intergiro.refresh(
                refreshToken: refreshToken, environment: environment(arguments))
        }
    }

    private static func tokenize(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let cardID = try RequestOption.mandatory(arguments, "--card-id")
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Intergiro.tokenize(
                cardID: cardID, accessToken: accessToken, environment: environment(arguments))
        }
    }

    private static func consent(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> GatewayRequest {
        let id = try RequestOption.mandatory(arguments, "--consent-id")
        let accessToken = try RequestOption.secret(arguments, "--access-token-env")
        let returnURL = try RequestOption.text(arguments, "--return-url")
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Intergiro.consent(
                id, accessToken: accessToken, returnURL: returnURL,
                environment: environment(arguments))
        }
    }

    private static func environment(_ arguments: Arguments) -> Intergiro.Environment {
        arguments.has("--staging") ? .staging : .live
    }
}
