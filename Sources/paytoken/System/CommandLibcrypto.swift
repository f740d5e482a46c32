internal import CApplePayOpenSSL

/// libcrypto in a process of our own, which ends with the answer.
enum CommandLibcrypto {
    /// Starts libcrypto without what such a process does not need, before anything else uses it: the
    /// texts of its errors, which nobody is shown, and the freeing of its memory at the end, which is
    /// the system's.
    ///
    /// Never for a library: what starts first counts for all of the process (OPENSSL_init_crypto(3)).
    ///
    /// - Returns: Whether libcrypto started.
    static func start() -> Bool {
        let options = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ATEXIT
        return OPENSSL_init_crypto(UInt64(options), nil) == 1
    }
}
