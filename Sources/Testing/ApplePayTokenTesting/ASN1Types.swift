package import FoundationEssentials

/// The universal types that certificates and CMS use.
///
/// Source: X.690 §8.2 to §8.26.
extension ASN1Element {
    /// Returns a SEQUENCE.
    package static func sequence(
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0x30, elements, form)
    }

    /// Returns a SET with its elements in the given order.
    package static func set(
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0x31, elements, form)
    }

    /// Returns a constructed element with context tag `number`.
    ///
    /// This is an explicit tag, or an implicit one over a SEQUENCE or SET.
    package static func context(
        _ number: UInt8,
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0xA0 | number, elements, form)
    }

    /// Returns a primitive element with context tag `number`.
    package static func context(_ number: UInt8, octets: [UInt8]) -> ASN1Element {
        ASN1Element(0x80 | number, octets: octets)
    }

    /// Returns a BOOLEAN.
    package static func boolean(_ value: Bool) -> ASN1Element {
        ASN1Element(0x01, octets: [value ? 0xFF : 0x00])
    }

    /// Returns an INTEGER with a small non-negative value.
    package static func integer(_ value: UInt8) -> ASN1Element {
        integer([value])
    }

    /// Returns an INTEGER with a non-negative value, given big-endian with or without leading
    /// zeros.
    package static func integer(_ magnitude: [UInt8]) -> ASN1Element {
        let digits = Array(magnitude.drop { $0 == 0 })
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0x00] : []
        return ASN1Element(0x02, octets: sign + digits)
    }

    /// Returns a BIT STRING of whole bytes.
    package static func bitString(_ bytes: [UInt8]) -> ASN1Element {
        ASN1Element(0x03, octets: [0x00] + bytes)
    }

    /// Returns a BIT STRING of named bits, without trailing zero bits (X.690 §11.2.2).
    package static func namedBits(_ bits: [Int]) -> ASN1Element {
        guard let last = bits.max() else { return ASN1Element(0x03, octets: [0x00]) }
        var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
        for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return ASN1Element(0x03, octets: [UInt8(7 - last % 8)] + bytes)
    }

    /// Returns an OCTET STRING.
    package static func octetString(_ bytes: [UInt8]) -> ASN1Element {
        ASN1Element(0x04, octets: bytes)
    }

    /// NULL.
    package static let null = ASN1Element(0x05, octets: [])

    /// Returns an OBJECT IDENTIFIER.
    package static func objectIdentifier(_ identifier: OID) -> ASN1Element {
        ASN1Element(0x06, octets: identifier.octets)
    }

    /// Returns a UTF8String.
    package static func utf8String(_ text: String) -> ASN1Element {
        ASN1Element(0x0C, octets: Array(text.utf8))
    }

    /// Returns a PrintableString.
    package static func printableString(_ text: String) -> ASN1Element {
        ASN1Element(0x13, octets: Array(text.utf8))
    }

    /// Returns an IA5String.
    package static func ia5String(_ text: String) -> ASN1Element {
        ASN1Element(0x16, octets: Array(text.utf8))
    }

    /// Returns a UTCTime in the format `YYMMDDHHMMSSZ`.
    package static func utcTime(_ date: Date) -> ASN1Element {
        utcTime(text: CivilTime.digits(of: date).dropFirst(2) + "Z")
    }

    /// Returns a UTCTime with any text.
    package static func utcTime(text: some StringProtocol) -> ASN1Element {
        ASN1Element(0x17, octets: Array(text.utf8))
    }

    /// Returns a GeneralizedTime in the format `YYYYMMDDHHMMSSZ`.
    package static func generalizedTime(_ date: Date) -> ASN1Element {
        generalizedTime(text: CivilTime.digits(of: date) + "Z")
    }

    /// Returns a GeneralizedTime with any text.
    package static func generalizedTime(text: some StringProtocol) -> ASN1Element {
        ASN1Element(0x18, octets: Array(text.utf8))
    }
}
