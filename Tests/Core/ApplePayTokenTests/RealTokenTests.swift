import ApplePayToken
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("Tokens that Apple signed")
struct RealTokenTests {
    private static let documented = TestVectors.appleSigned.appending(
        path: "bepaid-documented.json")

    /// Real tokens with published keys, which the project may not copy.
    private static let realTokens: URL? = TestVectors.sharedFolder.flatMap { shared in
        let folder = shared.appending(path: "real-tokens")
        return FileManager.default.fileExists(atPath: folder.path()) ? folder : nil
    }

    private static func time(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601)
    }

    @Test("verify through Apple's chain at their signing time")
    func documented() throws {
        let token = try PaymentToken(parsing: Array(Data(contentsOf: Self.documented)))
        let receipt = try Self.time("2020-02-19T08:27:00Z")
        let verified = try PaymentTokenVerifier().verify(token, agePolicy: .received(at: receipt))
        #expect(verified.signature.signingTime == (try Self.time("2020-02-19T08:26:36Z")))
        #expect(token.unwrapped == ["paymentData"])
    }

    @Test("are too old today")
    func today() throws {
        let token = try PaymentToken(parsing: Array(Data(contentsOf: Self.documented)))
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentTokenVerifier().verify(token)
        }
        #expect(error?.code == .tooOld)
    }

    @Test("are refused if one bit of a signed field or of the signature is changed")
    func flippedBits() throws {
        let text = try String(contentsOf: Self.documented, encoding: .utf8)
        let token = try PaymentToken(parsing: Array(text.utf8))
        let verifier = try PaymentTokenVerifier()
        let policy = AgePolicy.received(at: try Self.time("2020-02-19T08:27:00Z"))
        let allowed: Set<PaymentTokenError.Stage> = [.field, .cms, .chain, .signature]
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let paymentData = try #require(object["paymentData"] as? [String: Any])
        let header = try #require(paymentData["header"] as? [String: Any])

        func refusal(_ changed: [String: Any]) throws -> PaymentTokenError.Stage? {
            let bytes = try JSONSerialization.data(withJSONObject: ["paymentData": changed])
            do throws(PaymentTokenError) {
                _ = try verifier.verify(PaymentToken(parsing: Array(bytes)), agePolicy: policy)
                return nil
            } catch {
                return error.stage
            }
        }

        for name in ["data", "signature"] {
            let text = try #require(paymentData[name] as? String)
            let bytes = try #require(Data(base64Encoded: text))
            for index in stride(from: 0, to: bytes.count, by: LongTest.step) {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                let stage = try refusal(
                    paymentData.merging([name: changed.base64EncodedString()]) { $1 })
                #expect(stage.map(allowed.contains) == true, "\(name), byte \(index)")
            }
        }
        let keyText = try #require(header["ephemeralPublicKey"] as? String)
        let key = try #require(Data(base64Encoded: keyText))
        for index in key.indices {
            var changed = key
            changed[index] ^= 0x10
            let header = header.merging(
                ["ephemeralPublicKey": changed.base64EncodedString()]) { $1 }
            let stage = try refusal(paymentData.merging(["header": header]) { $1 })
            #expect(
                stage == (index < 27 ? .field : .signature), "ephemeralPublicKey, byte \(index)")
        }
        let identifier = "0" + token.transactionId.dropFirst()
        let renamed = header.merging(["transactionId": identifier]) { $1 }
        #expect(try refusal(paymentData.merging(["header": renamed]) { $1 }) == .signature)
        let added = header.merging(["applicationData": token.transactionId]) { $1 }
        #expect(try refusal(paymentData.merging(["header": added]) { $1 }) == .signature)
    }

    @Test(
        "are decrypted to their published plaintext",
        .enabled(if: realTokens != nil, "skipped: ../shared/real-tokens is not here"),
        arguments: [
            ("payu-sandbox", "merchant.sandbox.payu", "2018-01-26T13:55:18Z"),
            ("basis-theory-rsa", nil, "2024-01-08T17:54:44Z"),
        ] as [(String, String?, String)]
    )
    func opened(_ name: String, merchantIdentifier: String?, signed: String) throws {
        let folder = try #require(Self.realTokens).appending(path: name)
        let keyring = try MerchantKeyring(
            contentsOf: [folder.appending(path: "key.pem").path()],
            merchantIdentifier: merchantIdentifier
        )
        let decryptor = try PaymentTokenDecryptor(keyring: keyring)
        let token = try Array(Data(contentsOf: folder.appending(path: "token.json")))
        let payment = try decryptor.decrypt(
            token, agePolicy: .received(at: try Self.time(signed)))
        let expected = try String(
            contentsOf: folder.appending(path: "plaintext.json"), encoding: .utf8)
        #expect(
            payment.rawPayload.revealText()
                == expected.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
