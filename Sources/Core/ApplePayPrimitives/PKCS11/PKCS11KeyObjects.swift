internal import CApplePayOpenSSL
internal import CApplePaySystem

/// The attributes of a private key in a token and of the objects with the same identifier.
struct PKCS11KeyObjects {
    private let count: Int
    private let isEC: Bool
    private let isRSA: Bool
    private let mayWork: Bool
    private let asksEachTime: Bool
    private let curve: [UInt8]
    private let point: [UInt8]?
    private let modulus: [UInt8]?
    private let publicExponent: [UInt8]?

    /// The certificate, DER; nil if the token has none for the key.
    let certificate: [UInt8]?

    /// Reads the attributes of the private key that matches, or counts the matching keys.
    init(_ session: PKCS11Session, _ attributes: [PKCS11Attribute]) throws(PrimitivesError) {
        let keys = try session.objects(attributes)
        count = keys.count
        guard let key = keys.first else { throw .device(.objectHandleInvalid) }
        let keyType = try session.value(of: key, Int(CKA_KEY_TYPE))
        isEC = keyType == PKCS11Attribute.number(Int(CKA_KEY_TYPE), Int(CKK_EC)).value
        isRSA = keyType == PKCS11Attribute.number(Int(CKA_KEY_TYPE), Int(CKK_RSA)).value
        mayWork = try session.value(of: key, Int(isEC ? CKA_DERIVE : CKA_DECRYPT)) == [1]
        asksEachTime = try session.value(of: key, Int(CKA_ALWAYS_AUTHENTICATE)) == [1]
        let identifier = try session.value(of: key, Int(CKA_ID)) ?? []
        /// Returns the object of a class that has the key's identifier; nil if the identifier is empty.
        func companion(_ objectClass: Int) throws(PrimitivesError) -> CK_ULONG? {
            guard !identifier.isEmpty else { return nil }
            return try session.objects([
                .number(Int(CKA_CLASS), objectClass),
                PKCS11Attribute(type: Int(CKA_ID), value: identifier),
            ]).first
        }
        let publicKey = try companion(Int(CKO_PUBLIC_KEY))
        /// Returns an attribute of the private key, or else of the public key.
        func value(_ type: Int) throws(PrimitivesError) -> [UInt8]? {
            if let own = try session.value(of: key, type), !own.isEmpty { return own }
            return try publicKey.flatMap { key throws(PrimitivesError) in
                try session.value(of: key, type)
            }
        }
        curve = try value(Int(CKA_EC_PARAMS)) ?? []
        point = try value(Int(CKA_EC_POINT))
        modulus = try value(Int(CKA_MODULUS))
        publicExponent = try value(Int(CKA_PUBLIC_EXPONENT))
        certificate = try companion(Int(CKO_CERTIFICATE)).flatMap {
            object throws(PrimitivesError) in
            try session.value(of: object, Int(CKA_VALUE))
        }
    }

    /// Throws if several keys match, or if the key does not permit its operation.
    func check(hasPIN: Bool) throws(PrimitivesError) {
        guard count == 1 else {
            throw .keyUnavailable(
                "several private keys on the token match the URI; add id= or object=")
        }
        guard isEC || isRSA else { throw .unsupportedKey("a key that is neither EC nor RSA") }
        guard mayWork else {
            throw .keyUnavailable(
                isEC
                    ? "the key is not permitted to derive secrets (CKA_DERIVE is false)"
                    : "the key is not permitted to decrypt (CKA_DECRYPT is false)")
        }
        guard !asksEachTime else {
            throw .keyUnavailable(
                "the key requires the PIN for each use (CKA_ALWAYS_AUTHENTICATE is true), which is not supported"
            )
        }
    }

    /// Returns the public half, from the token's public key or else from the certificate.
    func publicKey(certificate: X509Certificate?) throws(PrimitivesError) -> RecipientPublicKey {
        if isEC, !curve.isEmpty, curve != Self.prime256v1 {
            throw .unsupportedKey("an EC key on another curve than P-256")
        }
        if isEC, let point {
            // PKCS #11 mechanisms §2.3.3 wraps the point in an OCTET STRING; some modules do not.
            let isWrapped = point.count == 67 && point.starts(with: [0x04, 0x41])
            let octets = isWrapped ? Array(point.dropFirst(2)) : point
            return try RecipientPublicKey(of: EVPKey(p256Point: octets.span))
        }
        if isRSA, let modulus, let publicExponent {
            return try RecipientPublicKey(
                of: EVPKey(modulus: modulus, publicExponent: publicExponent))
        }
        guard let certificate else {
            throw .keyUnavailable(
                "the token contains neither a public key nor a certificate with the key's CKA_ID; import one of them"
            )
        }
        return try certificate.recipientPublicKey()
    }

    /// The DER of the curve's object identifier, 1.2.840.10045.3.1.7.
    private static let prime256v1: [UInt8] = [
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]
}
