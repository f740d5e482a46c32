package import ApplePayAcceptance
internal import ApplePayPrimitives
package import ApplePayWire

/// The parameters of an address's query, decoded.
package struct URLQuery {
    /// The names and values in order.
    package let parameters: [(name: ExactText, value: ExactText)]

    /// The greatest length of a target, in bytes, and the greatest number of parameters: the sender is not known before
    /// its signature was verified, for which the parameters are decoded and sorted.
    package static let (lengthLimit, parameterLimit) = (8192, 64)

    /// Reads the query of a path, if it has one; a parameter that is not well-formed UTF-8 is omitted.
    ///
    /// - Throws: `malformed` for a target of more than 8 KiB or 64 parameters.
    ///
    /// Source: WHATWG URL, "application/x-www-form-urlencoded parsing".
    package init(ofTarget target: String) throws(PaymentError) {
        guard target.utf8.count <= Self.lengthLimit,
            target.utf8.count(where: { $0 == UInt8(ascii: "&") }) < Self.parameterLimit
        else { throw .gateway(.malformed, "target") }
        let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            .prefix { $0 != UInt8(ascii: "#") }
        parameters = query.split(separator: UInt8(ascii: "&")).compactMap { item in
            let sides = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = sides.map(Self.decoded)
            guard let name = texts.first ?? nil, let value = texts.count == 2 ? texts[1] : ""
            else { return nil }
            return (name, value)
        }
    }

    /// Returns the value of a parameter that occurs once.
    ///
    /// - Throws: `missing-member` if the parameter or its value is missing, `malformed` if it occurs more than once.
    package func value(_ name: ExactText) throws(PaymentError) -> ExactText {
        let values = parameters.filter { $0.name == name }.map(\.value)
        guard let value = values.first, !value.isEmpty else {
            throw .gateway(.missingMember, String(name))
        }
        guard values.count == 1 else { throw .gateway(.malformed, String(name)) }
        return value
    }

    /// The parameters, sorted by the UTF-16 code units of their names and encoded as a form.
    ///
    /// Source: WHATWG URL, `URLSearchParams.sort()` and "application/x-www-form-urlencoded serializing".
    package var sorted: String {
        parameters.enumerated().sorted { left, right in
            let (first, second) = (
                String(left.element.name).utf16, String(right.element.name).utf16
            )
            guard first.elementsEqual(second) else {
                return first.lexicographicallyPrecedes(second)
            }
            return left.offset < right.offset
        }.map { "\(Self.encoded($0.element.name))=\(Self.encoded($0.element.value))" }
            .joined(separator: "&")
    }

    private static func decoded(_ text: Substring.UTF8View) -> ExactText? {
        PercentEncoding.bytes(
            text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        ).flatMap { String(validating: $0, as: UTF8.self) }.map { ExactText($0) }
    }

    private static func encoded(_ text: ExactText) -> String {
        PercentEncoding.encoded(text).replacing("%20", with: "+").replacing("%2A", with: "*")
            .replacing("~", with: "%7E")
    }
}
