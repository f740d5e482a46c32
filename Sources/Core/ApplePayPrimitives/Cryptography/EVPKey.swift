internal import CApplePayOpenSSL

/// Owns an OpenSSL key object and frees it.
///
/// Several threads may use an `EVP_PKEY` at once as long as none changes it.
@safe
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Whether this is an elliptic-curve key.
    var isEC: Bool { typeName == "EC" }

    /// Whether the key is plain RSA, not RSA-PSS.
    var isRSA: Bool { typeName == "RSA" }

    /// Returns the kind of a key that Apple Pay uses; nil for any other key.
    func kind() throws(PrimitivesError) -> KeyKind? {
        if isEC { return try curveName() == SN_X9_62_prime256v1 ? .p256 : nil }
        return isRSA && bits == 2048 ? .rsa2048 : nil
    }

    /// The key's type name in OpenSSL; EVP_PKEY_is_a(3) is not used because it returns false if it cannot allocate.
    private var typeName: String? {
        unsafe EVP_PKEY_get0_type_name(pointer).map { unsafe String(cString: $0) }
    }

    /// The size in bits, of the field for EC or of the modulus for RSA; 0 if OpenSSL could not determine it.
    var bits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

    /// Returns the name of an EC key's curve; nil if explicit parameters describe a curve without a name.
    func curveName() throws(PrimitivesError) -> String? {
        let curve = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
            var count = 0
            guard
                unsafe EVP_PKEY_get_group_name(pointer, name.baseAddress, name.count, &count) == 1,
                let start = name.baseAddress
            else { return String?.none }
            return unsafe String(cString: start)
        }
        if let curve { return curve }
        OpenSSLCall.drainErrors()
        // A key without a curve name reports that it has explicit parameters.
        var hasParameters: Int32 = 0
        let isTold = unsafe EVP_PKEY_get_int_param(
            pointer, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &hasParameters)
        guard isTold == 1, hasParameters == 1 else {
            throw OpenSSLCall.failure("EVP_PKEY_get_group_name")
        }
        return nil
    }

    /// Creates a separate key object with the same numbers, which shares nothing with this one.
    func duplicate() throws(PrimitivesError) -> EVPKey {
        unsafe EVPKey(owning: try OpenSSLCall.object(EVP_PKEY_dup(pointer), "EVP_PKEY_dup"))
    }

    /// Creates a context for operations with this key.
    func makeContext() throws(PrimitivesError) -> OpaquePointer {
        try unsafe OpenSSLCall.object(
            EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil),
            "EVP_PKEY_CTX_new_from_pkey"
        )
    }

    /// Sets the padding that Apple Pay uses in a context for encryption or decryption with an RSA key.
    ///
    /// It is RSAES-OAEP with SHA-256, MGF1-SHA-256 and an empty label (RFC 8017 §7.1).
    static func useOAEP(_ context: OpaquePointer) throws(PrimitivesError) {
        try unsafe OpenSSLCall.check(
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING),
            "EVP_PKEY_CTX_set_rsa_padding")
        try unsafe OpenSSLCall.check(
            EVP_PKEY_CTX_set_rsa_oaep_md_name(context, "SHA2-256", nil),
            "EVP_PKEY_CTX_set_rsa_oaep_md_name")
        try unsafe OpenSSLCall.check(
            EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA2-256", nil),
            "EVP_PKEY_CTX_set_rsa_mgf1_md_name")
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}
