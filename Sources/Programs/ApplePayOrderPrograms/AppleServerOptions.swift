internal import ApplePayMerchantKeys
package import ApplePayPrograms
package import ApplePaySession

extension CommandOption {
    package static let identity = CommandOption(
        "--identity", "KEY",
        "the private key of the merchant identity certificate: a file in PEM, DER or PKCS#12, or env:NAME",
        kind: .file)
    package static let region = choice(
        "--region", of: ApplePayServer.Region.self,
        "the region of the merchant identifier; default: global")
    package static let sandbox = flag(
        "--sandbox", "ask Apple's server for development, for testers of the sandbox")
    package static let testHost = CommandOption(
        "--test-host", "HOST:PORT",
        "for tests: a server in Apple's place, with a certificate of \(testTrustAnchor)")
}

/// The options about Apple's server, which is asked for merchant sessions.
package enum AppleServerOptions {
    /// All of them, in the order of the help text.
    package static let all: [CommandOption] = [.identity] + others

    /// Those that need the merchant identity.
    package static let others: [CommandOption] =
        [.certificate, .region, .sandbox, merchantIdentifier]
        + KeyOptions.passphrases + [.testHost, testTrustAnchor]

    package static let testTrustAnchor = CommandOption.testTrustAnchor.described(
        "for tests: the PEM file of the authority of \(CommandOption.testHost)")

    package static let merchantIdentifier = CommandOption.merchantIdentifier.described(
        "the merchant identifier that the certificate must name")

    /// Returns the server that the options select, with the merchant's certificate.
    package static func server(_ arguments: Arguments) throws(CommandFailure) -> ApplePayServer {
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
        if let wanted = arguments.exactText(.merchantIdentifier),
            let named = identity.merchantIdentifier, wanted != ExactText(named)
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
    package static func asking<Value>(
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
