internal import CApplePayOpenSSL

/// An OpenSSL key object and the one place that frees it.
///
/// `EVP_PKEY` may be used by several threads at once, as long as nobody changes it.
@safe
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a reference.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Whether this is a key on an elliptic curve.
    var isEC: Bool { typeName == "EC" }

    /// Whether the key is plain RSA, not RSA-PSS.
    var isRSA: Bool { typeName == "RSA" }

    /// The key's type name in OpenSSL; EVP_PKEY_is_a(3) answers no when it cannot allocate.
    private var typeName: String? {
        unsafe EVP_PKEY_get0_type_name(pointer).map { unsafe String(cString: $0) }
    }

    /// The size in bits: of the field for EC, of the modulus for RSA; 0 where OpenSSL could not find it out.
    var bits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

    /// The name of an EC key's curve; nil where explicit parameters give a curve without a name.
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
        // A key without the name of its curve has the curve's parameters, and says so.
        var hasParameters: Int32 = 0
        let isTold = unsafe EVP_PKEY_get_int_param(
            pointer, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &hasParameters)
        guard isTold == 1, hasParameters == 1 else {
            OpenSSLCall.drainErrors()
            throw .libraryFailure(function: "EVP_PKEY_get_group_name")
        }
        return nil
    }

    /// Makes a key object of the same numbers, with nothing else in common.
    func duplicate() throws(PrimitivesError) -> EVPKey {
        unsafe EVPKey(owning: try OpenSSLCall.object(EVP_PKEY_dup(pointer), "EVP_PKEY_dup"))
    }

    /// Makes a context for operations with this key.
    func makeContext() throws(PrimitivesError) -> OpaquePointer {
        try unsafe OpenSSLCall.object(
            EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil),
            "EVP_PKEY_CTX_new_from_pkey"
        )
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}
