package import ApplePayAcceptance
package import ApplePayMerchantKeys
package import ApplePayPrimitives
package import ApplePayPrograms
internal import FoundationEssentials

extension CommandOption {
    package static let receiptTime = CommandOption(
        "--at", "TIME", "when the token was received (2026-03-01T12:00:00Z); default: now",
        kind: .time)
    package static let maximumAge = number(
        "--max-age", "SECONDS",
        "how many seconds before \(receiptTime) the token may have been signed; default: "
            + "\(FreshnessWindow().maximumAge)")
    package static let anyAge = flag("--any-age", "accept a token of any age")
    package static let environment = choice(
        "--environment", ["production", "sandbox"],
        "refuse tokens from another environment, by the name of the signer's certificate, which Apple may change"
    )
    package static let hexadecimal = flag("--hex", "the token's text is hexadecimal")
    package static let refusedCertificate = CommandOption(
        "--refuse-certificate", "SHA256", "refuse the certificate with this hash"
    ).repeatable
    package static let refusedKey = CommandOption(
        "--refuse-key", "SHA256",
        "refuse all certificates for the key whose SubjectPublicKeyInfo has this hash"
    ).repeatable
    package static let revocationList = CommandOption(
        "--crl", "FILE", "refuse the certificates in a certificate revocation list", kind: .file
    ).repeatable
}

/// The options that pay, request, decrypt, verify and inspect share: the token, the root and the
/// permitted age.
package struct TokenOptions {
    package static let options: [CommandOption] =
        [.receiptTime, .maximumAge, .anyAge, .hexadecimal].titled(title) + trust

    /// The options about who may sign.
    package static let trust: [CommandOption] =
        [
            .environment, .testTrustAnchor, .refusedCertificate, .refusedKey, .revocationList,
        ].titled(title)

    private static let title = "Tokens"

    package let path: String

    /// The accepted forms of token.
    package let form: TokenForm

    package let agePolicy: AgePolicy
    package let anchor: TrustAnchor

    /// The name of ``anchor``, for people.
    package let anchorName: String

    package let window: FreshnessWindow
    private let revocation: Revocation

    /// The command that shows the contents of the token, with the same options.
    package let inspection: String

    /// Whether another root is trusted than Apple's.
    package let isTesting: Bool

    /// The ledger in which the transaction is claimed.
    package let ledger: String?

    /// The only environment whose signers are accepted; nil for all.
    private let environment: SigningEnvironment?

    package init(_ arguments: Arguments, path: String) throws(CommandFailure) {
        self.path = path
        form = arguments.has(.hexadecimal) ? .hexadecimal : .any
        if arguments.has(.anyAge) {
            guard !arguments.has(.receiptTime) else {
                throw .usage(
                    "give only one of \(CommandOption.receiptTime) and \(CommandOption.anyAge).")
            }
            agePolicy = .anyAge
        } else {
            agePolicy = try arguments.time(.receiptTime).map { .received(at: $0) } ?? .now
        }
        let maximumAge = try arguments.number(.maximumAge).map { Int(clamping: $0) }
        window = maximumAge.map { FreshnessWindow(maximumAge: $0) } ?? FreshnessWindow()
        revocation = try Self.revocation(arguments)
        environment = try Self.environment(arguments)
        let testAnchor = arguments.text(.testTrustAnchor)
        anchor = try TrustAnchor.read(testAnchor)
        anchorName = testAnchor.map { "the test root \($0)" } ?? "Apple Root CA - G3"
        inspection =
            (["paytoken", "inspect", path.shellWord]
            + arguments.shellWords(KeyOptions.options + Self.options)).joined(separator: " ")
        ledger = arguments.text(.ledger)
        isTesting = arguments.has(.testTrustAnchor)
    }

    /// Reads the token's text.
    package func text() throws(CommandFailure) -> [UInt8] { try contents().array() }

    /// Reads the file of the token, which may contain a key instead.
    package func contents() throws(CommandFailure) -> SecretBytes {
        Notice.announce(path, "a token")
        return try failing { () throws(FileError) in
            try FileContents.read(path, limit: 1 << 22)
        }
    }

    /// Returns a verifier with the anchor, window, revocation and environment of the options.
    package func verifier(
        observer: (any PaymentTokenObserver)? = nil
    ) throws(CommandFailure) -> PaymentTokenVerifier {
        try verifier(environment, observer: observer)
    }

    /// Returns the same verifier for signers of any environment, to show facts instead of a
    /// verdict.
    package func verifierOfAnyEnvironment() throws(CommandFailure) -> PaymentTokenVerifier {
        try verifier(nil)
    }

    private func verifier(
        _ environment: SigningEnvironment?, observer: (any PaymentTokenObserver)? = nil
    ) throws(CommandFailure) -> PaymentTokenVerifier {
        try failing { () throws(PaymentTokenError) in
            try PaymentTokenVerifier(
                anchor: anchor, window: window, revocation: revocation, environment: environment,
                observer: observer)
        }
    }

    /// Returns a decryptor with the keys of `--keys`.
    package func decryptor(_ arguments: Arguments) throws(CommandFailure) -> PaymentTokenDecryptor {
        try decryptor(KeyOptions(arguments).keyring())
    }

    /// Returns a decryptor with the given keys.
    package func decryptor(
        _ keyring: MerchantKeyring, observer: (any PaymentTokenObserver)? = nil
    ) throws(CommandFailure) -> PaymentTokenDecryptor {
        try failing { () throws(PaymentTokenError) in
            try PaymentTokenDecryptor(
                keyring: keyring, anchor: anchor, window: window, revocation: revocation,
                environment: environment, observer: observer)
        }
    }

    /// Returns the environment of `--environment`.
    private static func environment(
        _ arguments: Arguments
    ) throws(CommandFailure) -> SigningEnvironment? {
        switch arguments.exactText(.environment) {
        case nil: return nil
        case "production": return .production
        case "sandbox": return .sandbox
        case .some(let other):
            throw .usage("\(CommandOption.environment) takes production or sandbox, not \(other).")
        }
    }

    /// Returns the certificates and keys to refuse, from their hashes and from files of lists.
    private static func revocation(_ arguments: Arguments) throws(CommandFailure) -> Revocation {
        var lists: [[UInt8]] = []
        for path in arguments.all(.revocationList) {
            let list = try FileContents.bytes(of: path, limit: 1 << 24)
            do throws(RevocationError) {
                _ = try Revocation(revocationLists: [list])
            } catch {
                throw .means(
                    error.code == .malformedRevocationList
                        ? "\(path) is not a certificate revocation list in PEM (X509 CRL) or DER"
                            + "\(WrongFile.kind(list))." : error.description)
            }
            lists.append(list)
        }
        do {
            return try Revocation(
                certificateFingerprints: arguments.all(.refusedCertificate),
                subjectPublicKeyInfoHashes: arguments.all(.refusedKey),
                revocationLists: lists)
        } catch {
            let option: CommandOption =
                error.code == .malformedFingerprint ? .refusedCertificate : .refusedKey
            throw error.code == .libraryFailure
                ? .means(error.description)
                : .usage("\(option): \(error.description) paytoken inspect shows both hashes.")
        }
    }
}
