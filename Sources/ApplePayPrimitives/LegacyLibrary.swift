internal import CApplePayOpenSSL

/// A libcrypto context apart, with the ciphers of old key files.
///
/// Keychain writes PKCS#12 with RC2-40, which OpenSSL 3 has only in its legacy provider. A context
/// of its own keeps that provider away from everything else in the process.
@safe
final class LegacyLibrary {
    private let context: OpaquePointer
    private let providers: [OpaquePointer]

    /// Makes a context with the default provider, and the legacy one where it is installed.
    init() throws(PrimitivesError) {
        let context = try unsafe OpenSSLCall.object(OSSL_LIB_CTX_new(), "OSSL_LIB_CTX_new")
        var providers: [OpaquePointer] = unsafe []
        for name in ["default", "legacy"] {
            if let provider = unsafe OSSL_PROVIDER_load(context, name) {
                unsafe providers.append(provider)
            }
        }
        OpenSSLCall.drainErrors()
        unsafe self.context = context
        unsafe self.providers = providers
    }

    /// Makes this the context of everything that the calling thread asks of libcrypto in `body`.
    ///
    /// Nothing made in there may be used afterwards; what shall last leaves as bytes.
    func perform<Result>(
        _ body: () throws(PrimitivesError) -> Result
    ) throws(PrimitivesError) -> Result {
        let previous = unsafe OSSL_LIB_CTX_set0_default(context)
        defer { _ = unsafe OSSL_LIB_CTX_set0_default(previous) }
        return try body()
    }

    deinit {
        for index in unsafe providers.indices {
            _ = unsafe OSSL_PROVIDER_unload(providers[index])
        }
        unsafe OSSL_LIB_CTX_free(context)
    }
}
