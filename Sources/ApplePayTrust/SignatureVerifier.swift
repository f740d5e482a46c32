package import ApplePayCMS
package import ApplePayPrimitives
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
    /// - Throws: ``ChainError`` with code `library-failure` when libcrypto cannot be used.
    package init(
        anchor: TrustAnchor,
        window: FreshnessWindow,
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil
    ) throws(ChainError) {
        do throws(PrimitivesError) {
            chains = try ChainVerifier(anchor: anchor, revocation: revocation)
        } catch {
            throw ChainError(.libraryFailure)
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
    /// - Throws: ``TrustError``, the first check to fail in that order.
    package func verify(
        _ signedData: SignedData,
        over message: Span<UInt8>,
        kind: VerificationKey.Kind,
        agePolicy: AgePolicy
    ) throws(TrustError) -> VerifiedSignature {
        let chain: ProvenChain
        do throws(ChainError) {
            chain = try chains.provenChain(for: signedData, kind: kind)
        } catch {
            throw .chain(error)
        }
        let signer = chain.signerCertificate
        do throws(SignatureError) {
            try check(signedData, over: message, key: chain.signerKey)
            guard environment == nil || environment == signer.environment else {
                throw SignatureError(.environmentMismatch, environment: signer.environment)
            }
        } catch {
            throw .signature(error)
        }
        let signingTime = signedData.signer.signingTime.secondsSince1970
        let receiptTime: Date? =
            switch agePolicy {
            case .now: Date()
            case .received(let date): date
            case .anyAge: nil
            }
        do throws(SigningTimeError) {
            if let receiptTime { try check(signingTime, receiptTime) }
        } catch {
            throw .signingTime(error)
        }
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
    ) throws(SignatureError) {
        let signer = signedData.signer
        let algorithm: SignatureAlgorithm = key.kind == .p256 ? .ecdsaWithSHA256 : .rsaWithSHA256
        guard signer.signatureAlgorithm == algorithm else {
            throw SignatureError(.algorithmMismatch)
        }
        let document = signedData.encoding.span
        let messageDigest = document.extracting(signer.messageDigest)
        guard
            try hash(message).withSpan({ ByteComparison.areEqual($0, messageDigest) })
        else {
            throw SignatureError(.messageDigestMismatch)
        }
        guard try isValid(signer, in: document, key) else {
            throw SignatureError(.signatureMismatch)
        }
    }

    private func hash(_ message: Span<UInt8>) throws(SignatureError) -> Octets32 {
        do throws(PrimitivesError) {
            return try SHA256.hash(message)
        } catch {
            throw SignatureError(.libraryFailure)
        }
    }

    /// Whether the signature value is the key's over the signed attributes.
    private func isValid(
        _ signer: SignerInfo,
        in document: Span<UInt8>,
        _ key: VerificationKey
    ) throws(SignatureError) -> Bool {
        do throws(PrimitivesError) {
            // Sent under [0] IMPLICIT, signed as the SET OF that they are (RFC 5652 §5.4).
            let attributes = document.extracting(signer.signedAttributes.dropFirst())
            let digest = try SHA256.hash(0x31, then: attributes)
            return try key.isValidSignature(
                document.extracting(signer.signatureValue), for: digest)
        } catch {
            throw SignatureError(.libraryFailure)
        }
    }

    private func check(_ signingTime: Int64, _ receipt: Date) throws(SigningTimeError) {
        let age = receipt.timeIntervalSince1970 - Double(signingTime)
        // Written so that a receipt that is not a number is refused as well.
        guard age <= Double(window.maximumAge) else {
            throw SigningTimeError(
                code: .tooOld, differenceSeconds: wholeSeconds(age),
                allowedSeconds: window.maximumAge)
        }
        guard age >= -Double(window.maximumSkew) else {
            throw SigningTimeError(
                code: .inFuture, differenceSeconds: wholeSeconds(-age),
                allowedSeconds: window.maximumSkew)
        }
    }

    /// Rounded up, so that the difference told is never the one allowed.
    private func wholeSeconds(_ interval: Double) -> Int {
        Int(exactly: interval.rounded(.up)) ?? Int.max
    }
}
