/// Proves that an encoding is DER throughout (X.690 §10 and §11).
///
/// OpenSSL reads BER where DER is due. What is signed, and the certificates that vouch for it, must
/// have one encoding only, or two verifiers may see two things.
package enum DERStructure {
    /// Whether `encoding` is exactly one element, in DER down to the last primitive one.
    ///
    /// The order of a SET OF is not looked at, nor what is wrapped in an OCTET STRING or BIT STRING.
    package static func isValid(_ encoding: Range<Int>, in document: Span<UInt8>) -> Bool {
        // Where the elements end that are open around the reader, outermost first; 16 of them, which
        // no certificate comes near.
        var limits = InlineArray<16, Int>(repeating: encoding.upperBound)
        var depth = 0
        var reader = ASN1Reader(encoding)
        repeat {
            guard let element = try? reader.element(document) else { return false }
            if element.tag.isConstructed {
                guard isConstructedInDER(element.tag), depth < limits.count else {
                    return false
                }
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

    /// Of the universal types only SEQUENCE and SET are constructed (X.690 §10.2).
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

    /// X.690 §8.3.2: the first nine bits are not all alike.
    static func isMinimalInteger(_ content: Span<UInt8>) -> Bool {
        guard content.count > 1 else { return content.count == 1 }
        return content[0] != (content[1] & 0x80 != 0 ? 0xFF : 0x00)
    }

    /// X.690 §8.6.2 and §11.2.1: at most seven unused bits, all zero.
    private static func isCanonicalBitString(_ content: Span<UInt8>) -> Bool {
        guard !content.isEmpty, content[0] < 8 else { return false }
        // An empty string is its count alone, which must be 0: no other count is clear under its own mask.
        return content[content.count - 1] & (1 << content[0] - 1) == 0
    }

    /// X.690 §8.19.2: no arc begins with a zero septet, and the last arc ends.
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
