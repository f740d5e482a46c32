import ApplePayTokenTestingPrimitives
import Foundation
import HangingPKCS11
import TestVectors
import Testing

@Suite("The command with a device that hangs")
struct DeviceTimeoutTests {
    private let words = [
        "decrypt", TestVectors.demoToken.path(), "--test-trust-anchor", TestVectors.root.path(),
        "--at", "2026-05-04T09:30:00Z",
        "--keys", "pkcs11:token=hanging?module-path=\(HangingModule.library.path())",
        "--keys", TestVectors.keys.appending(path: "one.cert.pem").path(),
    ]

    private func command(_ timeout: String, hangingIn function: String?) throws -> Command {
        var environment = [
            "HANGING_PKCS11_KEY": TestVectors.keys.appending(path: "one.key.pem").path()
        ]
        environment["HANGING_PKCS11_FUNCTION"] = function
        // Loading the key tries it with two calls.
        environment["HANGING_PKCS11_SPARED"] = function == "C_DeriveKey" ? "2" : nil
        return try Command(words + ["--device-timeout", timeout], environment: environment)
    }

    @Test("opens the token when it does not hang")
    func opens() throws {
        #expect(try command("30", hangingIn: nil).status == 0)
    }

    @Test("refuses the token after --device-timeout, and ends while the call still hangs")
    func refuses() throws {
        let refused = try command("1", hangingIn: "C_DeriveKey")
        #expect(refused.status == 1)
        #expect(
            refused.output.contains(
                #""stage":"key-agreement","code":"key-unavailable","disposition":"operator","message":"The merchant's key cannot be "#
                    + "used now: the device did not answer within 1.0 seconds; "))
    }

    @Test("fails after --device-timeout when the key cannot be loaded")
    func fails() throws {
        let failed = try command("1", hangingIn: "C_Initialize")
        #expect(failed.status == 3)
        #expect(
            failed.error.hasSuffix(
                "pkcs11:token=hanging cannot be used: the device did not answer within 1.0 seconds; "
                    + "check the HSM and its connection.\n"))
    }

    @Test("waits for 30 seconds by default, as the help states")
    func usualTime() throws {
        let words = try Command(["decrypt", "--help"]).output.split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").contains("again for each token; default: 30 --"))
    }

    @Test("needs a time of one second or more", arguments: ["0", "-1", "1.5", "soon"])
    func usage(_ timeout: String) throws {
        let refused = try command(timeout, hangingIn: nil)
        #expect(refused.status == 2)
        #expect(refused.error.contains("--device-timeout takes "))
    }
}
