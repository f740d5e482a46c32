internal import CApplePayOpenSSL
internal import CPaytoken

extension CommandOption {
    package static let version = flag("--version", "the version, the commit and the OpenSSL in use")
}

/// The text of `--version`.
package enum Version {
    /// The release to which this code belongs.
    package static let number = "0.1.0"

    /// Returns two lines: the program's version and commit, and the loaded OpenSSL, which can be newer than the one at
    /// build time.
    package static func text(of program: String) -> String {
        let commit = unsafe String(cString: CPaytoken_commit())
        return "\(program) \(number) (commit \(commit))\n\(library)\n"
    }

    /// The name and the version of the OpenSSL that is loaded.
    package static var library: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
