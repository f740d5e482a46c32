/// The two algorithms with which Apple signs tokens.
package enum SignatureAlgorithm: Hashable, Sendable {
    /// ecdsa-with-SHA256: EC_v1.
    case ecdsaWithSHA256

    /// sha256WithRSAEncryption, PKCS#1 v1.5: RSA_v1.
    case rsaWithSHA256
}
