import ApplePayToken
import Foundation
import TestVectors
import Testing

/// The signed message has no separators and `data` has no fixed length, so its end can be sent as
/// another field.
///
/// Only decryption can detect this.
@Suite("A token whose fields are shifted")
struct ShiftedFieldsTests {
    @Test(
        "is accepted by the verifier with identifiers that Apple did not sign, and does not decrypt",
        arguments: ["ec", "rsa", "back"]
    )
    func shifted(_ name: String) throws {
        let vectors = try TestVectors.syntheticCases()
        let vector = try #require(vectors.first { $0.id == "decrypt/shifted-fields-\(name)" })
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: [TestVectors.keys.path()]),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
        let policy = AgePolicy.received(at: vector.now)

        let token = try PaymentToken(parsing: vector.token)
        #expect(throws: Never.self) {
            try decryptor.verifier.verify(token, agePolicy: policy)
        }
        // In one token, the last 64 signed bytes are sent as transactionId and applicationData
        // instead of the end of data and transactionId; in the other token, the reverse.
        #expect((token.applicationData == nil) == (name == "back"))

        let error = #expect(throws: PaymentTokenError.self) {
            try decryptor.decrypt(vector.token, agePolicy: policy)
        }
        #expect(error?.code == .decryptionFailed)
    }
}
