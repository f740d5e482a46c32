internal import CApplePayOpenSSL
internal import CApplePaySystem
internal import Glibc

/// What a process that handles card data asks of the system.
enum ProcessGuard {
    /// Switches core dumps off, so that a crash leaves no card data in a file (prctl(2)).
    ///
    /// - Returns: Whether the system agreed.
    static func disableCoreDumps() -> Bool {
        CApplePaySystem_disable_core_dumps() == 0
    }

    /// Gives the standard streams that are closed a file that can be neither read nor written, so that no file
    /// that is opened later gets their numbers and with them the answers.
    ///
    /// - Returns: Whether no standard stream is closed any more.
    static func reserveStandardStreams() -> Bool {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest free number is this one.
            guard unsafe open("/dev/null", mode) == descriptor else { return false }
        }
        return true
    }

    /// Makes a write to a closed pipe (SIGPIPE) or over the file-size limit (SIGXFSZ) an error that the
    /// writer sees, in place of the process's end.
    static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Starts libcrypto without what such a process does not need, before anything else uses it: the
    /// texts of its errors, which nobody is shown, and the freeing of its memory at the end, which is
    /// the system's.
    ///
    /// Never for a library: what starts first counts for all of the process (OPENSSL_init_crypto(3)).
    ///
    /// - Returns: Whether libcrypto started.
    static func startLibcrypto() -> Bool {
        let options = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ATEXIT
        return OPENSSL_init_crypto(UInt64(options), nil) == 1
    }
}
