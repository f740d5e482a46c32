/// Options that the steps of several gateways share; each step may describe them differently.
extension CommandOption {
    static let orderReference = CommandOption(
        "--reference", "TEXT", "what the merchant calls the order")
    static let merchantReference = CommandOption(
        "--merchant-reference", "TEXT", "what the merchant calls the order")
    static let description = CommandOption("--description", "TEXT", "what is paid for")
    static let returnURL = CommandOption(
        "--return-url", "URL", "where the customer returns to the shop")
    static let language = CommandOption("--language", "CODE", "the customer's language")
    static let capture = boolean("--capture", "whether the amount is captured immediately")
    static let idempotencyKey = CommandOption(
        "--idempotency-key", "KEY",
        "the attempt's key, so that a repetition charges once; default: one that is derived from the order's "
            + "reference"
    ).inHeader
    static let orderID = CommandOption("--order-id", "ID", "the gateway's identifier of the order")
    static let clientID = CommandOption("--client-id", "ID", "the client's identifier")

    static let apiKey = secret("--api-key-env", "the API key")
    static let secretKey = secret("--secret-key-env", "the secret key").mandatoryToSend
    static let accessToken = secret("--access-token-env", "the access token").mandatoryToSend

    static let test = flag("--test", "address the gateway's test server instead of the live one")
    static let origin = CommandOption(
        "--origin", "URL",
        "scheme, host and port of the gateway instead of its usual ones; http for loopback addresses only"
    )

    static let authorizedAmount = number(
        "--authorized-amount", "MINOR",
        "the amount that was authorized, or for a refund captured, in minor units: the part may not exceed it"
    )
    static let partAmount = amount.described("the part in minor units; default: all of it")
    static let operationName = CommandOption(
        "--operation", "NAME",
        "your name for the operation, such as refund-1: the same for a repetition, another one for another operation"
    )
    static let operationAmount = number(
        "--operation-amount", "MINOR",
        "the operation's amount in minor units, compared with the answer's; without it, any amount is done"
    )
    static let reason = CommandOption("--reason", "TEXT", "why, for the gateway's records")

    /// The options for the order of a step that takes no token.
    ///
    /// - Parameter reference: The option for the merchant's reference.
    /// - Returns: The options.
    static func wholeOrder(_ reference: CommandOption) -> [CommandOption] {
        [reference, .amount, .currency].map { $0.mandatory(unless: .order) } + [
            .order.described("the order as JSON, instead of its reference, amount and currency")
        ]
    }
}
