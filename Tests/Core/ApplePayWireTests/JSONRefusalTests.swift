import Testing

@testable import ApplePayWire

@Suite("A JSON text is refused")
struct JSONRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: [UInt8]
        let error: JSONError

        init(_ text: String, _ fault: JSONError.Fault, at offset: Int) {
            self.init(Array(text.utf8), fault, at: offset)
        }

        init(_ text: [UInt8], _ fault: JSONError.Fault, at offset: Int) {
            self.text = text
            error = JSONError(fault, at: offset)
        }

        /// Returns a string that contains one letter and then the given bytes.
        static func string(_ bytes: [UInt8], _ fault: JSONError.Fault = .invalidUTF8)
            -> Refusal
        {
            Refusal(Array("\"a".utf8) + bytes + Array("\"".utf8), fault, at: 2)
        }

        var testDescription: String { String(decoding: text.prefix(40), as: UTF8.self) }
    }

    @Test("with the first fault and its offset", arguments: faults + strings + numbers + names)
    func refusal(_ refusal: Refusal) {
        #expect(throws: refusal.error) { try JSONIndex(refusal.text.span) }
    }

    @Test("with each fault in at least one of these tests", arguments: JSONError.Fault.allCases)
    func everyFault(_ fault: JSONError.Fault) {
        let tables = Self.faults + Self.strings + Self.numbers + Self.names
        #expect(tables.contains { $0.error.fault == fault })
    }

    @Test(
        "with one sentence, which does not contain its content", arguments: JSONError.Fault.allCases
    )
    func description(_ fault: JSONError.Fault) {
        #expect(JSONError(fault, at: 17).description.hasSuffix(" (byte 17)."))
    }

    @Test("with a separate code for each fault")
    func codes() {
        let codes = JSONError.Fault.allCases.map { PaymentTokenError(JSONError($0, at: 0)).code }
        // Codes of the readers of wrapped texts, batches and vectors have separate tests.
        let others: Set<PaymentTokenError.Code> = [
            .loneBase64, .printedObject,
        ]
        let own = PaymentTokenError.Code.allCases.filter {
            $0.stage == .json && !others.contains($0)
        }
        #expect(codes == own)
    }

    @Test("over the limits of the caller")
    func limits() {
        let text = Array("[[1]]".utf8)
        #expect(throws: JSONError(.textTooLong, at: 4)) {
            try JSONIndex(text.span, limits: .init(textLength: 4))
        }
        #expect(throws: JSONError(.jsonDepthExceeded, at: 1)) {
            try JSONIndex(text.span, limits: .init(depth: 1))
        }
        #expect(throws: Never.self) {
            try JSONIndex(text.span, limits: .init(textLength: 5, depth: 2))
        }
        #expect(throws: Never.self) { try JSONIndex(text.span, limits: .init(textLength: .max)) }
    }

    static let faults: [Refusal] = [
        Refusal(String(repeating: " ", count: 262_145), .textTooLong, at: 262_144),
        Refusal("", .unexpectedEnd, at: 0),
        Refusal(" \t\r\n", .unexpectedEnd, at: 4),
        Refusal("{", .unexpectedEnd, at: 1),
        Refusal("[", .unexpectedEnd, at: 1),
        Refusal("[1", .unexpectedEnd, at: 2),
        Refusal("[1,", .unexpectedEnd, at: 3),
        Refusal("{\"a\"", .unexpectedEnd, at: 4),
        Refusal("{\"a\":", .unexpectedEnd, at: 5),
        Refusal("{\"a\":1,", .unexpectedEnd, at: 7),
        Refusal("tru", .unexpectedEnd, at: 3),
        Refusal("]", .unexpectedCharacter, at: 0),
        Refusal("}", .unexpectedCharacter, at: 0),
        Refusal("[1}", .unexpectedCharacter, at: 2),
        Refusal("{\"a\":1]", .unexpectedCharacter, at: 6),
        Refusal("[1,]", .unexpectedCharacter, at: 3),
        Refusal("[,1]", .unexpectedCharacter, at: 1),
        Refusal("[1 2]", .unexpectedCharacter, at: 3),
        Refusal("[1,,2]", .unexpectedCharacter, at: 3),
        Refusal("{,}", .unexpectedCharacter, at: 1),
        Refusal("{\"a\":1,}", .unexpectedCharacter, at: 7),
        Refusal("{\"a\" 1}", .unexpectedCharacter, at: 5),
        Refusal("{\"a\"::1}", .unexpectedCharacter, at: 5),
        Refusal("{a:1}", .unexpectedCharacter, at: 1),
        Refusal("{1:1}", .unexpectedCharacter, at: 1),
        Refusal("{'a':1}", .unexpectedCharacter, at: 1),
        Refusal("{\"a\":}", .unexpectedCharacter, at: 5),
        Refusal("True", .unexpectedCharacter, at: 0),
        Refusal("nul]", .unexpectedCharacter, at: 3),
        Refusal("NaN", .unexpectedCharacter, at: 0),
        Refusal("[Infinity]", .unexpectedCharacter, at: 1),
        Refusal("// no\n1", .unexpectedCharacter, at: 0),
        Refusal("\u{FEFF}{}", .unexpectedCharacter, at: 0),
        Refusal("\u{A0}{}", .unexpectedCharacter, at: 0),
        Refusal("\u{0B}{}", .unexpectedCharacter, at: 0),
        Refusal("\0", .unexpectedCharacter, at: 0),
        Refusal([0x5B, 0xFF, 0x5D], .invalidUTF8, at: 1),
        Refusal([0xFE, 0xFF, 0x00, 0x7B], .invalidUTF8, at: 0),
        Refusal([0x31, 0x20, 0x80], .invalidUTF8, at: 2),
        Refusal("1 2", .trailingText, at: 2),
        Refusal("{}{}", .trailingText, at: 2),
        Refusal("truer", .trailingText, at: 4),
        Refusal("\"a\"\0", .trailingText, at: 3),
        Refusal("0x10", .trailingText, at: 1),
        Refusal("1é", .trailingText, at: 1),
        Refusal(String(repeating: "[", count: 17), .jsonDepthExceeded, at: 16),
        Refusal(String(repeating: "{\"a\":", count: 17), .jsonDepthExceeded, at: 80),
        Refusal(String(repeating: "[", count: 100_000), .jsonDepthExceeded, at: 16),
    ]

    static let strings: [Refusal] = [
        Refusal("\"", .unexpectedEnd, at: 1),
        Refusal("\"abc", .unexpectedEnd, at: 4),
        Refusal("\"abc\\\"", .unexpectedEnd, at: 6),
        Refusal("\"\\", .unexpectedEnd, at: 2),
        Refusal("\"\\u12", .unexpectedEnd, at: 5),
        Refusal("\"\\ud800", .unexpectedEnd, at: 7),
        Refusal("\"\\ud800\\", .unexpectedEnd, at: 8),
        Refusal("\"\\ud800\\udc", .unexpectedEnd, at: 11),
        Refusal("\"a\\x\"", .invalidEscape, at: 2),
        Refusal("\"a\\'\"", .invalidEscape, at: 2),
        Refusal("\"a\\U0041\"", .invalidEscape, at: 2),
        Refusal("\"a\\u12\"", .invalidEscape, at: 2),
        Refusal("\"a\\u00g0\"", .invalidEscape, at: 2),
        Refusal("\"a\\u+041\"", .invalidEscape, at: 2),
        Refusal("\"a\\\n\"", .invalidEscape, at: 2),
        Refusal("\"\\ud800\\u00g0\"", .invalidEscape, at: 7),
        Refusal("\"a\\ud800\"", .loneSurrogate, at: 2),
        Refusal("\"a\\ud800x\"", .loneSurrogate, at: 2),
        Refusal("\"a\\ud800\\n\"", .loneSurrogate, at: 2),
        Refusal("\"a\\uDBFF\\uD800\"", .loneSurrogate, at: 2),
        Refusal("\"a\\ud800\\u0041\"", .loneSurrogate, at: 2),
        Refusal("\"a\\udc00\"", .loneSurrogate, at: 2),
        Refusal("\"a\\udc80\"", .loneSurrogate, at: 2),
        Refusal("\"a\\uDFFF\\uD800\"", .loneSurrogate, at: 2),
        Refusal("\"a\n\"", .controlCharacter, at: 2),
        Refusal("\"a\0\"", .controlCharacter, at: 2),
        Refusal("\"a\u{1F}\"", .controlCharacter, at: 2),
        Refusal("\"\(String(repeating: "a", count: 70))\t\"", .controlCharacter, at: 71),
        .string([0x80]),
        .string([0xBF]),
        .string([0xC0, 0x80]),
        .string([0xC1, 0xBF]),
        .string([0xC2]),
        .string([0xC2, 0x7F]),
        .string([0xC2, 0xC0]),
        .string([0xE0, 0x9F, 0xBF]),
        .string([0xE1, 0x80]),
        .string([0xE1, 0x80, 0x7F]),
        .string([0xED, 0xA0, 0x80]),
        .string([0xED, 0xBF, 0xBF]),
        .string([0xEF, 0xBF]),
        .string([0xF0, 0x8F, 0xBF, 0xBF]),
        .string([0xF1, 0x80, 0x80]),
        .string([0xF1, 0x80, 0x80, 0xC0]),
        .string([0xF4, 0x90, 0x80, 0x80]),
        .string([0xF5, 0x80, 0x80, 0x80]),
        .string([0xFE]),
        .string([0xFF]),
        Refusal([0x22, 0xE2, 0x82], .invalidUTF8, at: 1),
    ]

    static let numbers: [Refusal] = [
        Refusal("-", .unexpectedEnd, at: 1),
        Refusal("1.", .unexpectedEnd, at: 2),
        Refusal("1e", .unexpectedEnd, at: 2),
        Refusal("1e+", .unexpectedEnd, at: 3),
        Refusal("+1", .unexpectedCharacter, at: 0),
        Refusal(".5", .unexpectedCharacter, at: 0),
        Refusal("01", .invalidNumber, at: 1),
        Refusal("-00", .invalidNumber, at: 2),
        Refusal("-a", .invalidNumber, at: 1),
        Refusal("--1", .invalidNumber, at: 1),
        Refusal("[1.]", .invalidNumber, at: 3),
        Refusal("[1.e5]", .invalidNumber, at: 3),
        Refusal("[1e]", .invalidNumber, at: 3),
        Refusal("[1E-]", .invalidNumber, at: 4),
        Refusal("[1e+-5]", .invalidNumber, at: 4),
        Refusal("[1.2.3]", .unexpectedCharacter, at: 4),
        Refusal("[1_000]", .unexpectedCharacter, at: 2),
        Refusal("[1\u{0661}]", .unexpectedCharacter, at: 2),
        Refusal([0x2D, 0xFF], .invalidUTF8, at: 1),
    ]

    static let names: [Refusal] = [
        Refusal("{\"a\":1,\"a\":1}", .duplicateKey, at: 7),
        Refusal("{\"\":1,\"\":2}", .duplicateKey, at: 6),
        Refusal("{\"a\":1,\"\\u0061\":2}", .duplicateKey, at: 7),
        Refusal("{\"\\/\":1,\"/\":2}", .duplicateKey, at: 8),
        Refusal("{\"\\n\":1,\"\\u000A\":2}", .duplicateKey, at: 8),
        Refusal("{\"é\":1,\"\\u00e9\":2}", .duplicateKey, at: 8),
        Refusal("{\"😀\":1,\"\\ud83d\\uDE00\":2}", .duplicateKey, at: 10),
        Refusal("{\"a\":1,\"b\":{\"c\":1,\"d\":[],\"c\":1},\"a\":1}", .duplicateKey, at: 25),
        Refusal("{\"a\":[{\"b\":{},\"b\":{}}],\"a\":0}", .duplicateKey, at: 14),
        Refusal("{\"b\":1,\"a\":1,\"a\":1,\"b\":1}", .duplicateKey, at: 13),
    ]
}
