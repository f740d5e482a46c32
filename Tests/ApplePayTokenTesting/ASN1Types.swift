package import Foundation

/// The universal types that certificates and CMS use.
///
/// Source: X.690 §8.2 to §8.26.
extension ASN1Element {
    /// SEQUENCE.
    package static func sequence(
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0x30, elements, form)
    }

    /// SET with its elements in the order given.
    package static func set(
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0x31, elements, form)
    }

    /// A constructed element with context tag `number`: an explicit tag, or an implicit one
    /// over a SEQUENCE or SET.
    package static func context(
        _ number: UInt8,
        _ elements: [ASN1Element],
        _ form: LengthForm = .definite
    ) -> ASN1Element {
        ASN1Element(0xA0 | number, elements, form)
    }

    /// A primitive element with context tag `number`.
    package static func context(_ number: UInt8, octets: [UInt8]) -> ASN1Element {
        ASN1Element(0x80 | number, octets: octets)
    }

    /// BOOLEAN.
    package static func boolean(_ value: Bool) -> ASN1Element {
        ASN1Element(0x01, octets: [value ? 0xFF : 0x00])
    }

    /// INTEGER of a small non-negative number.
    package static func integer(_ value: UInt8) -> ASN1Element {
        integer([value])
    }

    /// INTEGER of a non-negative number, given big-endian with or without leading zeros.
    package static func integer(_ magnitude: [UInt8]) -> ASN1Element {
        let digits = Array(magnitude.drop { $0 == 0 })
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0x00] : []
        return ASN1Element(0x02, octets: sign + digits)
    }

    /// BIT STRING of whole bytes.
    package static func bitString(_ bytes: [UInt8]) -> ASN1Element {
        ASN1Element(0x03, octets: [0x00] + bytes)
    }

    /// BIT STRING of named bits, the last one unused bits cut off (X.690 §11.2.2).
    package static func namedBits(_ bits: [Int]) -> ASN1Element {
        guard let last = bits.max() else { return ASN1Element(0x03, octets: [0x00]) }
        var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
        for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return ASN1Element(0x03, octets: [UInt8(7 - last % 8)] + bytes)
    }

    /// OCTET STRING.
    package static func octetString(_ bytes: [UInt8]) -> ASN1Element {
        ASN1Element(0x04, octets: bytes)
    }

    /// NULL.
    package static let null = ASN1Element(0x05, octets: [])

    /// OBJECT IDENTIFIER.
    package static func objectIdentifier(_ identifier: OID) -> ASN1Element {
        ASN1Element(0x06, octets: identifier.octets)
    }

    /// UTF8String.
    package static func utf8String(_ text: String) -> ASN1Element {
        ASN1Element(0x0C, octets: Array(text.utf8))
    }

    /// PrintableString.
    package static func printableString(_ text: String) -> ASN1Element {
        ASN1Element(0x13, octets: Array(text.utf8))
    }

    /// IA5String.
    package static func ia5String(_ text: String) -> ASN1Element {
        ASN1Element(0x16, octets: Array(text.utf8))
    }

    /// UTCTime as `YYMMDDHHMMSSZ`.
    package static func utcTime(_ date: Date) -> ASN1Element {
        utcTime(text: CivilTime.digits(of: date).dropFirst(2) + "Z")
    }

    /// UTCTime with any text.
    package static func utcTime(text: some StringProtocol) -> ASN1Element {
        ASN1Element(0x17, octets: Array(text.utf8))
    }

    /// GeneralizedTime as `YYYYMMDDHHMMSSZ`.
    package static func generalizedTime(_ date: Date) -> ASN1Element {
        generalizedTime(text: CivilTime.digits(of: date) + "Z")
    }

    /// GeneralizedTime with any text.
    package static func generalizedTime(text: some StringProtocol) -> ASN1Element {
        ASN1Element(0x18, octets: Array(text.utf8))
    }
}
