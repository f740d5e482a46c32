import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTestingPrimitives
import Foundation
import HangingPKCS11
import TestVectors
import Testing

@Suite("A token whose key is in a device that hangs")
struct HangingDeviceTests {
    private static let limit = Duration.seconds(1)
    private static let advice = "check the HSM and its connection."

    private static let vectors = Result { try TestVectors.syntheticCases() }

    private func vector(_ id: String) throws -> SyntheticCase {
        try #require(try Self.vectors.get().first { $0.id == id })
    }

    private func decryptor(
        _ keys: [String], limit: Duration = Self.limit
    ) throws -> PaymentTokenDecryptor {
        try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: keys, deviceTimeLimit: limit),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
    }

    /// Returns a module with a merchant's key, and a decryptor that uses it.
    private func device(
        _ merchant: String, limit: Duration = Self.limit, faults: HangingModule.Faults = []
    ) throws -> (HangingModule, PaymentTokenDecryptor) {
        let module = try HangingModule(
            key: TestVectors.keys.appending(path: "\(merchant).key.pem"), faults: faults)
        let certificate = TestVectors.keys.appending(path: "\(merchant).cert.pem").path()
        let keys = ["pkcs11:?module-path=\(module.path)", certificate]
        return (module, try decryptor(keys, limit: limit))
    }

    private func payload(
        _ vector: SyntheticCase,
        _ decryptor: PaymentTokenDecryptor
    ) throws(PaymentTokenError) -> [UInt8] {
        try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
            .rawPayload.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func refusal(_ vector: SyntheticCase, _ decryptor: PaymentTokenDecryptor) -> String {
        do throws(PaymentTokenError) {
            _ = try payload(vector, decryptor)
            return "opened"
        } catch {
            return "\(error.code.rawValue): \(error.description)"
        }
    }

    private static let unanswered =
        "key-agreement/key-unavailable: The merchant's key cannot be used now: the device did not "
        + "answer within 1.0 seconds; " + advice

    @Test(
        "is refused within the time limit, and decrypted once the device answers",
        arguments: [
            ("one", "valid/ec", "C_OpenSession"), ("one", "valid/ec", "C_FindObjects"),
            ("one", "valid/ec", "C_DeriveKey"), ("one", "valid/ec", "C_GetAttributeValue"),
            ("one", "valid/ec", "CKA_VALUE"), ("one", "valid/ec", "C_DestroyObject"),
            ("one", "valid/ec", "C_DecryptInit"), ("one", "valid/ec", "C_Decrypt"),
            ("two", "valid/rsa", "C_DecryptInit"), ("two", "valid/rsa", "C_Decrypt"),
        ])
    func refused(_ merchant: String, _ id: String, _ function: String) throws {
        // A device that lets no key be read decrypts itself.
        let (module, decryptor) = try device(
            merchant, faults: function.hasPrefix("C_Decrypt") ? .refusesReadable : [])
        let vector = try vector(id)
        try module.hang(function)
        let start = ContinuousClock.now
        #expect(refusal(vector, decryptor) == Self.unanswered)
        #expect(ContinuousClock.now - start >= Self.limit)
        #expect(try module.hanging() == 1)
        try module.hang(nil)
        let inFile = try self.decryptor([TestVectors.keys.path()])
        #expect(try payload(vector, decryptor) == payload(vector, inFile))
        // The closed sessions are those of loading and of the abandoned call; the last token's
        // session stays open.
        #expect(try module.wait { try module.calls("C_CloseSession") == 2 })
        #expect(try module.calls("C_OpenSession") == 3)
        #expect(try module.misuses() == 0)
    }

    @Test("is refused without a call while eight calls have not returned, and decrypted afterwards")
    func capacity() throws {
        let (module, decryptor) = try device("one")
        let vector = try vector("valid/ec")
        let before = try module.calls("C_DeriveKey")
        try module.hang("C_DeriveKey")
        let refusals = Lock<[String]>([])
        let done = DispatchGroup()
        for _ in 0..<8 {
            done.enter()
            Thread.detachNewThread {
                let refusal = refusal(vector, decryptor)
                refusals.withLock { $0.append(refusal) }
                done.leave()
            }
        }
        done.wait()
        #expect(refusals.withLock { $0 } == Array(repeating: Self.unanswered, count: 8))
        #expect(try module.hanging() == 8)

        for _ in 0..<3 {
            #expect(
                refusal(vector, decryptor)
                    == "key-agreement/key-unavailable: The merchant's key cannot be used now: the device "
                    + "has not answered 8 earlier calls; " + Self.advice)
        }
        #expect(try module.calls("C_DeriveKey") == before + 8)
        #expect(try module.calls("C_OpenSession") == 9)

        try module.hang(nil)
        #expect(try module.wait { refusal(vector, decryptor) == "opened" })
        #expect(try module.wait { try module.calls("C_CloseSession") == 9 })
        let expected = try payload(vector, self.decryptor([TestVectors.keys.path()]))
        for _ in 0..<3 { #expect(try payload(vector, decryptor) == expected) }
        // One more session was opened and serves all tokens: none of the abandoned ones is used.
        #expect(try module.calls("C_OpenSession") == 10)
        #expect(try module.calls("C_CloseSession") == 9)
        #expect(try module.misuses() == 0)
    }

    @Test("blocks no other asynchronous work, and a token is refused at once while 256 others wait")
    func accepting() async throws {
        let (module, decryptor) = try device("one", limit: .seconds(30))
        let vector = try vector("valid/ec")
        let agePolicy = AgePolicy.received(at: vector.now)
        let accept: @Sendable () async -> String = {
            do {
                _ = try await decryptor.decryptWithoutBlocking(
                    vector.token, form: .any, agePolicy: agePolicy)
                return "accepted"
            } catch let error as PaymentTokenError {
                return error.code == .keyUnavailable ? error.description : error.code.rawValue
            } catch {
                return "\(error)"
            }
        }
        try module.hang("C_DeriveKey")
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<256 { group.addTask(operation: accept) }
            // If accepting blocked its threads, no more tokens could wait than Swift's runtime has threads.
            for _ in 0..<2_000 where try module.hanging() < 256 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try module.hanging() == 256)
            #expect(
                await accept()
                    == "The merchant's key cannot be used now: too many tokens wait for the device, or "
                    + "the system cannot start a thread; check the HSM and its connection, or raise the "
                    + "limit on processes."
            )
            try module.hang(nil)
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(results == ["accepted": 256])
        #expect(try module.misuses() == 0)
    }
}
