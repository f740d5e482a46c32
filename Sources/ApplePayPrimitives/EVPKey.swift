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

    /// The key's type name in OpenSSL: `EC`, `RSA` and so on.
    var isEC: Bool { unsafe EVP_PKEY_is_a(pointer, "EC") == 1 }

    /// Whether the key is plain RSA, not RSA-PSS.
    var isRSA: Bool { unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 }

    /// The size in bits: of the field for EC, of the modulus for RSA.
    var bits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

    /// The name of an EC key's curve; nil for explicit parameters and for other keys.
    var curveName: String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
            var count = 0
            guard
                unsafe EVP_PKEY_get_group_name(pointer, name.baseAddress, name.count, &count) == 1,
                let start = name.baseAddress
            else {
                OpenSSLCall.drainErrors()
                return nil
            }
            return unsafe String(cString: start)
        }
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
