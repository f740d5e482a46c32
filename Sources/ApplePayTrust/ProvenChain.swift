internal import ApplePayCMS
internal import ApplePayPrimitives

/// A signer and an intermediate that were shown to lead to the anchor, by their exact bytes.
struct ProvenChain: Sendable {
    /// The signer's key, ready to verify.
    let signerKey: VerificationKey

    /// Both certificates are valid at these instants, in seconds since 1970.
    let validity: ClosedRange<Int64>

    private let signer: [UInt8]
    private let intermediate: [UInt8]

    init(
        signer: Certificate,
        intermediate: Certificate,
        in signedData: SignedData,
        signerKey: VerificationKey,
        validity: ClosedRange<Int64>
    ) {
        self.signer = Array(signedData[signer.der])
        self.intermediate = Array(signedData[intermediate.der])
        self.signerKey = signerKey
        self.validity = validity
    }

    func consists(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData
    ) -> Bool {
        let document = signedData.encoding.span
        return ByteComparison.areEqual(self.signer.span, document.extracting(signer.der))
            && ByteComparison.areEqual(
                self.intermediate.span, document.extracting(intermediate.der))
    }
}
