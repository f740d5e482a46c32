internal import ApplePayPrimitives

/// Members that an answer must have to be understood.
extension ResponseValue {
    /// A string, or a number as it is written.
    ///
    /// - Throws: Code `missing-member`, then `wrong-type`.
    func mandatoryText(_ names: String...) throws(GatewayResponseError) -> String {
        guard let text = try mandatory(names).string else {
            throw GatewayResponseError(.wrongType, field: names.joined(separator: "."))
        }
        return text
    }

    /// A string that is not to be seen.
    ///
    /// - Throws: Code `missing-member`, then `wrong-type`.
    func mandatorySecret(_ names: String...) throws(GatewayResponseError) -> SensitiveBytes {
        guard let secret = try mandatory(names).secret else {
            throw GatewayResponseError(.wrongType, field: names.joined(separator: "."))
        }
        return secret
    }

    private func mandatory(_ names: [String]) throws(GatewayResponseError) -> ResponseValue {
        var value = self
        for name in names {
            guard let member = value[name] else {
                throw GatewayResponseError(.missingMember, field: names.joined(separator: "."))
            }
            value = member
        }
        return value
    }
}
