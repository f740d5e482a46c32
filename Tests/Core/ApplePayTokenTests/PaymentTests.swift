import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("A payment")
struct PaymentTests {
    private let pki = TestPKI(seed: "payments")

    /// Returns a decryptor with the keys of a merchant.
    private func decryptor(_ merchant: Merchant) throws -> PaymentTokenDecryptor {
        try KeyFolder.with([merchant]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: Array(pki.root.certificate.pem.utf8))
            )
        }
    }

    private func payment(_ change: @escaping (inout TokenRecipe) throws -> Void) throws -> Payment {
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant, change)
        return try decryptor(merchant).decrypt(
            token.json, agePolicy: .received(at: TestPKI.useTime))
    }

    @Test("does not show account number or cryptogram in a description, dump or mirror")
    func masks() throws {
        let payment = try payment { _ in }
        let account = payment.accountNumber.reveal()
        let cryptogram = try #require(payment.cryptogram?.reveal())
        var text = "\(payment) \(payment.data) \(payment.accountNumber) \(payment.rawPayload)"
        text += String(reflecting: payment)
        dump(payment.data, to: &text)
        dump(payment.accountNumber, to: &text)
        #expect(!text.contains(account))
        #expect(!text.contains(cryptogram))
        #expect(!text.contains(account.dropFirst(4).dropLast(4)))
    }

    @Test("can be decrypted after many refusals")
    func usableAfterRefusal() throws {
        let merchant = try pki.merchant("one")
        let decryptor = try decryptor(merchant)
        let token = try pki.token(to: merchant)
        let policy = AgePolicy.received(at: TestPKI.useTime)
        for length in stride(from: 0, to: token.json.count, by: 97) {
            #expect(throws: PaymentTokenError.self) {
                try decryptor.decrypt(Array(token.json.prefix(length)), agePolicy: policy)
            }
        }
        let payment = try decryptor.decrypt(token.json, agePolicy: policy)
        #expect(payment.rawPayload.revealText() == String(decoding: token.plaintext, as: UTF8.self))
    }

    @Test(
        "decrypts with the right shared secret or content key of another system, and not with a wrong one"
    )
    func keysFromElsewhere() throws {
        let anchor = try TrustAnchor(testRootCertificate: pki.root.certificate.der)
        let verifier = try PaymentTokenVerifier(anchor: anchor)
        for version in [TokenVersion.ec, .rsa] {
            let testToken = try pki.token(version)
            let token = try verifier.verify(
                PaymentToken(parsing: testToken.json), agePolicy: .received(at: TestPKI.useTime))
            #expect(token.ephemeralPublicKey == (version == .ec ? testToken.keyField : nil))
            #expect(token.wrappedKey == (version == .rsa ? testToken.keyField : nil))

            func refusal(_ open: () throws -> Payment) -> PaymentTokenError.Code? {
                do {
                    let text = try open().rawPayload.revealText()
                    #expect(text == String(decoding: testToken.plaintext, as: UTF8.self))
                    return nil
                } catch {
                    return (error as? PaymentTokenError)?.code
                }
            }
            let key = testToken.contentKey
            #expect(refusal { try token.open(contentKey: key.span) } == nil)
            let short = Array(key.dropLast())
            #expect(refusal { try token.open(contentKey: short.span) } == .decryptionFailed)
            let other = key.map { $0 ^ 1 }
            #expect(refusal { try token.open(contentKey: other.span) } == .decryptionFailed)

            let secret = testToken.sharedSecret ?? [UInt8](repeating: 0, count: 32)
            let hash = testToken.recipient.identifierHash
            let isEC = version == .ec
            #expect(
                refusal { try token.open(sharedSecret: secret.span, merchantIdentifierHash: hash) }
                    == (isEC ? nil : .decryptionFailed))
            for secret in [[], Array(secret.dropLast()), secret + [0]] {
                #expect(
                    refusal {
                        try token.open(sharedSecret: secret.span, merchantIdentifierHash: hash)
                    }
                        == .decryptionFailed)
            }
            let wrong = hash.map { $0 ^ 1 }
            for hash in [wrong, [], Array(hash.dropLast())] {
                #expect(
                    refusal {
                        try token.open(sharedSecret: secret.span, merchantIdentifierHash: hash)
                    }
                        == .decryptionFailed)
            }
        }
    }

    @Test("decrypts only with a content key of its version's length, even if another one fits")
    func contentKeyOfOtherVersion() throws {
        let verifier = try PaymentTokenVerifier(
            anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der))
        for (version, count) in [(TokenVersion.ec, 16), (.rsa, 32)] {
            let key = [UInt8](repeating: 7, count: count)
            let testToken = try pki.token(version) { $0.encryption.contentKey = key }
            let token = try verifier.verify(
                PaymentToken(parsing: testToken.json), agePolicy: .received(at: TestPKI.useTime))
            let error = #expect(throws: PaymentTokenError.self) {
                try token.open(contentKey: key.span)
            }
            #expect(error?.code == .decryptionFailed)
        }
    }

    @Test(
        "of another merchant is refused with the number of keys, and the hash only beside the sentence"
    )
    func otherMerchant() throws {
        let own = try pki.merchant("own")
        let another = try pki.merchant("another")
        let token = try pki.token(to: another)
        let error = #expect(throws: PaymentTokenError.self) {
            try decryptor(own).decrypt(token.json, agePolicy: .received(at: TestPKI.useTime))
        }
        #expect(error?.code == .noKeyWithHash && error?.limit == 1)
        #expect(error?.token?.publicKeyHash == Data(another.publicKeyHash).base64EncodedString())
        #expect(
            error?.description
                == "The one loaded key does not have the publicKeyHash of the token.")
    }
}
