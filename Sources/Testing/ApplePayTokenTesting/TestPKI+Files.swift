internal import ApplePayTokenTestingPrimitives

extension TestPKI {
    /// A file of a PKI in a folder.
    package struct File: Sendable {
        /// The path relative to the folder.
        package let path: String

        /// The contents.
        package let text: String

        /// Whether only the owner may read it.
        package let isSecret: Bool

        /// Creates a file with these contents.
        package init(path: String, text: String, isSecret: Bool) {
            self.path = path
            self.text = text
            self.isSecret = isSecret
        }
    }

    /// Returns a seed of 256 bits from the system's random generator, as text.
    package static func randomSeed() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text(
            (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Creates the files of the PKI: the root, three merchants, the merchant identity certificate of the first, and the
    /// keys and certificates of authorities and signers.
    ///
    /// The merchants have the names used in the vectors, because some faults use the key of another merchant: `one` and
    /// `three` have EC keys, `two` an RSA key.
    ///
    /// - Throws: ``TestTokenError`` if libcrypto fails.
    package func files() throws(TestTokenError) -> [File] {
        do throws(TestingError) {
            var files = [File(path: "root.pem", text: try root.certificate.pem, isSecret: false)]
            for merchant in [try merchant("one"), try merchant("two", .rsa), try merchant("three")]
            {
                files += Self.pair(
                    "merchants/\(merchant.name)", merchant.credential, certificateEnding: "cert.pem"
                )
            }
            files += Self.pair(
                "identity/one", try merchantIdentity("one"), certificateEnding: "cert.pem")
            let chains = (try chain(.ec), try chain(.rsa))
            let (ec, rsa) = (try chains.0.issued(), try chains.1.issued())
            // Not `.cert.pem`, the extension of merchants' certificates, so that a keyring does not load these by
            // accident.
            for (name, credential) in [
                ("root", chains.0.root),
                (
                    "intermediate",
                    Credential(key: chains.0.intermediate.key, certificate: ec.intermediate)
                ),
                ("signer-ec", Credential(key: chains.0.leaf.key, certificate: ec.leaf)),
                ("signer-rsa", Credential(key: chains.1.leaf.key, certificate: rsa.leaf)),
            ] {
                files += Self.pair("signing/\(name)", credential, certificateEnding: "issued.pem")
            }
            return files
        } catch {
            throw TestTokenError(error)
        }
    }

    private static func pair(
        _ name: String, _ credential: Credential, certificateEnding: String
    ) -> [File] {
        [
            File(path: "\(name).key.pem", text: credential.key.pem, isSecret: true),
            File(
                path: "\(name).\(certificateEnding)", text: credential.certificate.pem,
                isSecret: false),
        ]
    }
}
