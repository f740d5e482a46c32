internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePaySession
internal import ApplePayWire

extension CommandOption {
    static let domain = CommandOption(
        "--domain", "DOMAIN", "the page's domain, as registered with Apple, such as shop.example")
    static let paymentGateway = CommandOption(
        "--messages-gateway", "URL",
        "instead of a domain: the payment gateway's address, for Messages for Business")
    static let displayName = CommandOption(
        "--display-name", "NAME", "the shop's name for the payment sheet, at most 64 characters")
    static let validationURL = CommandOption(
        "--validation-url", "URL",
        "with \(gateway): the address that Apple's script gave to the page")
}

/// `paytoken session`: asks Apple, or a gateway that has the merchant's certificate, for a merchant session, and prints
/// the answer unchanged.
struct SessionCommand: PreparedCommand {
    static let options: [CommandOption] =
        [
            .identity.mandatory(unless: .gateway), .certificate,
            .domain.mandatory(unless: .paymentGateway, .gateway), .paymentGateway,
            .displayName.mandatory(unless: .gateway), .region, .sandbox,
            AppleServerOptions.merchantIdentifier,
            .gateway.described(
                "bePaid's file: ask bePaid, which has the certificate; needs \(CommandOption.validationURL)"
            ),
            .validationURL,
            .session.described(
                "with \(CommandOption.gateway): the token of the checkout, instead of the shop's credentials"
            ),
        ] + Arguments.httpsOptions + KeyOptions.passphrases + [
            .testHost, AppleServerOptions.testTrustAnchor,
        ]

    /// Who is asked.
    private enum Source: Sendable {
        case page(ApplePayServer, domain: String, displayName: String)
        case messages(ApplePayServer, gateway: String, displayName: String)
        case bePaid(BePaid, HTTPSClient, validationURL: String, checkoutToken: ExactText?)
    }

    private let source: Source

    init(_ arguments: Arguments) throws(CommandFailure) {
        if let operand = arguments.operands.first {
            throw .usage(
                "session takes no operand, leave out \(operand): Apple's server is asked, whatever address the browser "
                    + "names. Only bePaid is given that address, with \(CommandOption.validationURL)."
            )
        }
        source = try arguments.has(.gateway) ? Self.gateway(arguments) : Self.apple(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        switch source {
        case .page(let server, let domain, let displayName):
            return try Self.write { () async throws(ApplePayServerError) in
                try await server.session(domain: domain, displayName: displayName)
            }
        case .messages(let server, let gateway, let displayName):
            return try Self.write { () async throws(ApplePayServerError) in
                try await server.session(paymentGateway: gateway, displayName: displayName)
            }
        case .bePaid(let gateway, let client, let url, let token):
            do throws(PaymentError) {
                let session = try waiting { () async throws(PaymentError) in
                    try await gateway.merchantSession(
                        validationURL: url, checkoutToken: token, over: client)
                }
                return session.withRevealedBytes { StandardStream.output.writeAll($0) }
                    ? .done : .means
            } catch {
                throw .unpaid(error)
            }
        }
    }

    private static func write(
        _ work: @escaping @Sendable () async throws(ApplePayServerError) -> MerchantSession
    ) throws(CommandFailure) -> ExitStatus {
        let session = try AppleServerOptions.asking { () throws(ApplePayServerError) in
            try waiting(work)
        }
        for warning in session.warnings { Notice.write("warning: \(warning)") }
        return StandardStream.output.writeAll(session.json.span) ? .done : .means
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> Source {
        let others = AppleServerOptions.all + [.domain, .paymentGateway, .displayName]
        if let option = arguments.first(of: others) {
            throw .usage(
                "\(option) is for Apple's server; leave out \(option) or \(CommandOption.gateway).")
        }
        let url = try arguments.required(.validationURL)
        let gateway = try GatewayFile.account(arguments).sessionGateway()
        return .bePaid(
            gateway, try arguments.client(), validationURL: url,
            checkoutToken: arguments.exactText(.session))
    }

    private static func apple(_ arguments: Arguments) throws(CommandFailure) -> Source {
        if let option = arguments.first(of: [.validationURL, .session]) {
            throw .usage(
                "\(option) is for a gateway that has your certificate; give it with \(CommandOption.gateway)."
            )
        }
        let displayName = try arguments.required(.displayName)
        switch (arguments.text(.domain), arguments.text(.paymentGateway)) {
        case (let domain?, nil):
            return .page(
                try AppleServerOptions.server(arguments), domain: domain, displayName: displayName)
        case (nil, let gateway?):
            return .messages(
                try AppleServerOptions.server(arguments), gateway: gateway, displayName: displayName
            )
        default:
            throw .usage(
                "\(CommandOption.domain) is for a page, \(CommandOption.paymentGateway) for Messages; leave out one."
            )
        }
    }
}
