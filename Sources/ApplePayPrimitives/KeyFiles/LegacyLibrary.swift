internal import CApplePayOpenSSL

/// A libcrypto context apart, with the ciphers of old key files.
///
/// Keychain writes PKCS#12 with RC2-40, which OpenSSL 3 has only in its legacy provider. A context
/// of its own keeps that provider away from everything else in the process.
@safe
final class LegacyLibrary {
    private let context: OpaquePointer
    private var providers: [OpaquePointer]

    /// Makes a context with the default provider, and the legacy one where it is installed.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    private init() throws(PrimitivesError) {
        unsafe context = try OpenSSLCall.object(OSSL_LIB_CTX_new(), "OSSL_LIB_CTX_new")
        unsafe providers = []
        unsafe providers.append(
            try OpenSSLCall.object(OSSL_PROVIDER_load(context, "default"), "OSSL_PROVIDER_load"))
        // One that is not installed is a file that cannot be loaded, an error of DSO.
        let legacy = try unsafe OpenSSLCall.unlessRefused("OSSL_PROVIDER_load", by: [ERR_LIB_DSO]) {
            unsafe OSSL_PROVIDER_load(context, "legacy")
        }
        if let legacy = unsafe legacy { unsafe providers.append(legacy) }
    }

    /// Makes a library and runs `body` in it.
    ///
    /// A library in which an allocation failed while an algorithm was looked for lacks that algorithm from
    /// then on, so that the algorithm is unsupported is believed of the second library.
    static func perform<Result>(
        _ body: () throws(PrimitivesError) -> Result
    ) throws(PrimitivesError) -> Result {
        do throws(PrimitivesError) {
            return try LegacyLibrary().perform(body)
        } catch .unsupportedEncryption {
            return try LegacyLibrary().perform(body)
        }
    }

    /// Makes this the context of everything that the calling thread asks of libcrypto in `body`.
    ///
    /// Nothing made in there may be used afterwards; what shall last leaves as bytes.
    private func perform<Result>(
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
