internal import ApplePayCMS
internal import ApplePayPrimitives
internal import ApplePayWire

/// Finds the signer's certificate and verifies the chain from it through the intermediate to the anchor.
final class ChainVerifier: Sendable {
    /// The extension that marks the certificates with which Apple signs payment tokens.
    private static let signerMarker = "1.2.840.113635.100.6.29"

    /// The extension that marks the authority that issues those certificates.
    private static let intermediateMarker = "1.2.840.113635.100.6.2.14"

    /// The maximum number of bytes of a certificate; Apple's have about 1,000.
    ///
    /// OpenSSL needs five times as long to read 60 KiB of names as to validate a path.
    private static let sizeLimit = 4096

    private let validator: PathValidator
    private let proven = ProvenChains()
    private let revocation: Revocation

    init(anchor: TrustAnchor, revocation: Revocation) throws(PrimitivesError) {
        self.revocation = revocation
        validator = try PathValidator(
            AnchorCertificate(
                name: anchor.name, subjectPublicKeyInfo: anchor.subjectPublicKeyInfo,
                keyIdentifier: anchor.keyIdentifier, serialNumber: anchor.serialNumber))
    }

    /// Returns the verified chain of the certificate that the SignerInfo identifies.
    ///
    /// A signature can contain several certificates with the name of the issuer. Only the first two
    /// different ones are tried, so that a forged token cannot cause a path validation for each of many.
    ///
    /// - Parameters:
    ///   - signedData: The parsed signature.
    ///   - kind: The kind of key that the signer must have.
    ///   - observation: Receives whether the chain was remembered.
    /// - Returns: The chain, including the signer's key.
    /// - Throws: `PaymentTokenError`; when none of the chains is valid, the error of the last one tried.
    func provenChain(
        for signedData: SignedData,
        kind: KeyKind,
        _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> ProvenChain {
        let signer = try signerCertificate(in: signedData)
        let time = signedData.signer.signingTime
        var endEntity: X509Certificate?
        var refused: (intermediate: Certificate, error: PaymentTokenError)?
        for intermediate in signedData.certificates
        where signedData.areEqual(intermediate.subject, signer.issuer)
            && !signedData.areEqual(intermediate.der, signer.der)
        {
            // A copy of a refused certificate would be refused as well.
            if let refused, signedData.areEqual(intermediate.der, refused.intermediate.der) {
                continue
            }
            do throws(PaymentTokenError) {
                let known = proven.chain(of: signer, intermediate, in: signedData, at: time)
                let chain =
                    if let known { known } else {
                        try newChain(signer, &endEntity, intermediate, in: signedData, at: time)
                    }
                guard chain.signerKey.kind == kind else { throw PaymentTokenError(.signerKeyKind) }
                observation?.isChainRemembered = known != nil
                return chain
            } catch {
                // After a failure of libcrypto, the verdict about another certificate would be misleading.
                guard refused == nil, error.code != .chainLibraryFailure else { throw error }
                refused = (intermediate, error)
            }
        }
        throw refused?.error ?? PaymentTokenError(.intermediateMissing)
    }

    /// Returns the certificate with the issuer and serial number of the SignerInfo, compared as bytes.
    ///
    /// Other certificates in the signature do not matter: this certificate and its issuer must have Apple's markers.
    private func signerCertificate(in signedData: SignedData) throws(PaymentTokenError)
        -> Certificate
    {
        var signer: Certificate?
        for certificate in signedData.certificates
        where signedData.areEqual(certificate.serialNumber, signedData.signer.serialNumber)
            && signedData.areEqual(certificate.issuer, signedData.signer.issuer)
        {
            guard signer.map({ signedData.areEqual($0.der, certificate.der) }) ?? true else {
                throw PaymentTokenError(.signerCertificateAmbiguous)
            }
            signer = certificate
        }
        guard let signer else { throw PaymentTokenError(.signerCertificateMissing) }
        return signer
    }

    /// Verifies one chain and remembers it.
    ///
    /// `endEntity` is the signer's certificate as read by OpenSSL; it is nil until the first chain needs it.
    private func newChain(
        _ signer: Certificate,
        _ endEntity: inout X509Certificate?,
        _ intermediate: Certificate,
        in signedData: SignedData,
        at time: ASN1Time
    ) throws(PaymentTokenError) -> ProvenChain {
        let validity = try commonValidity(signer, intermediate)
        guard validity.contains(time) else { throw PaymentTokenError(.outsideValidity) }
        let parsedSigner = if let endEntity { endEntity } else { try read(signer, in: signedData) }
        endEntity = parsedSigner
        let known = proven.path(through: intermediate, in: signedData)
        let authority =
            if let known { known.intermediate } else { try read(intermediate, in: signedData) }
        let path = try validPath(from: parsedSigner, through: authority, known)
        let chain = ProvenChain(
            signer: signer,
            intermediate: intermediate,
            in: signedData,
            path: path,
            signerKey: try rethrowing(parsedSigner.verificationKey(), as: Self.failure),
            validity: validity
        )
        proven.remember(chain)
        return chain
    }

    private func commonValidity(
        _ signer: Certificate,
        _ intermediate: Certificate
    ) throws(PaymentTokenError) -> ClosedRange<ASN1Time> {
        let start = max(signer.notBefore, intermediate.notBefore)
        let end = min(signer.notAfter, intermediate.notAfter)
        guard start <= end else { throw PaymentTokenError(.outsideValidity) }
        return start...end
    }

    /// Returns a path after all its checks, OpenSSL's and Apple's, except the validity times.
    ///
    /// `known` is a valid path through the same authority; nil if there is none.
    private func validPath(
        from endEntity: X509Certificate,
        through authority: X509Certificate,
        _ known: ValidPath?
    ) throws(PaymentTokenError) -> ValidPath {
        guard try hasExtension(Self.signerMarker, endEntity) else {
            throw PaymentTokenError(.signerMarkerMissing)
        }
        guard try hasExtension(Self.intermediateMarker, authority) else {
            throw PaymentTokenError(.intermediateMarkerMissing)
        }
        guard endEntity.isEndEntity else { throw PaymentTokenError(.signerIsAuthority) }
        guard let usage = endEntity.keyUsage, usage.contains(.digitalSignature),
            !usage.contains(.keyCertSign), !usage.contains(.cRLSign)
        else { throw PaymentTokenError(.signerKeyUsage) }
        guard authority.isAuthority else { throw PaymentTokenError(.intermediateNotAuthority) }
        guard let usage = authority.keyUsage, usage.contains(.keyCertSign) else {
            throw PaymentTokenError(.intermediateKeyUsage)
        }
        guard try rethrowing(authority.hasAuthorityKey(), as: Self.failure) else {
            throw PaymentTokenError(.intermediateKeyKind)
        }
        guard endEntity.isSignedWithECDSA, authority.isSignedWithECDSA else {
            throw PaymentTokenError(.certificateAlgorithm)
        }
        let path = try rethrowing(
            validator.validate(endEntity: endEntity, intermediate: authority, known: known),
            as: Self.failure)
        guard try !rethrowing(revocation.revokes(path), as: Self.failure) else {
            throw PaymentTokenError(.certificateRevoked)
        }
        return path
    }

    /// Reads a certificate with OpenSSL, after checking that it is entirely DER; OpenSSL accepts BER as well.
    ///
    /// Extensions and bytes are counted first, because OpenSSL reads all extensions before it counts them.
    private func read(
        _ certificate: Certificate,
        in signedData: SignedData
    ) throws(PaymentTokenError) -> X509Certificate {
        let document = signedData.encoding.span
        guard DERStructure.isValid(certificate.der, in: document) else {
            throw PaymentTokenError(.certificateNotDER)
        }
        guard let extensionCount = certificate.extensionCount(in: document) else {
            throw PaymentTokenError(.unreadableCertificate)
        }
        let limit = Int(X509Certificate.extensionLimit)
        guard extensionCount <= limit else {
            throw PaymentTokenError(
                .unreadableCertificate,
                reason: "it has \(extensionCount) extensions, more than \(limit)")
        }
        guard certificate.der.count <= Self.sizeLimit else {
            throw PaymentTokenError(
                .unreadableCertificate,
                reason: "it has \(certificate.der.count) bytes, more than \(Self.sizeLimit)")
        }
        return try rethrowing(
            X509Certificate(der: document.extracting(certificate.der)), as: Self.failure)
    }

    /// Returns whether a certificate has an extension; Apple requires only its presence.
    private func hasExtension(
        _ identifier: String,
        _ certificate: X509Certificate
    ) throws(PaymentTokenError) -> Bool {
        try rethrowing(certificate.extensionValue(identifier) != nil, as: Self.failure)
    }

    /// Returns the token's error for an error of OpenSSL.
    private static func failure(_ error: PrimitivesError) -> PaymentTokenError {
        switch error {
        case .malformedCertificate: PaymentTokenError(.unreadableCertificate)
        case .invalidPath(let reason): PaymentTokenError(.noPathToAnchor, reason: reason)
        case .malformedPublicKey: PaymentTokenError(.signerKeyKind)
        case .unverifiedRevocationList: PaymentTokenError(.unverifiedRevocationList)
        default: PaymentTokenError(.chainLibraryFailure)
        }
    }
}
