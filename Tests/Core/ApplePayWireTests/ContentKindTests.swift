import Testing

@testable import ApplePayWire

@Suite("Kinds of wrong files")
struct ContentKindTests {
    private func kind(_ bytes: [UInt8]) -> ContentKind? { ContentKind(bytes.span) }

    private func kind(_ text: String) -> ContentKind? { kind(Array(text.utf8)) }

    @Test("are recognized by their first bytes")
    func recognized() {
        #expect(kind("") == .empty)
        #expect(kind(" \r\n\t") == .empty)
        #expect(kind("{}") == .json)
        #expect(kind(" [1]") == .json)
        #expect(kind("\u{FEFF}{}") == .byteOrderMark)
        #expect(kind("-----BEGIN CERTIFICATE-----\nAAAA\n") == .pem(label: "CERTIFICATE"))
        #expect(
            kind("\u{FEFF}Bag Attributes\r\n  -----BEGIN PRIVATE KEY-----\r\n")
                == .pem(label: "PRIVATE KEY"))
        #expect(kind("QUJD\nQUJD\n") == .base64Lines)
        #expect(kind("QUJD\r\nQUI=\r\n") == .base64Lines)
        #expect(kind([0x30, 0x82, 0x01, 0x00]) == .der)
        #expect(kind([0xFF, 0xFE, 0x7B, 0x00]) == .utf16)
        #expect(kind([0xFE, 0xFF, 0x00, 0x7B]) == .utf16)
        #expect(kind([0x7B, 0x00, 0x7D, 0x00]) == .utf16)
        #expect(kind([0x00, 0x7B, 0x00, 0x7D]) == .utf16)
    }

    @Test("are unknown otherwise, and a long label is shortened")
    func unknown() {
        #expect(kind("QUJD") == nil)
        #expect(kind("QUJD\n") == nil)
        #expect(kind("a text\nof words\n") == nil)
        #expect(kind([0xFF]) == nil)
        #expect(kind([0, 0, 0, 0]) == nil)
        #expect(kind("x -----BEGIN CERTIFICATE-----\n") == nil)
        let label = String(repeating: "A", count: 100)
        #expect(kind("-----BEGIN \(label)-----\n") == .pem(label: String(label.prefix(64))))
    }
}
