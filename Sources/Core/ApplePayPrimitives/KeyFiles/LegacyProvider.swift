internal import CApplePayOpenSSL

/// OpenSSL's legacy provider, which has the ciphers of PKCS#12 files from Keychain.
package enum LegacyProvider {
    /// Returns whether the provider is installed and can be loaded.
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
