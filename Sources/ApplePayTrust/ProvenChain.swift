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
        signerKey: VerificationKey,
        validity: ClosedRange<Int64>
    ) {
        self.signer = Array(signer.der)
        self.intermediate = Array(intermediate.der)
        self.signerKey = signerKey
        self.validity = validity
    }

    func consists(of signer: Certificate, _ intermediate: Certificate) -> Bool {
        ByteComparison.areEqual(self.signer.span, signer.der.span)
            && ByteComparison.areEqual(self.intermediate.span, intermediate.der.span)
    }
}
