import ApplePayToken
import Foundation
import HangingPKCS11
import TestVectors
import Testing

/// The module derives with libcrypto's SSKDF, and refuses and falsifies what real devices are documented to refuse; it
/// does not prove that any of them works.
@Suite("An EC key in a device")
struct DeviceAgreementTests {
    private static let vectors = Result { try TestVectors.syntheticCases() }
    private static let certificate = TestVectors.keys.appending(path: "one.cert.pem").path()

    private func decryptor(_ keys: [String]) throws -> PaymentTokenDecryptor {
        try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: keys),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
    }

    private func device(
        _ faults: HangingModule.Faults
    ) throws -> (HangingModule, PaymentTokenDecryptor) {
        let module = try HangingModule(
            key: TestVectors.keys.appending(path: "one.key.pem"), faults: faults)
        return (module, try decryptor(["pkcs11:?module-path=\(module.path)", Self.certificate]))
    }

    /// Returns the plaintext of a token, or the code of its refusal.
    private func verdict(_ vector: SyntheticCase, _ decryptor: PaymentTokenDecryptor) -> String {
        do throws(PaymentTokenError) {
            return try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
                .rawPayload.withRevealedBytes { bytes in
                    "opened: \(bytes.indices.map { bytes[$0] })"
                }
        } catch {
            return error.code.rawValue
        }
    }

    // A way that the device refuses costs one call when the key is loaded; one that derives a key costs two.
    @Test(
        "judges every token as the key's file does, in the first way that restores the right key",
        arguments: [
            ([], 2, false), (.refusesNull, 2, false),
            ([.refusesSensitive, .refusesGCM, .refusesNull], 2, false),
            (.wantsOctetString, 3 + 2, false), (.refusesReadable, 1 + 2, true),
            ([.refusesReadable, .refusesNull], 1 + 2, true),
            ([.refusesReadable, .wantsOctetString], 3 + 1 + 2, true),
            (.refusesSP800, 1 + 1 + 2, false), (.ignoresSharedData, 2 + 2 + 2, false),
            ([.refusesSP800, .wantsOctetString], 3 + 1 + 1 + 2, false),
        ] as [(HangingModule.Faults, Int, Bool)])
    func works(
        _ faults: HangingModule.Faults, _ calls: Int, _ decryptsInDevice: Bool
    ) throws {
        let (module, inDevice) = try device(faults)
        #expect(try module.calls("C_DeriveKey") == calls)
        let inFile = try decryptor([
            TestVectors.keys.appending(path: "one.key.pem").path(), Self.certificate,
        ])
        let before = try (module.calls("CKA_VALUE"), module.calls("C_Decrypt"))
        var opened = 0
        var refused: Set<String> = []
        for vector in try Self.vectors.get() {
            let expected = verdict(vector, inFile)
            #expect(verdict(vector, inDevice) == expected, "\(vector.id)")
            if expected.hasPrefix("opened") { opened += 1 } else { refused.insert(expected) }
        }
        #expect(opened > 20)
        #expect(
            refused.isSuperset(of: ["key-agreement/invalid-point", "decrypt/decryption-failed"]))
        let read = try module.calls("CKA_VALUE") - before.0
        let decrypted = try module.calls("C_Decrypt") - before.1
        #expect(decryptsInDevice ? read == 0 : decrypted == 0)
        #expect(read + decrypted > opened)
        #expect(try module.misuses() == 0)
    }

    @Test(
        "is refused when it is loaded, with the device's reason against each way",
        arguments: [
            (
                [.refusesSP800, .refusesNull], "CKR_MECHANISM_PARAM_INVALID (0x71)",
                "CKR_MECHANISM_PARAM_INVALID (0x71)", "CKR_MECHANISM_PARAM_INVALID (0x71)"
            ),
            (
                [.refusesSP800, .refusesReadable], "CKR_MECHANISM_PARAM_INVALID (0x71)",
                "CKR_MECHANISM_PARAM_INVALID (0x71)", "CKR_TEMPLATE_INCONSISTENT (0xd1)"
            ),
            (
                [.ignoresSharedData, .refusesNull], "the device derives another key than libcrypto",
                "the device derives another key than libcrypto",
                "CKR_MECHANISM_PARAM_INVALID (0x71)"
            ),
            (
                [.refusesReadable, .refusesGCM], "CKR_TEMPLATE_INCONSISTENT (0xd1)",
                "CKR_MECHANISM_INVALID (0x70)", "CKR_TEMPLATE_INCONSISTENT (0xd1)"
            ),
            (
                [.refusesReadable, .refusesSensitive], "CKR_TEMPLATE_INCONSISTENT (0xd1)",
                "CKR_ATTRIBUTE_VALUE_INVALID (0x13)", "CKR_TEMPLATE_INCONSISTENT (0xd1)"
            ),
            (
                [.refusesReadable, .ignoresTag], "CKR_TEMPLATE_INCONSISTENT (0xd1)",
                "the device accepts a wrong tag", "CKR_TEMPLATE_INCONSISTENT (0xd1)"
            ),
            (.answersStrangely, "CKR_0x80000001", "CKR_0x80000001", "CKR_0x80000001"),
            (
                [.wantsOctetString, .refusesReadable, .refusesGCM],
                "CKR_TEMPLATE_INCONSISTENT (0xd1)",
                "CKR_ARGUMENTS_BAD (0x7), and with the point in an OCTET STRING CKR_MECHANISM_INVALID (0x70)",
                "CKR_TEMPLATE_INCONSISTENT (0xd1)"
            ),
        ] as [(HangingModule.Faults, String, String, String)])
    func refused(
        _ faults: HangingModule.Faults, _ readKey: String, _ keyInDevice: String,
        _ readSecret: String
    ) throws {
        let error = #expect(throws: KeyringError.self) { try device(faults) }
        #expect(
            error?.reason
                == "cannot be used: the device restores content keys in none of these ways: "
                + "CKD_SHA256_KDF_SP800 with a key that can be read: \(readKey); "
                + "CKD_SHA256_KDF_SP800 with a sensitive key for CKM_AES_GCM: \(keyInDevice); "
                + "CKD_NULL with a secret that can be read: \(readSecret)")
    }
}
