import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The command with keys and revocation")
struct KeyOptionTests {
    private let demo = TestVectors.demoToken.path()
    private let testOptions = [
        "--test-trust-anchor", TestVectors.root.path(), "--at", "2026-05-04T09:30:00Z",
    ]
    private let keys = TestVectors.keys.path() + "/"

    @Test("opens encrypted keys with the passphrase of a file")
    func passphrase() throws {
        try KeyFolder.with(["passphrase": "apple-pay\n"]) { folder in
            let file = TestVectors.keyFiles.appending(path: "accepted/one.keychain.p12").path()
            let words = ["decrypt", demo, "--keys", file]
            let opened = try Command(
                words + ["--passphrase-file", folder + "/passphrase"] + testOptions)
            #expect(opened.status == 0)
            let closed = try Command(words + testOptions)
            #expect(closed.status == 3)
            #expect(
                closed.error.hasSuffix(
                    "is encrypted; give its passphrase (--passphrase-file or --passphrase-env).\n"
                ))
            let absent = try Command(words + ["--passphrase-file", "/nowhere"] + testOptions)
            #expect(absent.error.contains("/nowhere cannot be read"))
        }
    }

    @Test("refuses what a fingerprint or a list revokes")
    func revoked() throws {
        let list = TestVectors.synthetic.appending(path: "revocation/leaf.crl.pem").path()
        let listed = try Command(["verify", demo, "--crl", list] + testOptions)
        #expect(listed.status == 1)
        #expect(listed.output.contains(#""stage":"chain","code":"certificate-revoked""#))
        let others = TestVectors.synthetic.appending(path: "revocation/others.crl.pem").path()
        #expect(try Command(["verify", demo, "--crl", others] + testOptions).status == 0)
        let unknown = String(repeating: "ab", count: 32)
        #expect(
            try Command(["verify", demo, "--refuse-certificate", unknown] + testOptions).status == 0
        )
        let usage = try Command(["verify", demo, "--refuse-certificate", "ab"] + testOptions)
        #expect(usage.status == 2)
        #expect(usage.error.contains("64 hexadecimal digits"))
        let key = try keyHash()
        let refused = try Command(
            ["verify", demo, "--refuse-key", unknown, "--refuse-key", key] + testOptions)
        #expect(refused.status == 1)
        #expect(refused.output.contains(#""stage":"chain","code":"certificate-revoked""#))
        #expect(try Command(["verify", demo, "--refuse-key", unknown] + testOptions).status == 0)
        let malformed = try Command(["verify", demo, "--refuse-key", "ab"] + testOptions)
        #expect(malformed.status == 2)
        #expect(malformed.error.contains("SubjectPublicKeyInfo"))
        #expect(try Command(["verify", demo, "--crl", "/dev/null"] + testOptions).status == 3)
        #expect(try Command(["verify", demo, "--crl", "/nowhere"] + testOptions).status == 3)
    }

    /// Returns the hash of the key of the demo token's signer, as inspect prints it.
    private func keyHash() throws -> String {
        let inspection = try Command(["inspect", "--json", demo] + testOptions)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(inspection.output.utf8)) as? [String: Any])
        let certificates = try #require(object["certificates"] as? [[String: Any]])
        let signer = try #require(certificates.first { $0["role"] as? String == "signer" })
        #expect((signer["fingerprint"] as? String)?.count == 64)
        return try #require(signer["keyHash"] as? String)
    }
}
