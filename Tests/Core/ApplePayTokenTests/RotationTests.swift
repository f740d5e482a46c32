import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("A keyring that changes while tokens are opened")
struct RotationTests {
    private let pki = TestPKI(seed: "rotation")

    /// The duration of the threads' work: a second, unless the environment asks for a longer run.
    private static let seconds =
        ProcessInfo.processInfo.environment["APPLEPAYTOKEN_ROTATION_SECONDS"].flatMap(Double.init)
        ?? 1

    @Test("adds and retires keys in one step, and lists their hashes")
    func steps() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let keyring = try KeyFolder.with([one]) { try MerchantKeyring(contentsOf: [$0]) }
        let first = keyring.publicKeyHashes
        let added = try KeyFolder.with([two]) { try keyring.add(contentsOf: [$0]) }
        #expect(Set(keyring.publicKeyHashes) == Set(first + added) && added.count == 1)
        #expect(throws: KeyringError.self) { try keyring.add(contentsOf: ["/nowhere"]) }
        #expect(keyring.publicKeyHashes.count == 2)
        #expect(keyring.retire(publicKeyHash: added[0]))
        #expect(!keyring.retire(publicKeyHash: added[0]))
        #expect(keyring.publicKeyHashes == first)
        #expect(keyring.descriptions.map(\.publicKeyHash) == first)
        #expect(keyring.descriptions.first?.merchantIdentifier == one.identifier)
    }

    @Test("refuses tokens for a key that awaits its certificate, and opens them once it is added")
    func pending() throws {
        let one = try pki.merchant("one")
        let next = try pki.merchant("next")
        let anchor = try TrustAnchor(
            testRootCertificate: Array(pki.root.certificate.pem.utf8))
        let files = ["one.pem": one.keyPEM + one.certificatePEM, "next.key.pem": next.keyPEM]
        let keyring = try KeyFolder.with(files) { try MerchantKeyring(contentsOf: [$0]) }
        let decryptor = try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
        let age = AgePolicy.received(at: TestPKI.useTime)
        let token = try pki.token(to: next).json
        let error = #expect(throws: PaymentTokenError.self) {
            try decryptor.decrypt(token, agePolicy: age)
        }
        #expect(error?.code == .keyUnavailable)
        #expect(throws: Never.self) {
            try decryptor.decrypt(pki.token(to: one).json, agePolicy: age)
        }
        try KeyFolder.with(["next.cer": next.certificatePEM]) {
            _ = try keyring.add(contentsOf: [$0])
        }
        #expect(throws: Never.self) { try decryptor.decrypt(token, agePolicy: age) }
    }

    @Test("decrypts all tokens of 16 threads while keys are added, retired and replaced")
    func threads() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let anchor = try TrustAnchor(
            testRootCertificate: Array(pki.root.certificate.pem.utf8))
        try KeyFolder.with([one, two]) { folder in
            let keyring = try MerchantKeyring(contentsOf: [folder])
            let decryptor = try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
            let tokens = [try pki.token(to: one), try pki.token(to: two)]
            let otherFolder = FileManager.default.temporaryDirectory
                .appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(
                at: otherFolder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: otherFolder) }
            let three = try pki.merchant("three")
            try Data((three.keyPEM + three.certificatePEM).utf8)
                .write(to: otherFolder.appending(path: "three.pem"))
            let end = Date().addingTimeInterval(Self.seconds)
            let opened = Lock(0)
            let failures = Lock<[String]>([])
            let rotations = Lock(0)
            let done = DispatchGroup()
            let work: @Sendable (Int) -> Void = { number in
                do {
                    while Date() < end {
                        if number == 16 {
                            // Reload the same keys, and add and remove another merchant's.
                            try keyring.add(contentsOf: [folder])
                            let added = try keyring.add(contentsOf: [otherFolder.path()])
                            for hash in added { keyring.retire(publicKeyHash: hash) }
                            rotations.withLock { $0 += 1 }
                        } else {
                            let token = tokens[number % tokens.count]
                            _ = try decryptor.decrypt(
                                token.json, agePolicy: .received(at: TestPKI.useTime))
                            opened.withLock { $0 += 1 }
                        }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                done.leave()
            }
            // Start separate threads, because a dispatch queue runs only as many as there are
            // cores.
            for number in 0..<17 {
                done.enter()
                Thread.detachNewThread { work(number) }
            }
            done.wait()
            #expect(failures.withLock { $0 } == [])
            #expect(opened.withLock { $0 } > 16 && rotations.withLock { $0 } > 1)
            #expect(keyring.publicKeyHashes.count == 2)
            print(
                "16 threads opened \(opened.withLock { $0 }) tokens;",
                "keys were added and retired \(rotations.withLock { $0 }) times.")
        }
    }
}
