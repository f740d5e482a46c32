internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire
internal import FoundationEssentials

/// The comparison of the payment data of an answer with that of a vector, which is this value.
///
/// Members that the vector does not have are ignored, and `null` equals a missing member. The amount may be a number or
/// a string, and the currency may lack its leading zeros.
extension AnswerValue {
    /// Returns the first difference.
    ///
    /// - Parameters:
    ///   - got: The value of the answer; nil if it is missing.
    ///   - path: The path of the member, for messages.
    /// - Returns: The member and its fault, without any value; nil if the values are equal.
    func difference(from got: AnswerValue?, path: String) -> String? {
        if kind == .null {
            return got == nil || got?.kind == .null ? nil : "\(path) is not absent"
        }
        guard let got else { return "\(path) is missing" }
        switch kind {
        case .object:
            guard got.isObject else { return "\(path) is not an object" }
            for (name, value) in members {
                let other = got.member(orNull: String(name))
                if let found = value.difference(from: other, path: "\(path).\(name)") {
                    return found
                }
            }
            return nil
        case .array:
            let (wanted, given) = (elements, got.elements)
            guard got.isArray, given.count == wanted.count else {
                return "\(path) is not an array of \(wanted.count)"
            }
            for (index, pair) in zip(wanted, given).enumerated() {
                let found = pair.0.difference(from: pair.1, path: "\(path)[\(index)]")
                if let found { return found }
            }
            return nil
        default:
            return isEqual(to: got, path) ? nil : "\(path) has another value"
        }
    }

    private func isEqual(to got: AnswerValue, _ path: String) -> Bool {
        let name = path.split(separator: ".").last ?? ""
        let isNumeric = name == "transactionAmount" || name == "currencyCode"
        guard isNumeric || kind == got.kind else { return false }
        guard isNumeric || kind == .number else {
            return !isString || characters == got.characters
        }
        guard let wanted = decimal, let given = got.decimal else { return false }
        return wanted == given
    }

    /// The exact value of a number or of a string of digits; nil for another value or more than 38 digits.
    private var decimal: Decimal? {
        guard let text = string, text.utf8.count <= 38,
            !isString || !text.isEmpty && text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Decimal(string: String(text))
    }
}
