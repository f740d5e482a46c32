import ApplePayMerchantKeys
import ApplePayTokenTestingPrimitives
import Foundation
import HangingPKCS11
import TestVectors
import Testing

@Suite("A device that hangs while its key is loaded")
struct HangingDeviceTests {
    @Test(
        "causes an error within the time limit, and its key is loaded once it answers",
        arguments: [
            "C_Initialize", "C_GetSlotList", "C_GetTokenInfo", "C_OpenSession", "C_Login",
            "C_FindObjectsInit", "C_FindObjects", "C_GetAttributeValue", "C_DeriveKey", "CKA_VALUE",
            "C_DestroyObject", "C_CloseSession",
        ])
    func loading(_ function: String) throws {
        let module = try HangingModule(key: TestVectors.keys.appending(path: "one.key.pem"))
        let pin = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("2468\n".utf8).write(to: pin)
        defer { try? FileManager.default.removeItem(at: pin) }
        let uri = "pkcs11:token=hanging?module-path=\(module.path)&pin-source=\(pin.path())"
        let paths = [uri, TestVectors.keys.appending(path: "one.cert.pem").path()]

        try module.hang(function)
        let error = #expect(throws: KeyringError.self) {
            try MerchantKeyring(contentsOf: paths, deviceTimeLimit: .milliseconds(500))
        }
        #expect(error?.path == "pkcs11:token=hanging")
        #expect(
            error?.reason == "cannot be used: the device did not answer within 0.5 seconds; "
                + "check the HSM and its connection")
        #expect(try module.hanging() == 1)

        try module.hang(nil)
        let keyring = try MerchantKeyring(contentsOf: paths)
        #expect(keyring.publicKeyHashes.count == 1)
        #expect(
            try module.wait {
                try module.calls("C_CloseSession") == module.calls("C_OpenSession")
            })
        #expect(try module.misuses() == 0)
    }
}
