internal import ApplePayCMS
internal import ApplePayPrimitives

/// Finds who signed and proves the chain signer, intermediate, anchor.
final class ChainVerifier: Sendable {
    /// Marks the certificates with which Apple signs payment tokens.
    private static let signerMarker = "1.2.840.113635.100.6.29"

    /// Marks the authority that issues them.
    private static let intermediateMarker = "1.2.840.113635.100.6.2.14"

    private let validator: PathValidator
    private let proven = ProvenChains()
    private let revocation: Revocation

    init(anchor: TrustAnchor, revocation: Revocation) throws(PrimitivesError) {
        self.revocation = revocation
        validator = try PathValidator(
            name: anchor.name,
            subjectPublicKeyInfo: anchor.subjectPublicKeyInfo,
            keyIdentifier: anchor.keyIdentifier,
            serialNumber: anchor.serialNumber
        )
    }

    /// The key of the certificate that the signer id names, once its chain is proven.
    func signerKey(
        for signedData: SignedData,
        kind: VerificationKey.Kind
    ) throws(ChainError) -> VerificationKey {
        let signer = try signerCertificate(in: signedData)
        let time = signedData.signer.signingTime.secondsSince1970
        // A name may stand on several certificates; the first whose chain holds is as good as any.
        var refusal = ChainError(.intermediateMissing)
        for intermediate in signedData.certificates
        where signedData.areEqual(intermediate.subject, signer.issuer)
            && !signedData.areEqual(intermediate.der, signer.der)
        {
            do throws(ChainError) {
                let chain = try chain(signer, intermediate, in: signedData, at: time)
                guard chain.signerKey.kind == kind else { throw ChainError(.signerKeyKind) }
                return chain.signerKey
            } catch {
                guard error.code != .libraryFailure else { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    /// The certificate with the issuer and serial number of the signer id, compared as bytes.
    ///
    /// What else the signature carries does not matter: the markers must be on this certificate
    /// and on its issuer, not on any in the bag.
    private func signerCertificate(in signedData: SignedData) throws(ChainError) -> Certificate {
        var signer: Certificate?
        for certificate in signedData.certificates
        where signedData.areEqual(certificate.serialNumber, signedData.signer.serialNumber)
            && signedData.areEqual(certificate.issuer, signedData.signer.issuer)
        {
            guard signer.map({ signedData.areEqual($0.der, certificate.der) }) ?? true else {
                throw ChainError(.signerCertificateAmbiguous)
            }
            signer = certificate
        }
        guard let signer else { throw ChainError(.signerCertificateMissing) }
        return signer
    }

    private func chain(
        _ signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData,
        at time: Int64
    ) throws(ChainError) -> ProvenChain {
        if let chain = proven.chain(of: signer, intermediate, in: signedData, at: time) {
            return chain
        }
        let validity = try commonValidity(signer, intermediate)
        guard validity.contains(time) else { throw ChainError(.outsideValidity) }
        let endEntity = try read(signer, in: signedData)
        let authority =
            if let known = proven.authority(intermediate, in: signedData) {
                known
            } else {
                try read(intermediate, in: signedData)
            }
        let chain = ProvenChain(
            signer: signer,
            intermediate: intermediate,
            in: signedData,
            authority: authority,
            signerKey: try prove(endEntity, authority),
            validity: validity
        )
        proven.remember(chain)
        return chain
    }

    private func commonValidity(
        _ signer: Certificate,
        _ intermediate: Certificate
    ) throws(ChainError) -> ClosedRange<Int64> {
        let start = max(signer.notBefore, intermediate.notBefore).secondsSince1970
        let end = min(signer.notAfter, intermediate.notAfter).secondsSince1970
        guard start <= end else { throw ChainError(.outsideValidity) }
        return start...end
    }

    /// Everything a path needs that is not its time: what OpenSSL checks, and what is Apple's.
    private func prove(
        _ endEntity: X509Certificate,
        _ authority: X509Certificate
    ) throws(ChainError) -> VerificationKey {
        guard try hasMarker(Self.signerMarker, endEntity) else {
            throw ChainError(.signerMarkerMissing)
        }
        guard try hasMarker(Self.intermediateMarker, authority) else {
            throw ChainError(.intermediateMarkerMissing)
        }
        guard endEntity.isEndEntity else { throw ChainError(.signerIsAuthority) }
        guard let usage = endEntity.keyUsage, usage.contains(.digitalSignature),
            !usage.contains(.keyCertSign), !usage.contains(.cRLSign)
        else { throw ChainError(.signerKeyUsage) }
        guard authority.isAuthority else { throw ChainError(.intermediateNotAuthority) }
        guard let usage = authority.keyUsage, usage.contains(.keyCertSign) else {
            throw ChainError(.intermediateKeyUsage)
        }
        guard try hasAuthorityKey(authority) else { throw ChainError(.intermediateKeyKind) }
        guard endEntity.isSignedWithECDSA, authority.isSignedWithECDSA else {
            throw ChainError(.certificateAlgorithm)
        }
        let refusal: ChainError?
        do throws(PrimitivesError) {
            // Revocation is checked for valid paths only, so that forged tokens cannot make it
            // search long lists, or compute twins of signatures that are not ECDSA's.
            if let reason = try validator.refusal(endEntity: endEntity, intermediate: authority) {
                refusal = ChainError(.noPathToAnchor, reason: reason)
            } else if try revocation.revokes(endEntity, authority, anchor: validator.anchor) {
                refusal = ChainError(.certificateRevoked)
            } else {
                refusal = nil
            }
        } catch {
            throw ChainError(.libraryFailure)
        }
        if let refusal { throw refusal }
        do throws(PrimitivesError) {
            return try endEntity.verificationKey()
        } catch {
            throw ChainError(error == .malformedPublicKey ? .signerKeyKind : .libraryFailure)
        }
    }

    /// Reads a certificate that is DER to its last byte; OpenSSL would take BER as well.
    private func read(
        _ certificate: Certificate,
        in signedData: SignedData
    ) throws(ChainError) -> X509Certificate {
        let document = signedData.encoding.span
        guard DERStructure.isValid(certificate.der, in: document) else {
            throw ChainError(.certificateNotDER)
        }
        do throws(PrimitivesError) {
            return try X509Certificate(der: document.extracting(certificate.der))
        } catch {
            throw ChainError(
                error == .malformedCertificate ? .malformedCertificate : .libraryFailure)
        }
    }

    /// Whether the extension is there; Apple asks for its presence alone.
    private func hasMarker(
        _ identifier: String,
        _ certificate: X509Certificate
    ) throws(ChainError) -> Bool {
        do throws(PrimitivesError) {
            return try certificate.extensionValue(identifier) != nil
        } catch {
            throw ChainError(.libraryFailure)
        }
    }

    private func hasAuthorityKey(_ authority: X509Certificate) throws(ChainError) -> Bool {
        do throws(PrimitivesError) {
            return try authority.hasAuthorityKey()
        } catch {
            throw ChainError(.libraryFailure)
        }
    }
}
