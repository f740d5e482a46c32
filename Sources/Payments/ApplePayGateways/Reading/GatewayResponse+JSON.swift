public import ApplePayAcceptance
public import ApplePayTransport

extension GatewayResponse {
    /// Returns the body as a JSON object, for example to read a stored card's token.
    ///
    /// - Throws: ``PaymentError`` with code `not-json`, then `malformed`.
    public func object() throws(PaymentError) -> AnswerValue {
        try AnswerValue(object: bytes)
    }

    /// Returns the objects of an array: the body itself, or a member of it.
    ///
    /// - Throws: ``PaymentError`` with code `not-json`, then `missing-member`, then `malformed`, also for an element
    ///   that is not an object.
    public func objects(_ name: String) throws(PaymentError) -> [AnswerValue] {
        guard let value = json else { throw .gateway(.notJSON) }
        guard !value.isArray else { return try value.objects() }
        let objects = try value.objects(name)
        guard value[name] != nil else { throw .gateway(.missingMember, name) }
        return objects
    }

    /// Returns the body of an accepted answer, as a JSON object.
    ///
    /// - Throws: `not-json`, also for another answer, then `malformed`.
    package func accepted() throws(PaymentError) -> AnswerValue {
        guard isAccepted else { throw .gateway(.notJSON) }
        return try object()
    }
}
