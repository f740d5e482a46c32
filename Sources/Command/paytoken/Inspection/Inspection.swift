internal import ApplePayCMS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// The result of a token's checks, and the facts about it up to the check that stopped them.
///
/// The checks are those of the library: this type only records at which one the library stopped.
struct Inspection {
    /// One check of the pipeline, with its result: passed, failed or not reached.
    typealias Check = (stage: PaymentTokenError.Stage, result: CheckResult)

    /// The number of bytes of the token's text.
    let textCount: Int

    /// The time of receipt, or the clock's: the expiry of certificates is compared with it.
    let now: Date

    /// The options of the command, with the policy on the token's age and the root at which the chain must end.
    let options: TokenOptions

    /// The first check that failed; nil if all checks that were made passed.
    let refusal: PaymentTokenError?

    /// The token; nil if its text or its members were refused.
    let token: PaymentToken?

    /// The recognized kind of a text that is not a token; nil for a token and for another text.
    let wrongToken: WrongToken?

    /// The parsed signature; nil if it was refused before or while it was parsed.
    let signedData: SignedData?

    /// The proof of the signature, whatever the token's age and environment; nil if the signature is not proven.
    let proof: VerifiedSignature?

    /// The certificates in the signature, in its order.
    let certificates: [CertificateInspection]

    /// The keys of `--keys`; nil if the option was not given or the token could not be read.
    let keys: KeyInspection?

    /// The payment, if there are keys and all checks passed.
    let payment: Payment?

    /// Whether the checks include those that need a key.
    private let hasKeys: Bool

    /// Runs the checks.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - options: The options of the command, with the verifier's settings.
    ///   - loaded: The keys; without them, the checks end with the signing time.
    ///   - merchantIdentifiers: More merchant identifiers to try if the token does not decrypt.
    /// - Throws: A failure if libcrypto cannot be used.
    init(
        _ text: [UInt8],
        options: TokenOptions,
        keys loaded: LoadedKeys?,
        merchantIdentifiers: [String]
    ) throws(CommandFailure) {
        textCount = text.count
        self.options = options
        now = options.agePolicy.receiptTime ?? Date()
        let policy: AgePolicy = options.agePolicy == .now ? .received(at: now) : options.agePolicy
        let verifier = try options.verifier()
        var refusal: PaymentTokenError?
        var token: PaymentToken?
        var payment: Payment?
        do {
            let parsed = try PaymentToken(parsing: text, form: options.form)
            token = parsed
            let verified = try verifier.verify(parsed, agePolicy: policy)
            if let keyring = loaded?.keyring { payment = try verified.open(with: keyring) }
        } catch {
            refusal = error
        }
        self.refusal = refusal
        self.token = token
        self.payment = payment
        wrongToken =
            token == nil ? refusal.flatMap { WrongToken(text, path: options.path, $0) } : nil
        signedData = token.flatMap { try? SignedData(parsing: $0.signature) }
        certificates = signedData.map(CertificateInspection.all) ?? []
        // A token of another time or environment is proven to be Apple's as well, and its keys can be tried.
        let prover = try options.verifierOfAnyEnvironment()
        let proven = token.flatMap { try? prover.verify($0, agePolicy: .anyAge) }
        proof = proven?.signature
        if let token, let loaded {
            keys = KeyInspection(
                token, proven: proven, keys: loaded, merchantIdentifiers: merchantIdentifiers)
        } else {
            keys = nil
        }
        hasKeys = loaded != nil
    }

    /// The time with which the signing time is compared; nil if the age does not matter.
    var receiptTime: Date? { options.agePolicy == .anyAge ? nil : now }

    /// Whether the time of receipt is the clock's, and not stated with `--at`.
    var isReceivedNow: Bool { options.agePolicy == .now }

    /// All checks, in order.
    var checks: [Check] {
        let last = refusal?.stage ?? (hasKeys ? .paymentData : .signingTime)
        let stages = PaymentTokenError.Stage.allCases
        let reached = stages.prefix { $0 != last }
        return reached.map { ($0, .passed) } + [(last, refusal == nil ? .passed : .failed)]
            + stages.dropFirst(reached.count + 1).map { ($0, .notReached) }
    }

    /// The member that contains the ephemeral or the wrapped key.
    var keyMember: String { token?.version == .rsaV1 ? "wrappedKey" : "ephemeralPublicKey" }

    /// `header.publicKeyHash`, in base64.
    var publicKeyHash: String? { token.map { MerchantKeyring.base64($0.publicKeyHash) } }

    /// `header.applicationData`, in hexadecimal.
    var applicationData: String? { token?.applicationData.map { Hexadecimal.text($0.span) } }

    /// The seconds from signing to receipt, negative if the token was signed later; nil if one of the times is not known.
    var age: Int? {
        guard let signingTime, let receiptTime else { return nil }
        return Int(exactly: receiptTime.timeIntervalSince(signingTime).rounded(.down))
    }

    /// The time at which the signer states to have signed; proven only with ``proof``.
    var signingTime: Date? {
        (signedData?.signer.signingTime.secondsSince1970).map {
            Date(timeIntervalSince1970: Double($0))
        }
    }

    /// Warnings about the chain and about the payment, a sentence each.
    var warnings: [String] { chainWarnings + paymentWarnings }

    /// The warning about a payment that most gateways refuse.
    var paymentWarnings: [String] { [payment?.data.advice].compactMap { $0 } }

    /// Warnings about certificates of the verified chain that will expire soon.
    var chainWarnings: [String] {
        guard let proof else { return [] }
        let certificates = [
            (
                "the signer's certificate", proof.signer.validity.upperBound,
                "Apple renews it, and tokens that its successor signs need no change here."
            ),
            (
                "the intermediate certificate", proof.intermediateEnd,
                "Apple will replace it; make sure that this version accepts a token that comes "
                    + "with its successor."
            ),
        ]
        return certificates.compactMap { name, end, advice in
            let end = CertificateEnd(end: end, now: now)
            return end.isSoon && !end.isPast ? "\(name) \(end.text). \(advice)" : nil
        }
    }
}

extension AgePolicy {
    /// The stated time of receipt; nil if it is now or does not matter.
    fileprivate var receiptTime: Date? {
        if case .received(let date) = self { date } else { nil }
    }
}
