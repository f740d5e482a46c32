internal import CApplePayOpenSSL
internal import CPaytoken
internal import Glibc

/// Operating system settings for a process that handles card data.
package enum ProcessGuard {
    /// Disables core dumps, so that a crash leaves no card data in a file (prctl(2)).
    ///
    /// - Returns: Whether the system call succeeded.
    package static func disableCoreDumps() -> Bool {
        CPaytoken_disable_core_dumps() == 0
    }

    /// Lets a crash end this process at once, without the report of Swift's runtime (SWIFT_BACKTRACE).
    ///
    /// The report contains registers and memory, and so card data. A confined process cannot start the program that writes it,
    /// and would hang.
    package static func omitCrashReports() {
        // The signals for which the runtime has handlers.
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(number, SIG_DFL)
        }
    }

    /// Opens `/dev/null` for each closed standard stream, in a mode in which it cannot be used.
    ///
    /// Otherwise a file that is opened later would get the number of a standard stream, and the
    /// answers would be written to it.
    ///
    /// - Returns: Whether all standard streams are open.
    package static func reserveStandardStreams() -> Bool {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // open(2) returns the lowest free number, which is this one.
            guard unsafe open("/dev/null", mode) == descriptor else { return false }
        }
        return true
    }

    /// Makes a write to a closed pipe (SIGPIPE) or beyond the file-size limit (SIGXFSZ) return an
    /// error instead of ending the process.
    package static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Initializes libcrypto, before anything else uses it, without features that the command does
    /// not need.
    ///
    /// Leaves out the texts of its errors, which the command does not print, and the cleanup of
    /// its memory at exit, which the system does. A library must not call this, because the first
    /// initialization applies to the whole process (OPENSSL_init_crypto(3)).
    ///
    /// - Returns: Whether libcrypto started.
    package static func startLibcrypto() -> Bool {
        let options = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ATEXIT
        return OPENSSL_init_crypto(UInt64(options), nil) == 1
    }
}
