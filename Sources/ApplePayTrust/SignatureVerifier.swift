package import ApplePayCMS
package import ApplePayPrimitives
package import ApplePayWire
internal import FoundationEssentials

/// Proves that a message was signed by Apple, and when (RFC 5652 §5.6).
///
/// Made once for an anchor and shared by all threads.
package final class SignatureVerifier: Sendable {
    private let chains: ChainVerifier
    private let window: FreshnessWindow
    private let environment: SigningEnvironment?

    /// Makes a verifier that trusts nothing but `anchor`.
    ///
    /// - Parameters:
    ///   - anchor: The name and key that every chain must lead to.
    ///   - window: How far signing and receipt may be apart.
    ///   - revocation: Certificates and keys to refuse.
    ///   - environment: The only environment whose signers are accepted; nil accepts all.
    /// - Throws: `PaymentTokenError` with code `library-failure` when libcrypto cannot be used.
    package init(
        anchor: TrustAnchor,
        window: FreshnessWindow,
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil
    ) throws(PaymentTokenError) {
        do throws(PrimitivesError) {
            chains = try ChainVerifier(anchor: anchor, revocation: revocation)
        } catch {
            throw PaymentTokenError(.chainLibraryFailure)
        }
        self.window = window
        self.environment = environment
    }

    /// Checks the chain, the signature, the signer's environment, then the signing time.
    ///
    /// - Parameters:
    ///   - signedData: The parsed signature.
    ///   - message: What must have been signed.
    ///   - kind: The signer's kind of key, which the token's version decides.
    ///   - agePolicy: What is known of the time of receipt.
    /// - Returns: The proof.
    /// - Throws: `PaymentTokenError`, the first check to fail in that order.
    package func verify(
        _ signedData: SignedData,
        over message: Span<UInt8>,
        kind: KeyKind,
        agePolicy: AgePolicy
    ) throws(PaymentTokenError) -> VerifiedSignature {
        let chain = try chains.provenChain(for: signedData, kind: kind)
        let signer = chain.signerCertificate
        try check(signedData, over: message, key: chain.signerKey)
        guard environment == nil || environment == signer.environment else {
            let name = signer.environment == .unknown ? "none" : signer.environment.rawValue
            throw PaymentTokenError(.environmentMismatch, reason: "its name indicates \(name)")
        }
        let signingTime = signedData.signer.signingTime.secondsSince1970
        let receiptTime: Date? =
            switch agePolicy {
            case .now: Date()
            case .received(let date): date
            case .anyAge: nil
            }
        if let receiptTime { try check(signingTime, receiptTime) }
        return VerifiedSignature(
            signingTime: Date(timeIntervalSince1970: Double(signingTime)),
            signer: signer,
            intermediateEnd: Date(timeIntervalSince1970: Double(chain.intermediateEnd)),
            agePolicy: agePolicy,
            receiptTime: receiptTime,
            window: window
        )
    }

    private func check(
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
        guard
            try hash(message).withSpan({ ByteComparison.areEqual($0, messageDigest) })
        else {
            throw PaymentTokenError(.messageDigestMismatch)
        }
        guard try isValid(signer, in: document, key) else {
            throw PaymentTokenError(.signatureMismatch)
        }
    }

    private func hash(_ message: Span<UInt8>) throws(PaymentTokenError) -> Octets32 {
        do throws(PrimitivesError) {
            return try SHA256.hash(message)
        } catch {
            throw PaymentTokenError(.signatureLibraryFailure)
        }
    }

    /// Whether the signature value is the key's over the signed attributes.
    private func isValid(
        _ signer: SignerInfo,
        in document: Span<UInt8>,
        _ key: VerificationKey
    ) throws(PaymentTokenError) -> Bool {
        do throws(PrimitivesError) {
            // Sent under [0] IMPLICIT, signed as the SET OF that they are (RFC 5652 §5.4).
            let attributes = document.extracting(signer.signedAttributes.dropFirst())
            let digest = try SHA256.hash(0x31, then: attributes)
            return try key.isValidSignature(
                document.extracting(signer.signatureValue), for: digest)
        } catch {
            throw PaymentTokenError(.signatureLibraryFailure)
        }
    }

    private func check(_ signingTime: Int64, _ receipt: Date) throws(PaymentTokenError) {
        let age = receipt.timeIntervalSince1970 - Double(signingTime)
        // Written so that a receipt that is not a number is refused as well.
        guard age <= Double(window.maximumAge) else {
            throw PaymentTokenError(
                .tooOld, seconds: wholeSeconds(age), limit: window.maximumAge)
        }
        guard age >= -Double(window.maximumSkew) else {
            throw PaymentTokenError(
                .inFuture, seconds: wholeSeconds(-age), limit: window.maximumSkew)
        }
    }

    /// Rounded up, so that the difference told is never the one allowed.
    private func wholeSeconds(_ interval: Double) -> Int {
        Int(exactly: interval.rounded(.up)) ?? Int.max
    }
}
