internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// The options that decrypt, verify and request share: which token, which root, how old.
struct TokenOptions {
    /// Options with a value.
    static let options: Set = [
        "--at", "--max-age", "--environment", "--test-trust-anchor", "--refuse-certificate",
        "--refuse-key", "--crl",
    ]

    /// Options that go with keys.
    static let keyOptions = KeyOptions.options

    /// Options without a value.
    static let flags: Set = ["--any-age", "--hex"]

    let path: String

    /// The forms of token that are accepted.
    let form: TokenForm

    let agePolicy: AgePolicy
    let anchor: TrustAnchor
    let window: FreshnessWindow
    private let revocation: Revocation

    /// The only environment whose signers are accepted; nil for all.
    private let environment: SigningEnvironment?

    init(_ arguments: Arguments, path: String) throws(CommandFailure) {
        self.path = path
        form = arguments.has("--hex") ? .hexadecimal : .any
        let time = try arguments.one("--at")
        if arguments.has("--any-age") {
            guard time == nil else {
                throw .usage("--at and --any-age exclude one another.")
            }
            agePolicy = .anyAge
        } else if let time {
            guard let date = Self.date(time) else {
                throw .usage("--at takes a time such as 2026-03-01T12:00:00Z, not \(time).")
            }
            agePolicy = .received(at: date)
        } else {
            agePolicy = .now
        }
        let maximumAge = try arguments.number("--max-age").map { Int(clamping: $0) }
        window = maximumAge.map { FreshnessWindow(maximumAge: $0) } ?? FreshnessWindow()
        revocation = try Self.revocation(arguments)
        environment = try Self.environment(arguments)
        anchor = try Self.anchor(try arguments.one("--test-trust-anchor"))
    }

    /// The token's text.
    func text() throws(CommandFailure) -> [UInt8] {
        do throws(FileError) {
            return try FileContents.read(path, limit: 1 << 22).array()
        } catch {
            throw .means("\(error).")
        }
    }

    /// A verifier with the anchor, window, revocation and environment of the options.
    func verifier() throws(CommandFailure) -> PaymentTokenVerifier {
        try verifier(environment)
    }

    /// The same verifier for signers of any environment, which shows facts rather than a verdict.
    func verifierOfAnyEnvironment() throws(CommandFailure) -> PaymentTokenVerifier {
        try verifier(nil)
    }

    private func verifier(
        _ environment: SigningEnvironment?
    ) throws(CommandFailure) -> PaymentTokenVerifier {
        do throws(PaymentTokenError) {
            return try PaymentTokenVerifier(
                anchor: anchor, window: window, revocation: revocation, environment: environment)
        } catch {
            throw .means(error.description)
        }
    }

    /// A decryptor with the keys of `--keys`.
    func decryptor(_ arguments: Arguments) throws(CommandFailure) -> PaymentTokenDecryptor {
        let keyring = try KeyOptions(arguments).keyring()
        do throws(PaymentTokenError) {
            return try PaymentTokenDecryptor(
                keyring: keyring, anchor: anchor, window: window, revocation: revocation,
                environment: environment)
        } catch {
            throw .means(error.description)
        }
    }

    /// The environment of `--environment`.
    private static func environment(
        _ arguments: Arguments
    ) throws(CommandFailure) -> SigningEnvironment? {
        switch try arguments.one("--environment") {
        case nil: return nil
        case "production": return .production
        case "sandbox": return .sandbox
        case .some(let other):
            throw .usage("--environment is production or sandbox, not \(other).")
        }
    }

    /// The certificates and keys to refuse, by their hashes and by files of lists.
    private static func revocation(_ arguments: Arguments) throws(CommandFailure) -> Revocation {
        var lists: [[UInt8]] = []
        for path in arguments.all("--crl") {
            do throws(FileError) {
                lists.append(try FileContents.read(path, limit: 1 << 24).array())
            } catch {
                throw .means("\(error).")
            }
        }
        do throws(RevocationError) {
            return try Revocation(
                certificateFingerprints: arguments.all("--refuse-certificate"),
                subjectPublicKeyInfoHashes: arguments.all("--refuse-key"),
                revocationLists: lists)
        } catch {
            throw error.code == .malformedRevocationList
                ? .means(error.description) : .usage(error.description)
        }
    }

    /// Apple's root, or the one of a file, which is announced.
    static func anchor(_ path: String?) throws(CommandFailure) -> TrustAnchor {
        guard let path else { return .appleRootCAG3 }
        let certificate: [UInt8]
        do throws(FileError) {
            certificate = try FileContents.read(path, limit: 1 << 16).array()
        } catch {
            throw .means("\(error).")
        }
        guard let anchor = try? TrustAnchor(testRootCertificate: certificate) else {
            throw .means("\(path) is not a certificate in PEM or DER.")
        }
        Notice.write("trusting the test root \(path) in place of Apple Root CA - G3.")
        return anchor
    }

    /// An instant in ISO 8601, with or without a fraction of the second.
    static func date(_ text: String) -> Date? {
        // Foundation knows more of the standard, and takes a third of a millisecond to begin.
        InternetTime.date(text)
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
