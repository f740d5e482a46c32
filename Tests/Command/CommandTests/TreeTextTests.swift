import ApplePayOrderPrograms
import ApplePayPrograms
import Testing

@testable import paytoken

@Suite("Text with checks as a tree")
struct TreeTextTests {
    private static let entries = [
        TreeEntry(.passed, "json", "91 bytes"),
        TreeEntry(
            .warning, "chain", "some words that do not fit into the rest of a narrow line",
            advice: ["Do this, and go on with it until a line ends.", "Then stop."],
            entries: [
                TreeEntry(
                    "signer", "CN=x",
                    entries: [
                        TreeEntry("hash", String(repeating: "0123456789abcdef", count: 3)),
                        TreeEntry(.warning, "", "a text without a name that is wrapped as well"),
                    ]),
                TreeEntry("last", "`a command of words` and `more`"),
            ]),
        TreeEntry(.failed, "signature", "covers nothing", advice: ["Refuse it."]),
        TreeEntry(.notReached, "keys\u{1B}", "not\u{7F}given"), TreeEntry("", "alone"),
        TreeEntry("empty", ""),
    ]

    private func page(_ entries: [TreeEntry], width: Int, isColored: Bool = false) -> String {
        TreeText(
            "A heading that is longer than forty characters", .failed, entries,
            style: TerminalStyle(width: width, isColored: isColored)
        ).text
    }

    @Test("fit into narrow lines")
    func narrow() {
        #expect(
            page(Self.entries, width: 40) == #"""
                A heading that is longer than forty
                characters

                ✓ json       91 bytes
                ! chain      some words that do not fit
                             into the rest of a narrow
                             line
                  │ → Do this, and go on with it until a
                  │   line ends.
                  │ → Then stop.
                  ├ signer   CN=x
                  │ ├ hash
                  │ │   0123456789abcdef0123456789abcdef
                  │ │   0123456789abcdef
                  │ └ ! a text without a name that is
                  │     wrapped as well
                  └ last     `a command of words` and
                             `more`
                ✗ signature  covers nothing
                  → Refuse it.
                · keys\1B    not\7Fgiven
                alone
                empty

                """#)
    }

    @Test("use wide lines")
    func wide() {
        #expect(
            page(Self.entries, width: 66) == #"""
                A heading that is longer than forty characters

                ✓ json       91 bytes
                ! chain      some words that do not fit into the rest of a narrow
                             line
                  │ → Do this, and go on with it until a line ends.
                  │ → Then stop.
                  ├ signer   CN=x
                  │ ├ hash   0123456789abcdef0123456789abcdef0123456789abcdef
                  │ └ ! a text without a name that is wrapped as well
                  └ last     `a command of words` and `more`
                ✗ signature  covers nothing
                  → Refuse it.
                · keys\1B    not\7Fgiven
                alone
                empty

                """#)
    }

    @Test("color marks, names and branches")
    func colored() {
        let page = page(Self.entries, width: 66, isColored: true)
        #expect(
            page.replacing("\u{1B}", with: "^") == #"""
                ^[31;1mA heading that is longer than forty characters^[0m

                ^[32m✓^[0m json       91 bytes
                ^[33m!^[0m chain      some words that do not fit into the rest of a narrow
                             line
                ^[2m  │ ^[0m^[1m→ ^[0mDo this, and go on with it until a line ends.
                ^[2m  │ ^[0m^[1m→ ^[0mThen stop.
                ^[2m  ├ ^[0msigner   CN=x
                ^[2m  │ ├ ^[0mhash   0123456789abcdef0123456789abcdef0123456789abcdef
                ^[2m  │ └ ^[0m^[33m!^[0m a text without a name that is wrapped as well
                ^[2m  └ ^[0mlast     `a command of words` and `more`
                ^[31;1m✗ signature^[0m  covers nothing
                ^[2m  ^[0m^[1m→ ^[0mRefuse it.
                ^[2m· keys\1B^[0m    ^[2mnot\7Fgiven^[0m
                alone
                empty

                """#)
    }

    /// Returns the lines of an entry named `a`, whose text begins in column 3 of 40.
    private func lines(_ text: String) -> [String] {
        page([TreeEntry("a", text)], width: 40).split(separator: "\n").dropFirst(2).map {
            String($0)
        }
    }

    @Test("put a long word below its name, in one piece where possible")
    func longWords() {
        let word = String(repeating: "w", count: 40)
        #expect(lines("x " + word.prefix(37)) == ["a  x", "   " + word.prefix(37)])
        #expect(lines("x " + word.prefix(38)) == ["a", "  x", "  " + word.prefix(38)])
        #expect(lines("x " + word.prefix(39)) == ["a", "  x", "  " + word.prefix(38), "  w"])
        #expect(lines(word.prefix(18) + " " + word.prefix(18)).count == 1)
        #expect(lines(word.prefix(18) + " " + word.prefix(19)).count == 2)
    }

    @Test("keep a command in one line where it fits")
    func commands() {
        let words = "ab cd ef gh ij kl mn op qr st uv wx yz"
        #expect(words.count == 38)
        for (count, expected) in [
            (35, ["a  x", "   `\(words.prefix(35))`"]),
            (36, ["a", "  x", "  `\(words.prefix(36))`"]),
            (37, ["a", "  x `ab cd ef gh ij kl mn op qr st uv wx", "  y`"]),
            (38, ["a", "  x `ab cd ef gh ij kl mn op qr st uv wx", "  yz`"]),
        ] {
            #expect(lines("x `\(words.prefix(count))`") == expected, "\(count)")
        }
        #expect(
            lines("a `b` c " + words) == [
                "a  a `b` c ab cd ef gh ij kl mn op qr st", "   uv wx yz",
            ])
    }

    @Test("write one character a line where the tree leaves no space")
    func deep() {
        var entry = TreeEntry("b", "xy")
        for _ in 0..<20 { entry = TreeEntry("b", "", entries: [entry]) }
        let lines = page([entry], width: 40).split(separator: "\n").suffix(3).map {
            $0.drop { $0 == " " }
        }
        #expect(lines == ["└ b", "x", "y"])
    }
}
