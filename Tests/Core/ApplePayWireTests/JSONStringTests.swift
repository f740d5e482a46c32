import Testing

@testable import ApplePayWire

@Suite("A JSON string")
struct JSONStringTests {
    @Test(
        "is returned without its escapes",
        arguments: [
            (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\b"#, "\u{08}"), (#"\f"#, "\u{0C}"),
            (#"\n"#, "\n"), (#"\r"#, "\r"), (#"\t"#, "\t"), (#"\u0000"#, "\0"),
            (#"\u007f"#, "\u{7F}"), (#"\u0080"#, "\u{80}"), (#"\u07FF"#, "\u{7FF}"),
            (#"\u0800"#, "\u{800}"), (#"\ud7ff"#, "\u{D7FF}"), (#"\uE000"#, "\u{E000}"),
            (#"\uffff"#, "\u{FFFF}"), (#"\ud800\udc00"#, "\u{10000}"),
            (#"\uD83D\uDE00"#, "😀"), (#"\udbff\udfff"#, "\u{10FFFF}"), ("", ""), ("é😀", "é😀"),
            (#"aé\/😀\u00e9\n"#, "aé/😀é\n"), (#"\\u0041"#, #"\u0041"#), (#"\\\""#, #"\""#),
            (#"BASE64\/with+slashes\/and=="#, "BASE64/with+slashes/and=="),
            (
                #"a string of more than sixteen letters é \" and more of them"#,
                #"a string of more than sixteen letters é " and more of them"#
            ),
        ]
    )
    func unescaped(source: String, expected: String) throws {
        let text = Array("[\"\(source)\"]".utf8)
        let index = try JSONIndex(text.span)
        let value = try #require(Array(index.elements(of: index.root)).first)
        #expect(value.hasEscapes == source.contains("\\"))
        #expect(index.string(value, in: text.span) == expected)
        let isEqual = index.equals(value, expected, in: text.span)
        #expect(isEqual)
        let count = JSONIndex.unescapedCount(of: value, in: text.span)
        #expect(count == expected.utf8.count)
        let bytes = [UInt8](capacity: count) { JSONIndex.unescape(value, in: text.span, into: &$0) }
        #expect(bytes == Array(expected.utf8))
    }

    @Test("returns values of other kinds unchanged", arguments: ["-1.50", "true", "[1, 2]"])
    func otherKinds(source: String) throws {
        let text = Array(source.utf8)
        let index = try JSONIndex(text.span)
        #expect(index.string(index.root, in: text.span) == source)
    }

    @Test("contains raw bytes if byte escapes are allowed")
    func byteEscapes() throws {
        let text = Array(#""a\udc80\uDCFF\ud800\udc80\/""#.utf8)
        let index = try JSONIndex(text.span, limits: .init(byteEscapes: true))
        let count = JSONIndex.unescapedCount(of: index.root, in: text.span)
        let bytes = [UInt8](capacity: count) {
            JSONIndex.unescape(index.root, in: text.span, into: &$0)
        }
        #expect(bytes == [0x61, 0x80, 0xFF] + Array("\u{10080}/".utf8))
        #expect(index.string(index.root, in: text.span) == "a\u{FFFD}\u{FFFD}\u{10080}/")
    }

    @Test(
        "is refused with every other lone surrogate, also if byte escapes are allowed",
        arguments: [#""\udc7f""#, #""\udd00""#, #""\udfff""#, #""\ud800""#, #""\udc00""#]
    )
    func otherSurrogates(source: String) {
        #expect(throws: JSONError(.loneSurrogate, at: 1)) {
            try JSONIndex(Array(source.utf8).span, limits: .init(byteEscapes: true))
        }
    }

    @Test("of byte escapes repeats a name of the same bytes")
    func byteEscapedName() {
        let text = Array(#"{"é":1,"\udcc3\udca9":2}"#.utf8)
        #expect(throws: JSONError(.duplicateKey, at: 8)) {
            try JSONIndex(text.span, limits: .init(byteEscapes: true))
        }
    }
}
