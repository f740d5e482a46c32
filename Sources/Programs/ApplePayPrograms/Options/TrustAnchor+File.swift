internal import ApplePayPrimitives
package import ApplePayToken

extension CommandOption {
    package static let testTrustAnchor = CommandOption(
        "--test-trust-anchor", "FILE",
        "trust the root certificate in FILE instead of Apple's; for tests", kind: .file)
}

extension TrustAnchor {
    /// Returns Apple's root, or the root in a file, which a notice announces.
    package static func read(_ path: String?) throws(CommandFailure) -> TrustAnchor {
        guard let path else { return .appleRootCAG3 }
        let certificate = try FileContents.bytes(of: path, limit: 1 << 16)
        guard let anchor = try? TrustAnchor(testRootCertificate: certificate) else {
            throw .means(
                "\(path) is not a certificate in PEM or DER\(WrongFile.kind(certificate)); give the root of the test tool, such as "
                    + "root.pem.")
        }
        Notice.write("trusting the test root \(path) instead of Apple Root CA - G3.")
        return anchor
    }
}
