import ApplePayTokenTesting
import Testing

@testable import exhaustive

/// A sample of what `make exhaustive` runs.
@Suite("Each small case")
struct ExhaustiveTests {
    @Test(
        "that is a short text is accepted as JSON if and only if the grammar allows it",
        arguments: 0...2)
    func json(_ length: Int) {
        let tally = ShortTexts.json(length: length)
        #expect(tally.faults == [])
        #expect(tally.total == 1 << (8 * length))
        #expect(tally.counts[ShortTexts.accepted] == [nil, 10, 183][length])
    }

    @Test("that is a short text is refused as a token", arguments: 0...2)
    func tokens(_ length: Int) {
        let tally = ShortTexts.tokens(length: length)
        #expect(tally.faults == [])
        #expect(tally.total == 1 << (8 * length))
    }

    @Test(
        "that is a short encoding is DER if and only if X.690 allows it, and is refused as a signature",
        arguments: 0...3)
    func elements(_ length: Int) {
        let step = length < 3 ? 1 : 251
        let tallies = [
            ShortElements.der(length: length, step: step),
            ShortElements.signatures(length: length, step: step),
        ]
        for tally in tallies {
            #expect(tally.faults == [])
            #expect(tally.total == ((1 << (8 * length)) + step - 1) / step)
        }
        if length == 2 { #expect(tallies[0].counts[ShortElements.accepted] == 211) }
    }

    @Test("of a key usage depends on three of its nine bits", arguments: [true, false])
    func usages(ofSigner: Bool) throws {
        let tally = try KeyUsages.tally(ofSigner: ofSigner, step: 11)
        #expect(tally.faults == [])
        #expect(tally.total == 47)
        #expect(tally.counts.count > 1)
    }

    @Test(
        "of a change in one byte is refused, or encodes the same token",
        arguments: TokenVersion.allCases)
    func edits(_ version: TokenVersion) throws {
        let token = try EditedToken(version)
        #expect(token.parts.count == 6)
        for part in token.parts {
            for kind in SingleByteEdit.allCases {
                let step = kind == .deletion ? 29 : 1_999
                let tally = token.tally(part, kind, step: step)
                #expect(tally.faults == [])
                #expect(tally.total == (kind.count(part.bytes.count) + step - 1) / step)
            }
        }
    }
}
