package import ApplePayCMS
package import ApplePayPrimitives
package import ApplePayWire
internal import FoundationEssentials

/// Verifies that Apple signed a message, and when (RFC 5652 §5.6).
///
/// One verifier for each anchor can be shared by all threads.
package final class SignatureVerifier: Sendable {
    private let chains: ChainVerifier
    private let window: FreshnessWindow
    private let environment: SigningEnvironment?

    /// Creates a verifier that trusts only `anchor`.
    ///
    /// - Parameters:
    ///   - anchor: The name and key at which every chain must end.
    ///   - window: The longest permitted time between signing and receipt.
    ///   - revocation: Certificates and keys to refuse.
    ///   - environment: The only environment whose signers are accepted; nil accepts all.
    /// - Throws: `PaymentTokenError` with code `library-failure` when libcrypto cannot be used.
    package init(
        anchor: TrustAnchor,
        window: FreshnessWindow,
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil
    ) throws(PaymentTokenError) {
        chains = try rethrowing(
            ChainVerifier(anchor: anchor, revocation: revocation),
            as: { _ in PaymentTokenError(.chainLibraryFailure) })
        self.window = window
        self.environment = environment
    }

    /// Verifies the chain, the signature, the signer's environment, then the signing time.
    ///
    /// - Parameters:
    ///   - signedData: The parsed signature.
    ///   - message: The message that must have been signed.
    ///   - kind: The required kind of the signer's key, which depends on the token's version.
    ///   - agePolicy: The time of receipt, or the statement that the age does not matter.
    ///   - observation: Measures the stages; nil without an observer.
    /// - Returns: The verified signature.
    /// - Throws: `PaymentTokenError` for the first check that fails, in this order.
    package func verify(
        _ signedData: SignedData,
        over message: Span<UInt8>,
        kind: KeyKind,
        agePolicy: AgePolicy,
        observation: TokenObservation? = nil
    ) throws(PaymentTokenError) -> VerifiedSignature {
        observation?.begin(.chain)
        let chain = try chains.provenChain(for: signedData, kind: kind, observation)
        observation?.begin(.signature)
        let signer = chain.signerCertificate
        try checkSignature(signedData, over: message, key: chain.signerKey)
        guard environment == nil || environment == signer.environment else {
            let name =
                signer.environment == .unknown ? "no environment" : signer.environment.rawValue
            throw PaymentTokenError(.environmentMismatch, reason: "its name indicates \(name)")
        }
        observation?.begin(.signingTime)
        let signingTime = signedData.signer.signingTime.date
        let receiptTime: Date? =
            switch agePolicy {
            case .now: Date()
            case .received(let date): date
            case .anyAge: nil
            }
        if let receiptTime { try checkAge(signingTime, receiptTime) }
        return VerifiedSignature(
            signingTime: signingTime,
            signer: signer,
            intermediateEnd: chain.intermediateEnd.date,
            agePolicy: agePolicy,
            receiptTime: receiptTime,
            window: window
        )
    }

    private func checkSignature(
        _ signedData: SignedData,
        over message: Span<UInt8>,
        key: VerificationKey
    ) throws(PaymentTokenError) {
        let signer = signedData.signer
        let algorithm: SignatureAlgorithm = key.kind == .p256 ? .ecdsaWithSHA256 : .rsaWithSHA256
        guard signer.signatureAlgorithm == algorithm else {
            throw PaymentTokenError(.algorithmMismatch)
        }
        let document = signedData.encoding.span
        let messageDigest = document.extracting(signer.messageDigest)
        let hash = try rethrowing(SHA256.hash(message), as: Self.failure)
        guard hash.withSpan({ ByteComparison.areEqual($0, messageDigest) }) else {
            throw PaymentTokenError(.messageDigestMismatch)
        }
        // The attributes are sent with the tag [0] IMPLICIT, but signed with the tag of SET OF (RFC 5652 §5.4).
        let attributes = document.extracting(signer.signedAttributes.dropFirst())
        let digest = try rethrowing(SHA256.hash(0x31, then: attributes), as: Self.failure)
        let signature = document.extracting(signer.signatureValue)
        guard try rethrowing(key.isValidSignature(signature, for: digest), as: Self.failure) else {
            throw PaymentTokenError(.signatureMismatch)
        }
    }

    private static func failure(_: PrimitivesError) -> PaymentTokenError {
        PaymentTokenError(.signatureLibraryFailure)
    }

    private func checkAge(_ signingTime: Date, _ receipt: Date) throws(PaymentTokenError) {
        let age = receipt.timeIntervalSince1970 - signingTime.timeIntervalSince1970
        // This condition also refuses a time of receipt that is not a number.
        guard age <= Double(window.maximumAge) else {
            throw PaymentTokenError(.tooOld, seconds: wholeSeconds(age), limit: window.maximumAge)
        }
        guard age >= -Double(window.maximumSkew) else {
            throw PaymentTokenError(
                .inFuture, seconds: wholeSeconds(-age), limit: window.maximumSkew)
        }
    }

    /// Returns an interval rounded up, so that the reported difference is never the permitted one.
    private func wholeSeconds(_ interval: Double) -> Int {
        Int(exactly: interval.rounded(.up)) ?? Int.max
    }
}
