import ApplePayKeyAgreement
import ApplePayPrimitives
import ApplePayToken
import Foundation
import TestVectors

/// The scenarios, which use the project's vectors.
struct Scenarios {
    private let cases: [SyntheticCase]
    private let refusals: [String: String]
    private let root: [UInt8]

    init() throws {
        cases = try TestVectors.syntheticCases()
        refusals = try TestVectors.syntheticRefusals()
        root = Array(try Data(contentsOf: TestVectors.root))
    }

    /// Returns a payment from the first use of libcrypto on: the keys, the verifier, the token.
    func start() throws -> [Scenario] {
        try ["valid/ec", "valid/rsa"].map { id in
            let vector = try self.vector(id)
            return Scenario("start, \(id)", expected: "accepted") { { open(vector) } }
        }
    }

    /// Returns all other scenarios, for a process that has already used libcrypto.
    ///
    /// - Parameter limit: The most tokens for each refusal.
    /// - Returns: The scenarios, created without a failure.
    /// - Throws: An error if a vector is missing or cannot be read.
    func all(limit: Int) throws -> [Scenario] {
        try [
            setUps(), keyFiles(), tokens(limit: limit), revocations(), diagnoses(), requests(),
        ].flatMap { $0 }
    }

    private func vector(_ id: String) throws -> SyntheticCase {
        guard let vector = cases.first(where: { $0.id == id }) else { throw MissingVector(id: id) }
        return vector
    }

    /// Returns scenarios that create keys and a verifier while allocations fail.
    private func setUps() throws -> [Scenario] {
        try ["valid/ec", "valid/rsa"].map { id in
            let vector = try self.vector(id)
            return Scenario("set-up, \(id)", expected: "accepted") { { open(vector) } }
        }
    }

    /// Returns scenarios for a token with a new verifier, which has not cached its chain, and with
    /// a cached chain.
    private func tokens(limit: Int) throws -> [Scenario] {
        var scenarios: [Scenario] = []
        let keyring = try self.keyring()
        for vector in try vectors(limit: limit) {
            let expected = refusals[vector.id] ?? "accepted"
            scenarios.append(
                Scenario(vector.id, expected: expected) {
                    let decryptor = try self.decryptor(keyring)
                    return { outcome(of: vector, decryptor) }
                })
            // A verifier caches a chain once it is valid.
            guard !expected.hasPrefix("chain/") else { continue }
            let decryptor = try self.decryptor(keyring)
            _ = outcome(of: vector, decryptor)
            scenarios.append(
                Scenario("known chain, \(vector.id)", expected: expected) {
                    { outcome(of: vector, decryptor) }
                })
        }
        return scenarios
    }

    /// Returns two valid tokens and, for each refusal that involves libcrypto, some tokens with
    /// that refusal.
    private func vectors(limit: Int) throws -> [SyntheticCase] {
        let stages = ["chain/", "signature/", "key-agreement/", "decrypt/"]
        let refused = cases.filter { vector in
            stages.contains { refusals[vector.id]?.hasPrefix($0) == true }
        }
        let byRefusal = Dictionary(grouping: refused) { refusals[$0.id] ?? "" }
        let some = byRefusal.sorted { $0.key < $1.key }.flatMap { _, vectors in
            // Spread the choice over the corpus, because neighboring cases are similar.
            let step = max(1, (vectors.count + limit - 1) / limit)
            return stride(from: 0, to: vectors.count, by: step).map { vectors[$0] }
        }
        return [try vector("valid/ec"), try vector("valid/rsa")] + some
    }

    /// Returns scenarios that read key files while allocations fail.
    private func keyFiles() throws -> [Scenario] {
        let accepted = [
            "one.sec1.pem", "one.sec1-aes128.pem", "one.sec1-explicit-parameters.pem",
            "one.pkcs8-aes256.pem", "one.keychain.p12", "one.base64-of-p12.key", "two.pkcs1.der",
            "two.pkcs8-encrypted.der",
        ]
        let refused = [
            "another-passphrase-sec1.pem", "another-passphrase.p12", "another-passphrase.pem",
            "base64-twice.key", "ed25519.pem", "identity-by-name.cer", "identity.cer", "p384.pem",
            "rsa3072.pem", "truncated.p12", "without-end.pem",
        ]
        let names = accepted.map { "accepted/\($0)" } + refused.map { "refused/\($0)" }
        return names.map { name in
            let path = TestVectors.keyFiles.appending(path: name).path()
            let expected = keys(path)
            return Scenario(name, expected: expected) { { keys(path) } }
        }
    }

    /// Returns scenarios in which a revoked certificate must not pass because a list could not be
    /// searched.
    private func revocations() throws -> [Scenario] {
        let valid = try vector("valid/ec")
        let keyring = try self.keyring()
        return try ["leaf", "intermediate", "nothing"].flatMap { name in
            let list = try Data(
                contentsOf: TestVectors.synthetic.appending(path: "revocation/\(name).crl.pem"))
            let fingerprint = String(repeating: "ab", count: 32)
            let expected = name == "nothing" ? "accepted" : "chain/certificate-revoked"
            func revocation() throws(RevocationError) -> Revocation {
                try Revocation(
                    certificateFingerprints: [fingerprint], revocationLists: [Array(list)])
            }
            return [
                Scenario("revoked by \(name)", expected: expected) {
                    let decryptor = try self.decryptor(keyring, revocation())
                    return { outcome(of: valid, decryptor) }
                },
                Scenario("list of \(name)", expected: "accepted") {
                    {
                        do throws(RevocationError) {
                            _ = try revocation()
                            return "accepted"
                        } catch {
                            return "\(error)"
                        }
                    }
                },
            ]
        }
    }

    /// Returns scenarios that explain to a merchant why the keys do not decrypt a token.
    private func diagnoses() throws -> [Scenario] {
        let keyring = try self.keyring()
        let verifier = try decryptor(keyring).verifier
        return try [
            ("valid/ec", "opens"), ("valid/rsa", "opens"), ("decrypt/other-merchant", ""),
        ].map { id, expected in
            let vector = try self.vector(id)
            let token = try verifier.verify(
                PaymentToken(parsing: vector.token), agePolicy: .received(at: vector.now))
            func finding() -> String {
                let diagnosis = KeyDiagnosis(
                    of: token, keyring: keyring, merchantIdentifiers: ["merchant.example.four"])
                return "\(diagnosis.finding)"
            }
            return Scenario(
                "diagnosis, \(id)", expected: expected.isEmpty ? finding() : expected
            ) {
                finding
            }
        }
    }

    /// Returns scenarios that create a certificate request, and refuse one whose common name is
    /// too long.
    private func requests() throws -> [Scenario] {
        let key = TestVectors.keys.appending(path: "one.key.pem").path()
        return [(64, "accepted"), (65, "malformedSubject")].map { count, expected in
            Scenario("request for a name of \(count) characters", expected: expected) {
                let file = try KeyFile(key, passphrases: [])
                return {
                    do throws(PrimitivesError) {
                        for key in file.privateKeys {
                            _ = try CertificateRequest.pem(
                                for: .init(
                                    commonName: String(repeating: "n", count: count),
                                    emailAddress: nil, country: "DE"),
                                signedBy: key)
                        }
                        return "accepted"
                    } catch {
                        if case .libraryFailure = error { return "libcrypto failed" }
                        return "\(error)"
                    }
                }
            }
        }
    }

    private func keyring() throws(KeyringError) -> MerchantKeyring {
        try MerchantKeyring(contentsOf: [TestVectors.keys.path()])
    }

    private func decryptor(
        _ keyring: MerchantKeyring,
        _ revocation: Revocation = .none
    ) throws(PaymentTokenError) -> PaymentTokenDecryptor {
        try PaymentTokenDecryptor(
            keyring: keyring, anchor: TrustAnchor(testRootCertificate: root), revocation: revocation
        )
    }

    /// Decrypts a token with newly loaded keys and a new verifier.
    private func open(_ vector: SyntheticCase) -> String {
        let merchant = vector.id == "valid/ec" ? "one" : "two"
        let paths = ["key", "cert"].map {
            TestVectors.keys.appending(path: "\(merchant).\($0).pem").path()
        }
        do throws(KeyringError) {
            let keyring = try MerchantKeyring(contentsOf: paths)
            do throws(PaymentTokenError) {
                return outcome(of: vector, try decryptor(keyring))
            } catch {
                return error.code.rawValue
            }
        } catch {
            return error.description
        }
    }

    private func outcome(of vector: SyntheticCase, _ decryptor: PaymentTokenDecryptor) -> String {
        do throws(PaymentTokenError) {
            _ = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
            return "accepted"
        } catch {
            return error.code.rawValue
        }
    }

    /// Returns the hashes of the file's keys, or the error.
    private func keys(_ path: String) -> String {
        let passphrases = ["not this one", "apple-pay"].map { Passphrase(Array($0.utf8).span) }
        do throws(KeyringError) {
            return try MerchantKeyring(
                contentsOf: [path], merchantIdentifier: "merchant.example.one",
                passphrases: passphrases
            ).publicKeyHashes.joined(separator: " ")
        } catch {
            return error.description
        }
    }
}

/// The corpus lacks a vector that the scenarios need.
struct MissingVector: Error {
    let id: String
}
