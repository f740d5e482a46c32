internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let webhook = flag(
        "--webhook",
        "RESPONSE is a request that the gateway sent, including its first line and headers; its signature is verified"
    )
    static let webhookSecret = CommandOption(
        "--webhook-secret-env", "[KEYID=]VARIABLE",
        "environment variable with the secret that verifies; for Worldline after the key's identifier"
    ).repeatable
    static let publicKey = CommandOption(
        "--public-key", "FILE", "the shop's RSA public key, which verifies bePaid's notifications",
        kind: .file)
    static let accountID = CommandOption("--account-id", "ID", "the account at Dintero")
}

/// Verifies a gateway's message with the keys of the options.
struct WebhookOptions {
    static let options: [CommandOption] = [
        .webhook, .webhookSecret,
        .worldlineMerchantID.described("the merchant at Worldline whose messages are accepted"),
        .publicKey, .accountID,
        .receiptTime.described("when the message was received, in ISO 8601; default: now"),
    ]

    /// Verifies and reads a message.
    let read: (GatewayMessage) throws(GatewayMessageError) -> GatewayMessageContents

    init(_ arguments: Arguments, _ gateway: Gateway) throws(CommandFailure) {
        let mandatory = try Self.mandatory(for: gateway)
        let optional: [CommandOption] = gateway == .dintero ? [.receiptTime] : []
        let subject = "a webhook of \(gateway.rawValue)"
        let allowed = [.webhook] + mandatory + optional
        if let other = Self.options.first(where: { arguments.has($0) && !allowed.contains($0) }) {
            throw .usage("\(other) is not an option for \(subject); leave it out.")
        }
        try arguments.require(mandatory, for: subject)
        let account: any PaymentGateway
        switch gateway {
        case .bePaid:
            let path = try arguments.required(.publicKey)
            let text = try FileContents.bytes(of: path, limit: 1 << 14)
            account = BePaidRequest.account(
                key: try failing(path) { () throws(GatewayMessageError) in
                    try BePaid.NotificationKey(String(decoding: text, as: UTF8.self))
                })
        case .dintero:
            guard arguments.all(.webhookSecret).count == 1 else {
                throw .usage("give \(CommandOption.webhookSecret) once for \(subject).")
            }
            account = DinteroRequest.account(
                try arguments.required(.accountID),
                secret: try Self.secret(try arguments.required(.webhookSecret)))
        case .worldlineConnect:
            var connect = try WorldlineConnectRequest.gateway(arguments)
            connect.webhookKeys = try Self.keys(arguments)
            account = connect
        default:
            var direct = try WorldlineDirectRequest.gateway(arguments)
            direct.webhookKeys = try Self.keys(arguments)
            account = direct
        }
        let time = try arguments.time(.receiptTime) ?? Date()
        read = { message throws(GatewayMessageError) in
            try account.read(message, receivedAt: time)
        }
    }

    /// Returns the options with which a gateway's messages are verified.
    private static func mandatory(
        for gateway: Gateway
    ) throws(CommandFailure) -> [CommandOption] {
        switch gateway {
        case .worldlineDirect, .worldlineConnect: return [.webhookSecret, .worldlineMerchantID]
        case .bePaid: return [.publicKey]
        case .dintero: return [.webhookSecret, .accountID]
        case .rbs, .intergiro, .cyberSource, .checkout, .adyen, .payPal:
            throw .usage(
                "\(CommandOption.webhook) is only for worldline-direct, worldline-connect, bepaid and dintero."
            )
        }
    }

    /// Returns the secrets by the identifiers of their keys.
    private static func keys(
        _ arguments: Arguments
    ) throws(CommandFailure) -> [String: SensitiveBytes] {
        var keys: [String: SensitiveBytes] = [:]
        for text in arguments.all(.webhookSecret) {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty, keys[String(sides[0])] == nil else {
                throw .usage(
                    "\(CommandOption.webhookSecret) takes KEYID=VARIABLE for Worldline, with each KEYID once."
                )
            }
            keys[String(sides[0])] = try secret(String(sides[1]))
        }
        return keys
    }

    /// Returns the value of a variable; an error does not repeat the given name, which may be the secret itself.
    private static func secret(_ variable: String) throws(CommandFailure) -> SensitiveBytes {
        guard let secret = EnvironmentVariable.read(variable), secret.count > 0 else {
            throw Arguments.unset(.webhookSecret)
        }
        return secret
    }
}
