import ApplePayPrimitives
import Foundation
import Testing

@testable import ApplePayMerchantKeys

@Suite("A URI of a PKCS#11 key")
struct PKCS11URITests {
    @Test("selects token, object, identifier, module and PIN")
    func read() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("2468\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path =
            "pkcs11:token=Die%20Zahlungen;manufacturer=M;model=HSM;serial=12;object=apple%2Dpay;"
            + "id=%01%fF;type=private;slot-id=7;x-own=1"
        let uri = try PKCS11URI("\(path)?module-path=/m.so&pin-source=file:\(file.path())&x-b=")
        #expect(uri.name == path)
        let selector = uri.selector
        #expect(selector.tokenLabel == Array("Die Zahlungen".utf8))
        #expect(selector.manufacturer == Array("M".utf8) && selector.model == Array("HSM".utf8))
        #expect(selector.serialNumber == Array("12".utf8) && selector.slot == 7)
        #expect(selector.objectLabel == Array("apple-pay".utf8))
        #expect(selector.objectIdentifier == [0x01, 0xFF])
        #expect(selector.modulePath == "/m.so")
        #expect(selector.pin?.revealText() == "2468")
        #expect(try PKCS11URI("pkcs11:?module-path=m").selector.objectLabel == nil)
    }

    @Test(
        "is refused with one sentence, which does not contain its query",
        arguments: [
            (
                "pkcs11:object=a", "pkcs11:object=a",
                "does not name a module; add ?module-path=/path/to/module.so"
            ),
            (
                "pkcs11:object=a?module-path=m&pin-value=1234", "pkcs11:…",
                "contains the PIN, which other users can see in the list of processes; write the PIN to a file and name the file with pin-source="
            ),
            (
                "pkcs11:object=a;PIN-value=1234?module-path=m", "pkcs11:…",
                "contains the PIN, which other users can see in the list of processes; write the PIN to a file and name the file with pin-source="
            ),
            (
                "pkcs11:object=a?module-path=m;object=b", "pkcs11:object=a",
                "has a semicolon in its query; write & between attributes, and %3B for a semicolon in a value"
            ),
            (
                "pkcs11:object=a;object=b?module-path=m", "pkcs11:object=a;object=b",
                "has the attribute object twice"
            ),
            (
                "pkcs11:color=red?module-path=m", "pkcs11:color=red",
                "has the unknown attribute color"
            ),
            (
                "pkcs11:?module-path=m&module-name=n", "pkcs11:",
                "has the unknown query attribute module-name"
            ),
            (
                "pkcs11:type=cert?module-path=m", "pkcs11:type=cert",
                "asks for a type other than private; write type=private"
            ),
            (
                "pkcs11:slot-id=-1?module-path=m", "pkcs11:slot-id=-1",
                "has a slot-id that is not a number"
            ),
            (
                "pkcs11:slot-id=+1?module-path=m", "pkcs11:slot-id=+1",
                "has a slot-id that is not a number"
            ),
            (
                "pkcs11:token=%4?module-path=m", "pkcs11:token=%4",
                "has an attribute without = or with an invalid percent-encoding"
            ),
            (
                "pkcs11:token=%4g?module-path=m", "pkcs11:token=%4g",
                "has an attribute without = or with an invalid percent-encoding"
            ),
            (
                "pkcs11:token?module-path=m", "pkcs11:token",
                "has an attribute without = or with an invalid percent-encoding"
            ),
            ("pkcs11:token=%FF?module-path=m", "pkcs11:token=%FF", "has a token that is not UTF-8"),
        ] as [(String, String, String)])
    func refused(_ text: String, _ name: String, _ reason: String) {
        let error = #expect(throws: KeyringError.self) { try PKCS11URI(text) }
        #expect(error?.path == name)
        #expect(error?.reason == reason)
    }

    @Test("has attributes and labels whose bytes count, not their looks")
    func bytes() throws {
        // U+037E looks like a semicolon, U+212A like a K, and String takes them as equal.
        let label = "a\u{37E}\u{212A}e\u{301}"
        let uri = try PKCS11URI("pkcs11:object=\(label);token=\u{E9}?module-path=m")
        #expect(uri.selector.objectLabel == Array(label.utf8))
        #expect(uri.selector.tokenLabel == [0xC3, 0xA9])
        let error = #expect(throws: KeyringError.self) {
            try PKCS11URI("pkcs11:object=a?module-path=m\u{37E}x=1&pin-source=file:/nowhere/pin")
        }
        #expect(error?.description.hasPrefix("/nowhere/pin cannot be read") == true)
    }

    @Test("is refused if it has more than 4096 bytes, or if the PIN's file does not exist")
    func limits() {
        let long = "pkcs11:object=" + String(repeating: "a", count: 4096)
        let error = #expect(throws: KeyringError.self) { try PKCS11URI(long) }
        #expect(error?.reason == "is longer than 4096 bytes, the limit for a URI")
        #expect(error?.path == "pkcs11:…")
        let absent = #expect(throws: KeyringError.self) {
            try PKCS11URI("pkcs11:?module-path=m&pin-source=/nowhere/pin")
        }
        #expect(absent?.description.hasPrefix("/nowhere/pin cannot be read: No such file") == true)
    }
}
