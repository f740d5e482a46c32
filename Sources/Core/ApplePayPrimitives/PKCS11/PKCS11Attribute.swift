internal import CApplePaySystem

/// An attribute of a template, which an object must have or will receive.
struct PKCS11Attribute {
    let type: Int
    let value: [UInt8]

    /// Returns an attribute of type CK_ULONG, in the machine's byte order.
    static func number(_ type: Int, _ value: Int) -> PKCS11Attribute {
        let number = CK_ULONG(value)
        return PKCS11Attribute(
            type: type,
            value: (0..<CK_ULONG.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        )
    }

    /// Returns an attribute of type CK_BBOOL.
    static func boolean(_ type: Int, _ value: Bool) -> PKCS11Attribute {
        PKCS11Attribute(type: type, value: [value ? 1 : 0])
    }

    /// Lends attributes as C structures for the duration of the call.
    static func withTemplate<Result>(
        _ attributes: [PKCS11Attribute],
        _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> Result
    ) -> Result {
        var values = attributes.flatMap(\.value)
        return unsafe values.withUnsafeMutableBytes { values in
            var offset = 0
            var template: [CK_ATTRIBUTE] = unsafe []
            for attribute in attributes {
                let start = unsafe values.baseAddress.map { unsafe $0 + offset }
                unsafe template.append(
                    CK_ATTRIBUTE(
                        type: CK_ULONG(attribute.type), pValue: start,
                        ulValueLen: CK_ULONG(attribute.value.count)))
                offset += attribute.value.count
            }
            return unsafe template.withUnsafeMutableBufferPointer {
                unsafe body($0.baseAddress, CK_ULONG($0.count))
            }
        }
    }
}
