internal import ApplePayHTTPS
internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePaySession

extension CommandOption {
    static let identity = CommandOption(
        "--identity", "KEY",
        "the private key of the merchant identity certificate: a file in PEM, DER or PKCS#12, or "
            + "env:NAME", kind: .file)
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
}

/// `paytoken session`: asks Apple for a merchant session, and prints Apple's answer unchanged.
struct SessionCommand: PreparedCommand {
    static let options: [CommandOption] =
        [
            .identity.mandatory, .certificate, .domain.mandatory(unless: .paymentGateway),
            .paymentGateway, .displayName.mandatory, .region, .sandbox,
            .merchantIdentifier.described("the merchant identifier that the certificate must name"),
        ] + Arguments.httpsOptions + KeyOptions.passphraseOptions + [
            .testHost,
            .testTrustAnchor.described(
                "for tests: the PEM file of the authority of \(CommandOption.testHost)"),
        ]

    private let server: ApplePayServer
    private let displayName: String
    private let domain: String?
    private let paymentGateway: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        if let operand = arguments.operands.first {
            throw .usage(
                "session takes no operand, leave out \(operand): the server is always Apple's, whatever address "
                    + "the browser names.")
        }
        displayName = try arguments.required(.displayName)
        domain = arguments.text(.domain)
        paymentGateway = arguments.text(.paymentGateway)
        guard domain == nil || paymentGateway == nil else {
            throw .usage(
                "\(CommandOption.domain) is for a page, \(CommandOption.paymentGateway) for Messages; leave out one."
            )
        }
        server = try Self.server(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let session = try Self.asking { () throws(ApplePayServerError) in
            try waiting { [self] () async throws(ApplePayServerError) in
                guard let paymentGateway else {
                    return try await server.session(
                        domain: domain ?? "", displayName: displayName)
                }
                return try await server.session(
                    paymentGateway: paymentGateway, displayName: displayName)
            }
        }
        return StandardStream.output.writeAll(session.json.span) ? .done : .means
    }

    /// Returns the server that the options select, with the merchant's certificate.
    private static func server(_ arguments: Arguments) throws(CommandFailure) -> ApplePayServer {
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
