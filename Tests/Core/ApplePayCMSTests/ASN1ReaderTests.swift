import ApplePayWire
import Testing

@testable import ApplePayCMS

@Suite("An element")
struct ASN1ReaderTests {
    /// A document in hexadecimal, its fault and the offset of the fault.
    private static let refusals: [([UInt8], PaymentTokenError.Code, Int)] = [
        // A primitive element with an indefinite length, inside an element that may have one
        // (X.690 §8.1.3.2).
        ([0xA1, 0x80, 0x04, 0x80, 0x00, 0x00, 0x00, 0x00], .invalidLength, 3),
        // Lengths that could be encoded in fewer octets (X.690 §10.1).
        ([0xA1, 0x81, 0x02, 0x05, 0x00], .invalidLength, 1),
        ([0xA1, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128), .invalidLength, 1),
        // A length with more octets than any limit allows.
        ([0xA1, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], .invalidLength, 1),
        // A tag number in further octets; and end-of-contents octets without an indefinite length
        // to end.
        ([0xBF, 0x01, 0x00], .unexpectedTag, 0),
        ([0x00, 0x00], .unexpectedTag, 0),
        // One zero octet does not end an indefinite length.
        ([0xA1, 0x80, 0x00, 0x02, 0x05, 0x00], .unexpectedTag, 2),
        // The document ends inside the tag, the length, the contents and an indefinite length.
        ([], .truncated, 0), ([0xA1], .truncated, 1), ([0xA1, 0x82, 0x01], .truncated, 3),
        ([0xA1, 0x02, 0x05], .truncated, 0), ([0xA1, 0x80, 0x05, 0x00], .truncated, 4),
    ]

    @Test("is refused with the code and offset of its first fault", arguments: refusals.indices)
    func refused(_ number: Int) {
        let (document, code, offset) = Self.refusals[number]
        #expect(throws: PaymentTokenError(code, offset: offset)) {
            var reader = ASN1Reader(0..<document.count)
            _ = try reader.elementOfAnyLength(document.span)
        }
    }

    @Test("is found with its contents, whether its length is definite or indefinite")
    func forms() throws {
        let documents: [([UInt8], Range<Int>)] = [
            ([0xA1, 0x02, 0x05, 0x00], 2..<4), ([0xA1, 0x80, 0x05, 0x00, 0x00, 0x00], 2..<4),
            ([0xA1, 0x80, 0x30, 0x80, 0x00, 0x00, 0x00, 0x00], 2..<6),
            ([0x04, 0x81, 0x80] + [UInt8](repeating: 7, count: 128), 3..<131),
        ]
        for (document, content) in documents {
            var reader = ASN1Reader(0..<document.count)
            let element = try reader.elementOfAnyLength(document.span)
            #expect(element.content == content)
            #expect(element.encoding == 0..<document.count)
            #expect(reader.isAtEnd)
        }
    }
}
