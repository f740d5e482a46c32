import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePayTokenTesting

@Suite("The rotation steps of KeysAndCertificates.md")
struct RotationStepTests {
    private let pki = TestPKI(seed: "rotation steps")

    private struct Step {
        var text: String

        /// The commands of the step's shell block, if there is one.
        var shell: String? {
            let parts = text.components(separatedBy: "   ```sh\n")
            return parts.count == 2 ? parts[1].components(separatedBy: "   ```")[0] : nil
        }
    }

    /// The numbered steps.
    private static let steps = Result {
        let page = try String(
            contentsOf: TestVectors.directory.deletingLastPathComponent()
                .appending(path: "Sources/Core/ApplePayToken/Docs.docc/KeysAndCertificates.md"),
            encoding: .utf8)
        let list = try #require(page.components(separatedBy: "To rotate from the key ").last)
        var steps: [Step] = []
        for line in list.components(separatedBy: "\n").dropFirst() {
            if line.hasPrefix("\(steps.count + 1). ") {
                steps.append(Step(text: line))
            } else if line.hasPrefix("   "), var step = steps.popLast() {
                step.text += "\n" + line
                steps.append(step)
            } else if !line.isEmpty {
                break
            }
        }
        return steps
    }

    /// A folder in which the test follows the steps.
    private struct Shop {
        let folder: String
        let root: String

        /// Runs a step's commands with the paytoken that was built with the tests.
        func run(_ shell: String) throws -> Command {
            let products = URL(filePath: Command.path(of: "paytoken")).deletingLastPathComponent()
            return try Command(
                ["-ec", "cd '\(folder)'\n\(shell)"], program: "/bin/sh",
                environment: ["PATH": products.path() + ":/usr/bin:/bin"])
        }

        /// Decrypts a token in a new process, which loads the folder.
        func decrypt(_ token: [UInt8]) throws -> Command {
            try Command(
                [
                    "decrypt", "--keys", folder + "/keys", "--passphrase-file",
                    folder + "/passphrase", "--test-trust-anchor", root, "--at",
                    TestPKI.useTime.formatted(.iso8601),
                ], input: String(decoding: token, as: UTF8.self))
        }

        func contents(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(filePath: folder).appending(path: name)))
        }

        func write(_ contents: [UInt8], to name: String) throws {
            let file = URL(filePath: folder).appending(path: name)
            try Data(contents).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file.path())
        }
    }

    /// Returns the merchant with the key from step 1 and a certificate like the one that Apple's
    /// portal issues for a request.
    private func successor(of merchant: Merchant, in shop: Shop, passphrase: String) throws
        -> Merchant
    {
        let encrypted = try shop.contents("keys/2027.key.pem")
        let keyBlock = try #require(try PEMBlock.blocks(in: encrypted.span).first)
        let passphrase = SensitiveBytes(copying: Array(passphrase.utf8).span)
        let key = try keyBlock.der.withRevealedBytes { der in
            try EncryptedPrivateKey.open(
                der: der, passphrases: [passphrase], derivations: PasswordBasedEncryption())
        }
        let keyInfo = Data(key.withRevealedBytes { key in key.indices.map { key[$0] } })
        // ECPrivateKey: version 1, then the scalar in an OCTET STRING of 32 bytes (RFC 5915 §3).
        let scalar = try #require(keyInfo.range(of: Data([2, 1, 1, 4, 32]))).upperBound
        let privateKey = PrivateKey.ec(
            try ECKey(curve: .p256, scalar: Array(keyInfo[scalar..<scalar + 32])))

        let request = try shop.contents("keys/2027.csr.pem")
        let requestBlock = try #require(try PEMBlock.blocks(in: request.span).first)
        let requested = Data(
            requestBlock.der.withRevealedBytes { der in der.indices.map { der[$0] } })
        #expect(requested.range(of: Data(privateKey.subjectPublicKeyInfo)) != nil)

        let authority = try pki.processingAuthority
        var recipe = try pki.processingCertificate(
            merchant.identifier, privateKey, issuer: authority)
        recipe.notBefore = CivilTime.day(2026, 5, 1)
        recipe.notAfter = CivilTime.day(2028, 6, 1)
        return Merchant(
            name: merchant.name, identifier: merchant.identifier,
            identifierHash: merchant.identifierHash,
            credential: Credential(
                key: privateKey, certificate: try recipe.issued(by: authority.key)),
            publicKeyHash: try Digest.sha256.hash(privateKey.subjectPublicKeyInfo))
    }

    private func hash(_ merchant: Merchant) -> String {
        Data(merchant.publicKeyHash).base64EncodedString()
    }

    @Test("lose no token from the first to the last, word for word")
    func steps() throws {
        let steps = try Self.steps.get()
        #expect(steps.map { $0.shell != nil } == [true, false, true, false, true])
        let old = try pki.merchant("shop")
        let oldToken = try pki.token(to: old).json
        let files = ["root.pem": try pki.root.certificate.pem, "passphrase": "correct horse\n"]
        try KeyFolder.with(files) { folder in
            let shop = Shop(folder: folder, root: folder + "/root.pem")
            try FileManager.default.createDirectory(
                atPath: folder + "/keys", withIntermediateDirectories: false)
            try shop.write(Array(old.keyPEM.utf8), to: "keys/2026.key.pem")
            try shop.write(old.certificateDER, to: "keys/2026.cer")

            let made = try shop.run(#require(steps[0].shell))
            #expect(made.status == 0, "\(made.error)")

            // A restart decrypts current tokens while Apple has not issued the new certificate.
            let pending = try shop.run(#require(steps[2].shell))
            #expect(pending.status == 0, "\(pending.error)")
            #expect(pending.output.contains("awaiting certificate"))
            #expect(try shop.decrypt(oldToken).status == 0)
            let passphrase = try Passphrase(contentsOfFile: folder + "/passphrase")
            let keyring = try MerchantKeyring(
                contentsOf: [folder + "/keys"], passphrases: [passphrase])
            #expect(
                Set(keyring.descriptions.map(\.status)) == [.ready, .awaitingCertificate])

            let new = try successor(of: old, in: shop, passphrase: "correct horse")
            let newToken = try pki.token(to: new).json
            let early = try shop.decrypt(newToken)
            #expect(early.status == 1)
            #expect(early.output.contains(#""stage":"key-agreement","code":"key-unavailable""#))

            #expect(
                steps[1].text.contains("save the certificate that it issues as `keys/2027.cer`"))
            try shop.write(new.certificateDER, to: "keys/2027.cer")

            let listed = try shop.run(#require(steps[2].shell))
            #expect(listed.status == 0 && listed.error.isEmpty)
            let rows = listed.output.split(separator: "\n").dropFirst()
            #expect(rows.count == 2 && rows.allSatisfy { $0.contains("  \(old.identifier)  ") })
            for (merchant, end) in [(old, "2027-10-01"), (new, "2028-06-01")] {
                #expect(rows.contains { $0.hasPrefix(hash(merchant)) && $0.contains(end) })
            }

            #expect(steps[3].text.contains("call `add(contentsOf:)`"))
            try keyring.add(contentsOf: [folder + "/keys"], passphrases: [passphrase])
            let decryptor = try PaymentTokenDecryptor(
                keyring: keyring,
                anchor: TrustAnchor(testRootCertificate: shop.contents("root.pem")))
            for token in [oldToken, newToken] {
                #expect(try shop.decrypt(token).status == 0)
                #expect(throws: Never.self) {
                    try decryptor.decrypt(token, agePolicy: .received(at: TestPKI.useTime))
                }
            }

            #expect(steps[4].text.contains("call `retire(publicKeyHash:)`"))
            #expect(keyring.retire(publicKeyHash: hash(old)))
            #expect(keyring.publicKeyHashes == [hash(new)])
            let retired = try shop.run(#require(steps[4].shell))
            #expect(retired.status == 0, "\(retired.error)")
            #expect(retired.output.contains(hash(new)) && !retired.output.contains(hash(old)))
            #expect(try shop.decrypt(newToken).status == 0)
            let refused = try shop.decrypt(oldToken)
            #expect(refused.status == 1)
            #expect(refused.output.contains(#""stage":"key-selection","code":"no-key-with-hash""#))
        }
    }
}
