/// Checks that an encoding is DER at all levels (X.690 §10 and §11).
///
/// OpenSSL accepts BER where DER is required. The signed attributes and the certificates must have only
/// one possible encoding; otherwise two verifiers could read them differently.
package enum DERStructure {
    /// Returns whether `encoding` is exactly one element, which is DER at all levels.
    ///
    /// The order of a SET OF is not checked, nor is an encoding inside an OCTET STRING or BIT STRING.
    package static func isValid(_ encoding: Range<Int>, in document: Span<UInt8>) -> Bool {
        // The ends of the elements that enclose the reader's position, outermost first. Certificates
        // have far fewer than 16 levels.
        var limits = InlineArray<16, Int>(repeating: encoding.upperBound)
        var depth = 0
        var reader = ASN1Reader(encoding)
        repeat {
            guard let element = try? reader.element(document) else { return false }
            if element.tag.isConstructed {
                guard isConstructedInDER(element.tag), depth < limits.count else { return false }
                limits[depth] = reader.limit
                depth += 1
                reader.enter(element)
            } else if !isCanonical(element, document) {
                return false
            }
            while depth > 0, reader.isAtEnd {
                depth -= 1
                reader.leave(to: limits[depth])
            }
        } while depth > 0
        return reader.isAtEnd
    }

    /// Returns whether DER permits this tag for a constructed element.
    ///
    /// Of the universal types, only SEQUENCE and SET are constructed (X.690 §10.2).
    private static func isConstructedInDER(_ tag: ASN1Tag) -> Bool {
        tag.rawValue & 0xC0 != 0 || tag == .sequence || tag == .set
    }

    private static func isCanonical(_ element: ASN1Element, _ document: Span<UInt8>) -> Bool {
        let content = document.extracting(element.content)
        switch element.tag {
        case .primitiveSequence, .primitiveSet: return false
        case .boolean: return content.count == 1 && (content[0] == 0 || content[0] == 0xFF)
        case .integer, .enumerated: return isMinimalInteger(content)
        case .bitString: return isCanonicalBitString(content)
        case .null: return content.isEmpty
        case .objectIdentifier: return isCanonicalObjectIdentifier(content)
        default: return true
        }
    }

    /// Returns whether an INTEGER has the fewest octets: its first nine bits are not all equal (X.690 §8.3.2).
    static func isMinimalInteger(_ content: Span<UInt8>) -> Bool {
        guard content.count > 1 else { return content.count == 1 }
        return content[0] != (content[1] & 0x80 != 0 ? 0xFF : 0x00)
    }

    /// Returns whether a BIT STRING has at most seven unused bits, all of them zero (X.690 §8.6.2, §11.2.1).
    private static func isCanonicalBitString(_ content: Span<UInt8>) -> Bool {
        guard !content.isEmpty, content[0] < 8 else { return false }
        // An empty string consists of the octet with the count, and only a count of 0 passes this mask.
        return content[content.count - 1] & (1 << content[0] - 1) == 0
    }

    /// Returns whether every arc is complete and does not begin with a zero septet (X.690 §8.19.2).
    private static func isCanonicalObjectIdentifier(_ content: Span<UInt8>) -> Bool {
        guard !content.isEmpty, content[content.count - 1] & 0x80 == 0 else { return false }
        var beginsArc = true
        for index in content.indices {
            if beginsArc, content[index] == 0x80 { return false }
            beginsArc = content[index] & 0x80 == 0
        }
        return true
    }
}
