/// An identifier octet (X.690 §8.1.2), with constants for those that Apple's signatures use.
package struct ASN1Tag: RawRepresentable, Hashable, Sendable {
    /// The octet.
    package let rawValue: UInt8

    /// Creates a tag from its octet.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    static let boolean = ASN1Tag(rawValue: 0x01)
    static let integer = ASN1Tag(rawValue: 0x02)
    static let bitString = ASN1Tag(rawValue: 0x03)
    static let octetString = ASN1Tag(rawValue: 0x04)
    static let null = ASN1Tag(rawValue: 0x05)
    static let objectIdentifier = ASN1Tag(rawValue: 0x06)
    static let enumerated = ASN1Tag(rawValue: 0x0A)
    static let utf8String = ASN1Tag(rawValue: 0x0C)
    static let printableString = ASN1Tag(rawValue: 0x13)
    static let utcTime = ASN1Tag(rawValue: 0x17)
    static let generalizedTime = ASN1Tag(rawValue: 0x18)
    static let sequence = ASN1Tag(rawValue: 0x30)
    static let set = ASN1Tag(rawValue: 0x31)

    // Never valid, because SEQUENCE and SET are always constructed (X.690 §8.9.1, §8.11.1).
    static let primitiveSequence = ASN1Tag(rawValue: 0x10)
    static let primitiveSet = ASN1Tag(rawValue: 0x11)

    /// Returns the context-specific tag of a constructed element; `number` is below 31.
    static func context(_ number: UInt8) -> ASN1Tag { ASN1Tag(rawValue: 0xA0 | number) }

    /// Returns the context-specific tag of a primitive element; `number` is below 31.
    static func primitiveContext(_ number: UInt8) -> ASN1Tag { ASN1Tag(rawValue: 0x80 | number) }

    /// Whether the element contains other elements.
    var isConstructed: Bool { rawValue & 0x20 != 0 }

    /// Whether the tag number follows in further octets, which is not supported.
    var hasLongNumber: Bool { rawValue & 0x1F == 0x1F }
}
