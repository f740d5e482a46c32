public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayTransport
public import ApplePayWire

/// Members by their paths; a text of more than 64 KiB is `malformed`.
extension AnswerValue {
    /// Reads an answer that is an object: UTF-8, at most 1 MiB and 32 levels deep.
    ///
    /// - Throws: ``PaymentError`` with code `not-json`, then `malformed`.
    public init(object text: [UInt8]) throws(PaymentError) {
        do {
            try self.init(text)
        } catch {
            throw .gateway(.notJSON)
        }
        guard isObject else { throw .gateway(.malformed) }
    }

    /// Returns an object; nil if it is missing.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`.
    public func object(_ names: String...) throws(PaymentError) -> AnswerValue? {
        try read(names) { $0.isObject ? $0 : nil }
    }

    /// Returns the elements of an array of objects; empty if it is missing.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`.
    public func objects(_ names: String...) throws(PaymentError) -> [AnswerValue] {
        try read(names) { value in
            let elements = value.elements
            return value.isArray && elements.allSatisfy(\.isObject) ? elements : nil
        } ?? []
    }

    /// Returns a string, or a number as it is written; nil if it is missing.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`.
    public func text(_ names: String...) throws(PaymentError) -> ExactText? {
        try read(names, \.string)
    }

    /// Returns an integer, or the value of a string of digits; nil if it is missing.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`.
    public func integer(_ names: String...) throws(PaymentError) -> Int64? {
        try read(names, \.integer)
    }

    /// Returns `true` or `false`, also of a string that contains one of them; nil if it is missing.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`.
    public func boolean(_ names: String...) throws(PaymentError) -> Bool? {
        try read(names, \.boolean)
    }

    /// Returns a string, or a number as it is written.
    ///
    /// - Throws: ``PaymentError`` with code `missing-member`, then `malformed`.
    public func mandatoryText(_ names: String...) throws(PaymentError) -> ExactText {
        guard let text = try read(names, \.string) else { throw Self.error(.missingMember, names) }
        return text
    }

    /// Returns a secret string.
    ///
    /// - Throws: ``PaymentError`` with code `missing-member`, then `malformed`.
    public func mandatorySecret(_ names: String...) throws(PaymentError) -> SensitiveBytes {
        guard let text = try read(names, \.secret) else { throw Self.error(.missingMember, names) }
        return text
    }

    /// Returns a decimal number such as `"10.99"` in minor units; nil if it is missing.
    ///
    /// `currency` is the alphabetic code in the answer, in either case; nil if the answer does not contain one.
    ///
    /// - Throws: ``PaymentError`` with code `malformed`, also for more decimals than the currency has, and for
    ///   a number without a currency.
    package func minorUnits(_ name: String, in currency: ExactText?) throws(PaymentError) -> Int64?
    {
        guard let decimal = try text(name) else { return nil }
        return try DecimalAmount.minorUnits(decimal, of: currency ?? "", name)
    }

    private func member(_ names: [String]) throws(PaymentError) -> AnswerValue? {
        var value = self
        for (position, name) in names.enumerated() {
            guard value.isObject else {
                throw Self.error(.malformed, Array(names.prefix(position)))
            }
            guard let member = value.member(name) else { return nil }
            value = member
        }
        return value
    }

    /// Reads the member at a path; nil if it is missing.
    private func read<Value>(
        _ names: [String], _ read: (AnswerValue) -> Value?
    ) throws(PaymentError) -> Value? {
        guard let member = try member(names) else { return nil }
        guard let value = read(member) else {
            let error = Self.error(.malformed, names)
            guard !member.isObject, !member.isArray, member.isTooLong else { throw error }
            throw error.because("it has more than \(AnswerValue.textLimit) bytes")
        }
        return value
    }

    private static func error(_ code: PaymentError.Code, _ names: [String]) -> PaymentError {
        .gateway(code, names.joined(separator: "."))
    }
}
