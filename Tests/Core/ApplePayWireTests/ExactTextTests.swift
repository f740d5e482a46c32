import Foundation
import Testing

@testable import ApplePayWire

@Suite("Text that others wrote")
struct ExactTextTests {
    /// Texts that Swift compares as equal.
    private static let twins = [
        ("order-K", "order-\u{212A}"), ("caf\u{E9}", "cafe\u{301}"), (";", "\u{37E}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"),
    ]

    @Test("is equal to the same bytes only", arguments: twins)
    func equality(_ first: String, _ second: String) {
        #expect(first == second)
        let (one, other) = (ExactText(first), ExactText(second))
        #expect(one != other && one == ExactText(first))
        #expect(Set([one, other, ExactText(first)]).count == 2)
        #expect((one < other) != (other < one))
        #expect(!one.hasPrefix(other) && !one.hasSuffix(other) && !one.contains(other))
        #expect(one.hasPrefix(one) && one.hasSuffix(one) && one.contains(one))
    }

    @Test("is written, stored and read as its bytes", arguments: twins)
    func coding(_ first: String, _ second: String) throws {
        for text in [ExactText(first), ExactText(second)] {
            let stored = try JSONEncoder().encode([text])
            #expect(try JSONDecoder().decode([ExactText].self, from: stored) == [text])
            #expect(Array("\(text)".utf8) == text.utf8 && Array(String(text).utf8) == text.utf8)
        }
    }

    @Test("has Unicode scalars as its characters")
    func characters() {
        #expect(ExactText("e\u{301}\u{1F600}").characterCount == 3)
        #expect(ExactText("").characterCount == 0 && ExactText("").isEmpty)
    }

    @Test("has only the letters of ASCII in two cases")
    func cases() {
        let text: ExactText = "aZ\u{212A}\u{E9}[`{@"
        #expect(text.lowercasedASCII == "az\u{212A}\u{E9}[`{@")
        #expect(text.uppercasedASCII == "AZ\u{212A}\u{E9}[`{@")
    }

    @Test("is a word of ours only with its bytes")
    func words() {
        enum Word: String, CaseIterable {
            case kelvin = "K"
            case semicolon = ";"
        }
        #expect(Word(rawValue: "\u{212A}") == .kelvin)
        #expect(Word("\u{212A}" as ExactText) == nil && Word("\u{37E}" as ExactText) == nil)
        #expect(Word("K" as ExactText) == .kelvin && Word(";" as ExactText) == .semicolon)
    }
}
