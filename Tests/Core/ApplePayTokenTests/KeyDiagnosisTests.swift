import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("A diagnosis of keys")
struct KeyDiagnosisTests {
    private let pki = TestPKI(seed: "diagnosis")

    /// Tries keys on a token that the test PKI created for `merchant`.
    private func diagnosis(
        _ merchant: Merchant,
        keys: [String: String],
        merchantIdentifier: String? = nil,
        tried: [String] = [],
        _ change: @escaping (inout TokenRecipe) throws -> Void = { _ in }
    ) throws -> KeyDiagnosis {
        let token = try pki.token(to: merchant, change)
        let verifier = try PaymentTokenVerifier(
            anchor: TrustAnchor(testRootCertificate: Array(pki.root.certificate.pem.utf8)))
        let keyring = try KeyFolder.with(keys) {
            try MerchantKeyring(contentsOf: [$0], merchantIdentifier: merchantIdentifier)
        }
        return KeyDiagnosis(
            of: try verifier.verify(PaymentToken(parsing: token.json), agePolicy: .anyAge),
            keyring: keyring, merchantIdentifiers: tried)
    }

    private func file(_ merchant: Merchant) -> String { merchant.keyPEM + merchant.certificatePEM }

    @Test("finds that the key with the token's hash decrypts it, EC and RSA")
    func opens() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let ec = try diagnosis(one, keys: ["a.pem": file(one), "b.pem": file(two)])
        #expect(ec.finding == .opens)
        #expect(ec.merchantsTried == [one.identifier])
        #expect(ec.keys.first?.description.publicKeyHash == ec.publicKeyHash)
        #expect(ec.keys.map(\.generation) == [.valid, .valid])
        let rsa = try diagnosis(two, keys: ["a.pem": file(one), "b.pem": file(two)])
        #expect(rsa.finding == .opens)
        #expect(rsa.merchantsTried.isEmpty)
    }

    @Test("finds the merchant identifier among the given ones and their spellings")
    func merchants() throws {
        let one = try pki.merchant("one")
        let three = try pki.merchant("three")
        let wrong = try diagnosis(
            one, keys: ["a.pem": one.keyPEM], merchantIdentifier: three.identifier,
            tried: [one.identifier.uppercased() + " "])
        #expect(wrong.finding == .opensForMerchant(one.identifier))
        #expect(wrong.conclusion.contains("its merchant identifier is wrong"))
        let none = try diagnosis(
            one, keys: ["a.pem": one.keyPEM], merchantIdentifier: three.identifier)
        #expect(none.finding == .doesNotOpen)
        #expect(none.merchantsTried == [three.identifier])
        #expect(none.conclusion.contains("none of the merchant identifiers that were tried fits"))
    }

    @Test(
        "states what a key that awaits its certificate needs, or for which merchant it decrypts the token"
    )
    func pending() throws {
        let one = try pki.merchant("one")
        let three = try pki.merchant("three")
        let keys = ["a.pem": one.keyPEM, "c.pem": file(three)]
        let pending = try diagnosis(one, keys: keys)
        guard case .keyUnavailable = pending.finding else {
            Issue.record("\(pending.finding)")
            return
        }
        #expect(pending.conclusion.contains("awaits its certificate; save the payment"))
        #expect(pending.keys.map(\.generation) == [.unknown, .valid])
        let named = try diagnosis(one, keys: keys, tried: [one.identifier])
        #expect(named.finding == .opensForMerchant(one.identifier))
    }

    @Test("distinguishes a missing key from an altered hash, which is not signed")
    func hashes() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let three = try pki.merchant("three")
        let missing = try diagnosis(one, keys: ["c.pem": file(three)])
        #expect(missing.finding == .noKeyWithHash)
        #expect(missing.conclusion.contains("None of the loaded keys has this hash"))
        let altered = try diagnosis(one, keys: ["a.pem": file(one), "c.pem": file(three)]) {
            $0.afterSigning.publicKeyHash.replace(with: three.publicKeyHash)
        }
        let own = Data(one.publicKeyHash).base64EncodedString()
        #expect(altered.finding == .opensWithKey(own))
        let otherKind = try diagnosis(one, keys: ["b.pem": file(two)]) {
            $0.afterSigning.publicKeyHash.replace(with: two.publicKeyHash)
        }
        #expect(otherKind.finding == .keyKindMismatch)
        let four = try pki.merchant("four", .rsa)
        let rsa = try diagnosis(two, keys: ["c.pem": file(four)]) {
            $0.afterSigning.publicKeyHash.replace(with: four.publicKeyHash)
        }
        #expect(rsa.finding == .doesNotOpen)
        #expect(rsa.conclusion.contains("does not unwrap the content key"))
    }

    @Test("states the generation of each key, according to its certificate")
    func generations() throws {
        let one = try pki.merchant("one")
        let older = try pki.merchant("three") {
            $0.notBefore = CivilTime.day(2022, 9, 1)
            $0.notAfter = CivilTime.day(2024, 10, 1)
        }
        let newer = try pki.merchant("four") {
            $0.notBefore = CivilTime.day(2027, 9, 1)
            $0.notAfter = CivilTime.day(2029, 10, 1)
        }
        let past = try diagnosis(one, keys: ["a.pem": file(older)])
        #expect(past.keys.map(\.generation) == [.older])
        #expect(past.conclusion.contains("load the key of the certificate that is active now"))
        let future = try diagnosis(one, keys: ["a.pem": file(newer)])
        #expect(future.keys.map(\.generation) == [.newer])
        let advice = "load the key that was active when the token was signed"
        #expect(future.conclusion.contains(advice))
        let bare = try diagnosis(
            one, keys: ["a.pem": one.keyPEM], merchantIdentifier: one.identifier)
        #expect(bare.keys.map(\.generation) == [.unknown])
    }
}
