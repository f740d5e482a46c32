import ApplePayToken
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

    private static let page = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Sources/Core/ApplePayToken/Docs.docc/KeysAndCertificates.md")

    /// The numbered steps.
    private static let steps = Result {
        let text = try String(contentsOf: page, encoding: .utf8)
        let list = try #require(text.components(separatedBy: "To rotate from the key ").last)
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

    private func hash(_ recipient: Recipient) -> String {
        Data(recipient.publicKeyHash).base64EncodedString()
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

            let request = folder + "/keys/2027.csr.pem"
            let certificate = try pki.certificate(
                forRequestAt: request, merchantIdentifier: old.identifier,
                from: CivilTime.day(2026, 5, 1))
            try shop.write(Array(certificate), to: "certificate")
            let new = try Recipient(certificatePath: folder + "/certificate")
            let newToken = try pki.token(to: new).json
            let early = try shop.decrypt(newToken)
            #expect(early.status == 1)
            #expect(early.output.contains(#""stage":"key-agreement","code":"key-unavailable""#))

            #expect(
                steps[1].text.contains("save the certificate that it issues as `keys/2027.cer`"))
            try shop.write(Array(certificate), to: "keys/2027.cer")

            let listed = try shop.run(#require(steps[2].shell))
            #expect(listed.status == 0 && listed.error.isEmpty)
            let rows = listed.output.split(separator: "\n").dropFirst()
            #expect(rows.count == 2 && rows.allSatisfy { $0.contains("  \(old.identifier)  ") })
            for (merchant, end) in [(old.recipient, "2027-10-01"), (new, "2028-05-31")] {
                #expect(rows.contains { $0.hasPrefix(hash(merchant)) && $0.contains(end) })
            }

            #expect(steps[3].text.contains("call `add(contentsOf:)`"))
            try keyring.add(contentsOf: [folder + "/keys"], passphrases: [passphrase])
            let decryptor = try PaymentTokenDecryptor(
                keyring: keyring,
                anchor: TrustAnchor(testRootCertificate: shop.contents("root.pem")))
            var answers: [String] = []
            for token in [oldToken, newToken] {
                let decrypted = try shop.decrypt(token)
                #expect(decrypted.status == 0)
                answers.append(decrypted.output)
                #expect(throws: Never.self) {
                    try decryptor.decrypt(token, agePolicy: .received(at: TestPKI.useTime))
                }
            }

            #expect(steps[4].text.contains("call `retire(publicKeyHash:)`"))
            // While the answers of the last days name the old key, it stays.
            try shop.write(Array(answers.joined().utf8), to: "answers.jsonl")
            let kept = try shop.run(#require(steps[4].shell))
            #expect(kept.status == 0 && kept.output.contains(hash(old.recipient)))
            #expect(try shop.decrypt(oldToken).status == 0)

            try shop.write(Array(answers[1].utf8), to: "answers.jsonl")
            #expect(keyring.retire(publicKeyHash: hash(old.recipient)))
            #expect(keyring.publicKeyHashes == [hash(new)])
            let retired = try shop.run(#require(steps[4].shell))
            #expect(retired.status == 0, "\(retired.error)")
            #expect(
                retired.output.contains(hash(new)) && !retired.output.contains(hash(old.recipient)))
            #expect(try shop.decrypt(newToken).status == 0)
            let refused = try shop.decrypt(oldToken)
            #expect(refused.status == 1)
            #expect(refused.output.contains(#""stage":"key-selection","code":"no-key-with-hash""#))
            // The refusal names the key that is missing.
            #expect(refused.output.contains(#""publicKeyHash":"\#(hash(old.recipient))""#))
        }
    }

    @Test("can be rehearsed with a certificate that a test PKI issues")
    func rehearsal() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let block = try #require(text.components(separatedBy: "To rehearse it").last)
            .components(separatedBy: "```sh\n")[1].components(separatedBy: "```")[0]
        try KeyFolder.with(["passphrase": "correct horse\n"]) { folder in
            let shop = Shop(folder: folder, root: folder + "/pki/root.pem")
            try FileManager.default.createDirectory(
                atPath: folder + "/keys", withIntermediateDirectories: false)
            let begun = try shop.run(
                "paytoken-testing pki --out pki\n" + #require(Self.steps.get()[0].shell))
            #expect(begun.status == 0, "\(begun.error)")
            let rehearsed = try shop.run(block)
            #expect(rehearsed.status == 0, "\(rehearsed.error)")
            #expect(rehearsed.output.contains(#""transactionAmount":1099"#))
        }
    }
}
