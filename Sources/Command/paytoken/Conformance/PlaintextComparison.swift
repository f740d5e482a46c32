internal import ApplePayWire
internal import FoundationEssentials

/// Compares the payment data of an answer with that of a vector.
///
/// Members that the vector does not have are ignored, and `null` equals a missing member. The amount may be a number or
/// a string, and the currency may lack its leading zeros.
struct PlaintextComparison {
    /// The vector's payment data.
    let expected: JSONDocument

    /// The answer.
    let actual: JSONDocument

    /// Returns the first difference.
    ///
    /// - Parameters:
    ///   - want: A value of the vector.
    ///   - got: The value of the answer; nil if it is missing.
    ///   - path: The path of the member, for messages.
    /// - Returns: The member and its fault, without any value; nil if the values are equal.
    func difference(_ want: JSONValue, _ got: JSONValue?, path: String) -> String? {
        if want.kind == .null {
            return got == nil || got?.kind == .null ? nil : "\(path) is not absent"
        }
        guard let got else { return "\(path) is missing" }
        switch want.kind {
        case .object:
            guard got.kind == .object else { return "\(path) is not an object" }
            for (name, value) in expected.members(of: want) {
                let other = actual.member(name, of: got)
                if let found = difference(value, other, path: "\(path).\(name)") { return found }
            }
            return nil
        case .array:
            let (wanted, given) = (expected.elements(of: want), actual.elements(of: got))
            guard got.kind == .array, given.count == wanted.count else {
                return "\(path) is not an array of \(wanted.count)"
            }
            for (index, pair) in zip(wanted, given).enumerated() {
                let found = difference(pair.0, pair.1, path: "\(path)[\(index)]")
                if let found { return found }
            }
            return nil
        default:
            return isEqual(want, got, path) ? nil : "\(path) has another value"
        }
    }

    private func isEqual(_ want: JSONValue, _ got: JSONValue, _ path: String) -> Bool {
        let name = path.split(separator: ".").last ?? ""
        let isNumeric = name == "transactionAmount" || name == "currencyCode"
        guard isNumeric || want.kind == got.kind else { return false }
        guard isNumeric || want.kind == .number else {
            return want.kind != .string || expected.string(want) == actual.string(got)
        }
        guard let wanted = expected.decimal(want), let given = actual.decimal(got) else {
            return false
        }
        return wanted == given
    }
}

extension JSONDocument {
    /// Returns the exact value of a number or of a string of digits; nil for another value or more than 38 digits.
    fileprivate func decimal(_ value: JSONValue) -> Decimal? {
        let text: String
        switch value.kind {
        case .number: text = String(decoding: raw(value), as: UTF8.self)
        case .string:
            guard let string = string(value), !string.isEmpty,
                string.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            text = string
        default: return nil
        }
        guard text.utf8.count <= 38 else { return nil }
        return Decimal(string: text)
    }
}
