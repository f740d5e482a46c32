internal import ApplePayAcceptance
internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePaySession

extension CommandOption {
    static let identity = CommandOption(
        "--identity", "KEY",
        "the private key of the merchant identity certificate: a file in PEM, DER or PKCS#12, or env:NAME",
        kind: .file)
    static let certificate = CommandOption(
        "--certificate", "CERT",
        "the merchant identity certificate, unless the file of the key contains it", kind: .file)
    static let domain = CommandOption(
        "--domain", "DOMAIN", "the page's domain, as registered with Apple, such as shop.example")
    static let paymentGateway = CommandOption(
        "--messages-gateway", "URL",
        "instead of a domain: the payment gateway's address, for Messages for Business")
    static let displayName = CommandOption(
        "--display-name", "NAME", "the shop's name for the payment sheet, at most 64 characters")
    static let region = choice(
        "--region", of: ApplePayServer.Region.self,
        "the region of the merchant identifier; default: global")
    static let sandbox = flag(
        "--sandbox", "ask Apple's server for development, for testers of the sandbox")
    static let testHost = CommandOption(
        "--test-host", "HOST:PORT",
        "for tests: a server in Apple's place, with a certificate of \(testTrustAnchor)")
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
            merchantIdentifier,
            .gateway.described(
                "bePaid's file: ask bePaid, which has the certificate; needs \(CommandOption.validationURL)"
            ),
            .validationURL,
            .session.described(
                "with \(CommandOption.gateway): the token of the checkout, instead of the shop's credentials"
            ),
        ] + Arguments.httpsOptions + KeyOptions.passphrases + [
            .testHost, testTrustAnchor,
        ]

    /// The options about Apple's server, in the order of the help text.
    static let serverOptions: [CommandOption] =
        [.identity, .certificate, .region, .sandbox, merchantIdentifier]
        + KeyOptions.passphrases + [.testHost, testTrustAnchor]

    private static let testTrustAnchor = CommandOption.testTrustAnchor.described(
        "for tests: the PEM file of the authority of \(CommandOption.testHost)")

    private static let merchantIdentifier = CommandOption.merchantIdentifier.described(
        "the merchant identifier that the certificate must name")

    /// Who is asked.
    private enum Source: Sendable {
        case page(ApplePayServer, domain: String, displayName: String)
        case messages(ApplePayServer, gateway: String, displayName: String)
        case bePaid(BePaid, HTTPSClient, validationURL: String, checkoutToken: String?)
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
                throw .unanswered(error)
            }
        }
    }

    private static func write(
        _ work: @escaping @Sendable () async throws(ApplePayServerError) -> MerchantSession
    ) throws(CommandFailure) -> ExitStatus {
        let session = try asking { () throws(ApplePayServerError) in try waiting(work) }
        return StandardStream.output.writeAll(session.json.span) ? .done : .means
    }

    private static func gateway(_ arguments: Arguments) throws(CommandFailure) -> Source {
        let others = serverOptions + [.domain, .paymentGateway, .displayName]
        if let option = arguments.first(of: others) {
            throw .usage(
                "\(option) is for Apple's server; leave out \(option) or \(CommandOption.gateway).")
        }
        let url = try arguments.required(.validationURL)
        let gateway = try GatewayFile.account(arguments).sessionGateway()
        return .bePaid(
            gateway, try arguments.client(), validationURL: url,
            checkoutToken: arguments.text(.session))
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
            return .page(try server(arguments), domain: domain, displayName: displayName)
        case (nil, let gateway?):
            return .messages(try server(arguments), gateway: gateway, displayName: displayName)
        default:
            throw .usage(
                "\(CommandOption.domain) is for a page, \(CommandOption.paymentGateway) for Messages; leave out one."
            )
        }
    }

    /// Returns the server that the options select, with the merchant's certificate.
    static func server(_ arguments: Arguments) throws(CommandFailure) -> ApplePayServer {
        let region: ApplePayServer.Region = try arguments.choice(.region) ?? .global
        let proxy = try arguments.proxy()
        let isTest = arguments.has(.testHost)
        guard isTest == arguments.has(.testTrustAnchor) else {
            throw .usage(
                "\(CommandOption.testHost) and \(CommandOption.testTrustAnchor) belong together.")
        }
        let path = try arguments.required(.identity)
        let identity = try KeyOptions(arguments).identity(
            path, certificate: arguments.text(.certificate))
        if let wanted = arguments.text(.merchantIdentifier),
            let named = identity.merchantIdentifier, wanted != named
        {
            throw .means(
                "\(arguments.text(.certificate) ?? path): the certificate is for \(named), not for \(wanted)."
            )
        }
        return try asking(identity.source) { () throws(ApplePayServerError) in
            guard isTest else {
                return try ApplePayServer(
                    region, isSandbox: arguments.has(.sandbox), identity: identity, proxy: proxy)
            }
            Notice.write(
                "warning: \(CommandOption.testHost): the session is not Apple's; no browser accepts it."
            )
            return try ApplePayServer(
                testHost: arguments.text(.testHost) ?? "",
                testAuthorities: arguments.text(.testTrustAnchor) ?? "", identity: identity)
        }
    }

    /// Runs `work`; an error becomes a failure with its sentences, of the command line if it is about a value in it.
    ///
    /// `certificate` is the file of the certificate, which the failure names if it is about the certificate.
    private static func asking<Value>(
        _ certificate: String = "", _ work: () throws(ApplePayServerError) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try work()
        } catch {
            switch error.code {
            case .invalidDomain, .invalidDisplayName: throw .usage("\(error)")
            case .wrongCertificate, .outsideValidity: throw .means("\(certificate): \(error)")
            default: throw .means("\(error)")
            }
        }
    }
}

extension GatewayAccount {
    /// Returns the gateway of an account that gives merchant sessions.
    func sessionGateway() throws(CommandFailure) -> BePaid {
        guard let gateway = gateway as? BePaid else {
            throw .usage("\(name) gives no merchant sessions; ask Apple's server.")
        }
        return gateway
    }
}
