internal import CApplePayOpenSSL

/// A separate libcrypto context with the ciphers of old key files.
///
/// Keychain encrypts PKCS#12 files with RC2-40, which OpenSSL 3 has only in its legacy provider.
/// The separate context keeps that provider away from the rest of the process.
@safe
final class LegacyLibrary {
    private let context: OpaquePointer
    private var providers: [OpaquePointer]

    /// Creates a context with the default provider, and with the legacy provider if it is installed.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    private init() throws(PrimitivesError) {
        unsafe context = try OpenSSLCall.object(OSSL_LIB_CTX_new(), "OSSL_LIB_CTX_new")
        unsafe providers = []
        unsafe providers.append(
            try OpenSSLCall.object(OSSL_PROVIDER_load(context, "default"), "OSSL_PROVIDER_load"))
        // If the provider is not installed, its file cannot be loaded, which is an error of DSO.
        let legacy = try unsafe OpenSSLCall.unlessRefused("OSSL_PROVIDER_load", by: [ERR_LIB_DSO]) {
            unsafe OSSL_PROVIDER_load(context, "legacy")
        }
        if let legacy = unsafe legacy { unsafe providers.append(legacy) }
    }

    /// Creates a library context and runs `body` in it; if OpenSSL must use FIPS algorithms, runs `body` without one.
    ///
    /// If an allocation fails during the search for an algorithm, the context lacks that algorithm from then on. So an
    /// unsupported algorithm is reported only if a second context lacks it too.
    static func perform<Result>(
        _ body: () throws(PrimitivesError) -> Result
    ) throws(PrimitivesError) -> Result {
        // The context does not read OpenSSL's configuration, so it would use algorithms that FIPS does not allow.
        guard !FIPSMode.isRequired else { return try body() }
        do {
            return try LegacyLibrary().perform(body)
        } catch {
            guard error == .unsupportedEncryption || error == .unsupportedMAC else { throw error }
            return try LegacyLibrary().perform(body)
        }
    }

    /// Runs `body` with this context as the calling thread's default libcrypto context.
    ///
    /// Objects created inside must not be used afterwards; return results as bytes.
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

/// OpenSSL's legacy provider, which has the ciphers of PKCS#12 files from Keychain.
package enum LegacyProvider {
    /// Returns whether the provider is installed and can be loaded; false if OpenSSL must use FIPS algorithms.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package static func isInstalled() throws(PrimitivesError) -> Bool {
        do {
            // Inside, the thread's default context is the one with the provider.
            return try LegacyLibrary.perform { () throws(PrimitivesError) in
                guard unsafe OSSL_PROVIDER_available(nil, "legacy") == 1 else {
                    throw .unsupportedEncryption
                }
                return true
            }
        } catch .unsupportedEncryption {
            return false
        }
    }
}
