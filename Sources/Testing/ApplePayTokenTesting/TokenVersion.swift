/// The two kinds of payment tokens.
public enum TokenVersion: String, Sendable, CaseIterable {
    /// ECDH on P-256 and an EC signer.
    case ec = "EC_v1"

    /// RSA-OAEP and an RSA signer.
    case rsa = "RSA_v1"

    /// The name of the header member with the key.
    package var keyMember: String { self == .ec ? "ephemeralPublicKey" : "wrappedKey" }
}
