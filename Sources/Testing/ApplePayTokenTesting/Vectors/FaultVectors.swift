/// Faults without a vector in TestVectors/synthetic, because the text would be long or the fault was found later.
extension VectorBook {
    /// Adds the faults; only a book with an excerpt contains them.
    func addFaults() throws {
        try reject("fault/text-too-long", "a token of more than 256 KiB", at: .json) {
            $0.editText { $0 += [UInt8](repeating: 0x20, count: 256 << 10) }
        }
        // DER permits only FF for TRUE (X.690 §11.1).
        try reject("fault/certificate-not-der", "the leaf has a TRUE written as 01", at: .chain) {
            $0.chain.leaf.signatureAlgorithm.parameters = ASN1Element(0x01, octets: [0x01])
        }
    }
}
