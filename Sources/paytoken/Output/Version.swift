internal import CApplePayOpenSSL
internal import CPaytokenVersion

extension CommandOption {
    static let version = flag("--version", "the version, the commit and the OpenSSL in use")
}

/// The text of `paytoken --version`.
enum Version {
    /// The release that this code becomes or became.
    static let number = "0.1.0"

    /// Two lines: the command's version and commit, and the OpenSSL that is loaded, which can be newer than the one
    /// that the command was built with.
    static var text: String {
        let commit = unsafe String(cString: CPaytokenVersion_commit())
        return "paytoken \(number) (commit \(commit))\n\(library)\n"
    }

    /// The name and the version of the OpenSSL that is loaded.
    static var library: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
