import Testing

@testable import ApplePayWire

@Suite("A tuned loop returns the same as its plain reference")
struct ByteLoopTests {
    /// Returns texts of every length up to 200: letters that the loop accepts, with bytes of any
    /// value at a few positions.
    private func texts(of alphabet: String, seed: UInt64) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array(alphabet.utf8)
        return (0...200).flatMap { length in
            (0..<20).map { changes in
                var text = (0..<length).map { _ in
                    alphabet[Int.random(in: alphabet.indices, using: &generator)]
                }
                for _ in 0..<changes / 5 where length > 0 {
                    let place = Int.random(in: 0..<length, using: &generator)
                    text[place] = UInt8.random(in: 0...255, using: &generator)
                }
                return text
            }
        }
    }

    @Test("for base64, also in its padding and unused bits")
    func base64() {
        var accepted = 0
        for text in texts(of: "AQgw+/19", seed: 1) {
            for padding in ["", "=", "=="] {
                let text = text + Array(padding.utf8)
                let expected = PlainReference.decodedBase64(text)
                var isCanonical = false
                let count = Base64.decodedCount(of: text.span) ?? 0
                let bytes = [UInt8](capacity: count) {
                    isCanonical = Base64.decode(text.span, into: &$0)
                }
                #expect((isCanonical ? bytes : nil) == expected, "\(text)")
                let isAlsoCanonical = Base64.isCanonical(text.span)
                #expect(isAlsoCanonical == (expected != nil), "\(text)")
                accepted += expected == nil ? 0 : 1
            }
        }
        #expect(accepted > 500)
    }

    @Test("for hexadecimal")
    func hexadecimal() {
        var accepted = 0
        for text in texts(of: "0123456789abcdefABCDEF", seed: 2) {
            let expected = PlainReference.decodedHexadecimal(text)
            var isCanonical = false
            let count = Hexadecimal.decodedCount(of: text.span) ?? 0
            let bytes = [UInt8](capacity: count) {
                isCanonical = Hexadecimal.decode(text.span, into: &$0)
            }
            #expect((isCanonical ? bytes : nil) == expected, "\(text)")
            let isAlsoCanonical = Hexadecimal.isDecodable(text.span)
            #expect(isAlsoCanonical == (expected != nil), "\(text)")
            accepted += expected == nil ? 0 : 1
        }
        #expect(accepted > 500)
    }

    @Test("for the plain characters of a JSON string, from every offset")
    func plainCharacters() {
        for text in texts(of: "aZ09+/ !#]~", seed: 3) where text.count.isMultiple(of: 7) {
            for offset in 0...text.count {
                let end = PlainCharacters.end(from: offset, in: text.span)
                let expected = PlainReference.plainEnd(from: offset, in: text)
                #expect(end == expected, "\(text), \(offset)")
            }
        }
    }

    @Test("for octets that are equal, or differ in one bit")
    func octets() {
        func equals<let count: Int>(
            _ octets: InlineArray<count, UInt8>,
            _ other: [UInt8]
        ) -> Bool {
            octets.equals(other.span)
        }
        func check<let count: Int>(_ octets: InlineArray<count, UInt8>) {
            let bytes = octets.indices.map { octets[$0] }
            #expect(equals(octets, bytes))
            #expect(!equals(octets, bytes + [0]) && !equals(octets, bytes.dropLast()))
            for bit in 0..<8 * count {
                var other = bytes
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(!equals(octets, other))
            }
        }
        check([0x2A] as InlineArray<1, UInt8>)
        check([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03] as InlineArray<7, UInt8>)
        check([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02] as InlineArray<8, UInt8>)
        check([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04] as InlineArray<9, UInt8>)
    }
}
