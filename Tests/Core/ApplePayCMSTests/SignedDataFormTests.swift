import ApplePayTokenTesting
import ApplePayWire
import Testing

@testable import ApplePayCMS

/// Changes to one element of a valid signature.
///
/// A path of indices names an element: at each level, from the outermost element on, the next
/// index selects a child.
@Suite("A signature's form")
struct SignedDataFormTests {
    private static let signedData = [1, 0]
    private static let digestAlgorithm = signedData + [1, 0]
    private static let leaf = signedData + [3, 0]
    private static let body = leaf + [0]
    private static let signer = signedData + [4, 0]
    private static let attributes = signer + [3]

    /// Elements, their new tags, and the expected code.
    private static let otherTags: [([Int], UInt8, PaymentTokenError.Code)] = [
        ([0], 0x04, .unexpectedTag), ([1], 0xA1, .unexpectedTag),
        (signedData, 0x31, .unexpectedTag), (signedData + [0], 0x04, .unexpectedTag),
        (signedData + [1], 0x30, .unexpectedTag), (digestAlgorithm, 0x31, .unexpectedTag),
        (digestAlgorithm + [0], 0x04, .unexpectedTag), (signedData + [2], 0x31, .unexpectedTag),
        (signedData + [2, 0], 0x04, .unexpectedTag), (signedData + [4], 0x30, .unexpectedTag),
        (body, 0x31, .malformedCertificate), (leaf + [1], 0x31, .malformedCertificate),
        (leaf + [2], 0x04, .malformedCertificate), (body + [0], 0xA1, .malformedCertificate),
        (body + [1], 0x04, .malformedCertificate), (body + [2], 0x31, .malformedCertificate),
        (body + [3], 0x31, .malformedCertificate), (body + [4], 0x31, .malformedCertificate),
        (body + [5], 0x31, .malformedCertificate), (body + [6], 0x31, .malformedCertificate),
        (body + [7], 0xA4, .malformedCertificate), (signer, 0x31, .unexpectedTag),
        (signer + [0], 0x04, .unexpectedTag), (signer + [1], 0x31, .unexpectedTag),
        (signer + [1], 0xA0, .unsupportedSignerIdentifier),
        (signer + [1, 0], 0x31, .unexpectedTag), (signer + [1, 1], 0x04, .unexpectedTag),
        (attributes + [3], 0x31, .unexpectedTag), (attributes + [3, 0], 0x04, .unexpectedTag),
        (attributes + [3, 1], 0x30, .unexpectedTag), (signer + [5], 0x0C, .unexpectedTag),
    ]

    @Test(
        "is refused with another tag than the one that RFC 5652 requires",
        arguments: otherTags.indices)
    func tags(_ number: Int) throws {
        let (path, tag, code) = Self.otherTags[number]
        let changed = try edited(path) { [tag] + $0.dropFirst() }
        let offset = try element(path, in: changed).offset
        #expect(throws: PaymentTokenError(code, offset: offset)) {
            try SignedData(parsing: changed)
        }
    }

    /// Elements with an additional element at their end, and the expected code.
    private static let longer: [([Int], PaymentTokenError.Code)] = [
        ([], .trailingBytes), ([1], .trailingBytes), (signedData, .trailingBytes),
        (digestAlgorithm, .trailingBytes), (leaf, .malformedCertificate),
        (body, .malformedCertificate), (body + [4], .malformedCertificate),
        (signer, .trailingBytes), (signer + [1], .trailingBytes),
        (attributes + [3], .trailingBytes),
    ]

    @Test("is refused with additional members in any of its elements", arguments: longer.indices)
    func nothingMore(_ number: Int) throws {
        let (path, code) = Self.longer[number]
        let changed = try edited(path) { try encoding(of: $0[0], children(of: $0) + [null]) }
        let offset = try element(path, in: changed).content.upperBound - null.count
        #expect(throws: PaymentTokenError(code, offset: offset)) {
            try SignedData(parsing: changed)
        }
    }

    @Test("is accepted with a certificate that has unique identifiers of issuer and subject")
    func uniqueIdentifiers() throws {
        let identifiers: [[UInt8]] = [[0x81, 0x02, 0x00, 0x01], [0x82, 0x02, 0x00, 0x02]]
        for added in [identifiers, [identifiers[0]], [identifiers[1]]] {
            let changed = try edited(Self.body + [7]) { added.joined() + $0 }
            #expect(try SignedData(parsing: changed).certificates.count == 2)
        }
        let changed = try edited(Self.body + [7]) { identifiers.reversed().joined() + $0 }
        let offset = try element(Self.body + [8], in: changed).offset
        #expect(throws: PaymentTokenError(.malformedCertificate, offset: offset)) {
            try SignedData(parsing: changed)
        }
    }

    private let null: [UInt8] = [0x05, 0x00]

    /// A signature with definite lengths and the parameters NULL.
    private let signature: [UInt8]

    init() throws {
        signature = try TestPKI(seed: "cms").token {
            $0.cms.encoding = .definite
            $0.cms.useNullParameters()
        }.signature
    }

    /// Returns the signature with other bytes instead of an element, and with all lengths
    /// corrected.
    private func edited(
        _ path: [Int],
        _ edit: ([UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        func descend(_ bytes: [UInt8], _ path: ArraySlice<Int>) throws -> [UInt8] {
            guard let place = path.first else { return try edit(bytes) }
            var children = try children(of: bytes)
            children[place] = try descend(children[place], path.dropFirst())
            return encoding(of: bytes[0], children)
        }
        return try descend(signature, path[...])
    }

    private func children(of bytes: [UInt8]) throws -> [[UInt8]] {
        var outer = ASN1Reader(0..<bytes.count)
        var reader = ASN1Reader(try outer.element(bytes.span))
        var children: [[UInt8]] = []
        while !reader.isAtEnd {
            children.append(Array(bytes[try reader.element(bytes.span).encoding]))
        }
        return children
    }

    private func encoding(of tag: UInt8, _ children: [[UInt8]]) -> [UInt8] {
        let content = Array(children.joined())
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }

    /// Finds the element at a path.
    private func element(_ path: [Int], in document: [UInt8]) throws -> ApplePayCMS.ASN1Element {
        var reader = ASN1Reader(0..<document.count)
        var element = try reader.element(document.span)
        for place in path {
            reader = ASN1Reader(element)
            for _ in 0...place { element = try reader.element(document.span) }
        }
        return element
    }
}
