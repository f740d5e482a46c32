internal import ApplePayCMS
internal import ApplePayPrimitives

/// A signer and an intermediate, by their exact bytes, whose path to the anchor has been verified.
final class ProvenChain: Sendable {
    /// The signer's key, ready to verify signatures.
    let signerKey: VerificationKey

    /// The values of the signer's certificate, read once for all tokens that it signs.
    let signerCertificate: SignerCertificate

    /// The last second of the intermediate's validity, in seconds since 1970.
    let intermediateEnd: Int64

    /// The times at which both certificates are valid, in seconds since 1970.
    let validity: ClosedRange<Int64>

    /// The intermediate as read by OpenSSL, kept for chains of other signers that it issued.
    let authority: X509Certificate

    private let signer: [UInt8]
    private let intermediate: [UInt8]

    init(
        signer: Certificate,
        intermediate: Certificate,
        in signedData: SignedData,
        authority: X509Certificate,
        signerKey: VerificationKey,
        validity: ClosedRange<Int64>
    ) {
        self.signer = Array(signedData[signer.der])
        self.intermediate = Array(signedData[intermediate.der])
        signerCertificate = SignerCertificate(signer, in: signedData)
        intermediateEnd = intermediate.notAfter.secondsSince1970
        self.authority = authority
        self.signerKey = signerKey
        self.validity = validity
    }

    func hasIntermediate(_ intermediate: Certificate, in signedData: SignedData) -> Bool {
        let own = self.intermediate
        return ByteComparison.areEqual(
            own.span, signedData.encoding.span.extracting(intermediate.der))
    }

    func consists(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData
    ) -> Bool {
        let own = self.signer
        return ByteComparison.areEqual(
            own.span, signedData.encoding.span.extracting(signer.der))
            && hasIntermediate(intermediate, in: signedData)
    }
}
