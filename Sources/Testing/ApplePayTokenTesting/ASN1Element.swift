/// One element of BER or DER, built from the outside in and encoded as built.
///
/// Nothing is corrected: an element that breaks the rules is encoded unchanged.
///
/// Source: X.690 §8.1.
package struct ASN1Element: Equatable, Sendable {
    /// The content between the length and the end.
    package indirect enum Contents: Equatable, Sendable {
        /// The contents octets of a primitive element.
        case octets([UInt8])

        /// The elements inside a constructed element.
        case elements([ASN1Element])

        /// A complete encoding; identifier and length form are ignored.
        case verbatim([UInt8])
    }

    /// The form in which the length is written.
    package enum LengthForm: Equatable, Sendable {
        /// The fewest octets possible (X.690 §10.1).
        case definite

        /// 80, and 00 00 at the end (X.690 §8.1.3.6).
        case indefinite

        /// One length octet more than needed: BER, not DER.
        case nonMinimal
    }

    /// The identifier octet; tag numbers below 31.
    package var identifier: UInt8

    /// The contents.
    package var contents: Contents

    /// The form of the length.
    package var lengthForm: LengthForm

    /// Creates a primitive element.
    package init(_ identifier: UInt8, octets: [UInt8]) {
        self.identifier = identifier
        contents = .octets(octets)
        lengthForm = .definite
    }

    /// Creates a constructed element.
    package init(_ identifier: UInt8, _ elements: [ASN1Element], _ form: LengthForm = .definite) {
        self.identifier = identifier
        contents = .elements(elements)
        lengthForm = form
    }

    /// Returns an element with a complete encoding, which is used unchanged.
    package static func verbatim(_ encoding: [UInt8]) -> ASN1Element {
        var element = ASN1Element(0, octets: [])
        element.contents = .verbatim(encoding)
        return element
    }

    /// The encoding.
    package var encoded: [UInt8] {
        let body: [UInt8]
        switch contents {
        case .verbatim(let encoding): return encoding
        case .octets(let octets): body = octets
        case .elements(let elements): body = elements.flatMap(\.encoded)
        }
        switch lengthForm {
        case .definite: return [identifier] + Self.length(body.count, padding: 0) + body
        case .nonMinimal: return [identifier] + Self.length(body.count, padding: 1) + body
        case .indefinite: return [identifier, 0x80] + body + [0x00, 0x00]
        }
    }

    private static func length(_ count: Int, padding: Int) -> [UInt8] {
        guard count >= 0x80 || padding > 0 else { return [UInt8(count)] }
        var octets = [UInt8](repeating: 0, count: padding)
        let significant = max(1, (Int.bitWidth - count.leadingZeroBitCount + 7) / 8)
        for index in (0..<significant).reversed() {
            octets.append(UInt8(truncatingIfNeeded: count >> (8 * index)))
        }
        return [0x80 | UInt8(octets.count)] + octets
    }
}
