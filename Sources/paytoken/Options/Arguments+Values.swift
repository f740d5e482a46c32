internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// Values of options, parsed according to their declarations.
extension Arguments {
    /// Returns the value of an option that must be given.
    ///
    /// - Throws: A usage failure if it is missing. ``check(_:of:)`` reports missing options
    ///   earlier; only the reference of a batch's order can still be missing, if neither the
    ///   options nor the envelope state it.
    func required(_ option: CommandOption) throws(CommandFailure) -> String {
        guard let text = text(option) else { throw .usage("this step needs \(option).") }
        return text
    }

    /// Returns the value of an option that is needed only to send the request, or a placeholder if only the body is
    /// written, which does not contain the value.
    func requiredToSend(_ option: CommandOption) -> String { text(option) ?? "unset" }

    /// Returns a secret that is needed only to send the request, or a placeholder if only the body is written, which
    /// does not contain the secret.
    func secretToSend(_ option: CommandOption) throws(CommandFailure) -> SensitiveBytes {
        guard has(option) else { return SensitiveBytes(copying: "unset".utf8.span) }
        return try secret(option)
    }

    /// Returns a whole number of 0 or more.
    func number(_ option: CommandOption) throws(CommandFailure) -> Int64? {
        guard let text = text(option) else { return nil }
        guard let number = Int64(text), number >= 0, text.allSatisfy(\.isNumber) else {
            throw .usage("\(option) takes a whole number, not \(text).")
        }
        return number
    }

    /// Returns `true` or `false`.
    func boolean(_ option: CommandOption) throws(CommandFailure) -> Bool? {
        guard let text = text(option) else { return nil }
        guard let value = Bool(text) else {
            throw .usage("\(option) takes true or false, not \(text).")
        }
        return value
    }

    /// Returns a value of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: CommandOption,
        of type: Choice.Type = Choice.self
    ) throws(CommandFailure) -> Choice? {
        try choices(option, of: type).first
    }

    /// Returns a value of an enumeration; nil for `none`, which omits a member, and `value` if the
    /// option is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: CommandOption,
        else value: Choice
    ) throws(CommandFailure) -> Choice? {
        guard text(option) != "none" else { return nil }
        return try choice(option) ?? value
    }

    /// Returns the values of an enumeration that a repeatable option names.
    func choices<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: CommandOption,
        of type: Choice.Type = Choice.self
    ) throws(CommandFailure) -> [Choice] {
        var choices: [Choice] = []
        for text in all(option) {
            guard let choice = Choice(rawValue: text) else {
                var values = Choice.allCases.map(\.rawValue)
                if case .choice(let declared) = option.kind { values = declared }
                throw .usage("\(option) takes \(values.joined(separator: ", ")), not \(text).")
            }
            choices.append(choice)
        }
        return choices
    }

    /// Returns a time.
    func time(_ option: CommandOption) throws(CommandFailure) -> Date? {
        guard let text = text(option) else { return nil }
        guard let date = TokenOptions.date(text) else {
            throw .usage("\(option) takes a time such as 2026-03-01T12:00:00Z, not \(text).")
        }
        return date
    }

    /// Returns a currency.
    func currency(_ option: CommandOption) throws(CommandFailure) -> Currency? {
        guard let code = text(option) else { return nil }
        guard let currency = Currency(alphabetic: code) else {
            throw .usage("\(option) takes an ISO 4217 code such as EUR, not \(code).")
        }
        return currency
    }

    /// Returns the value of the environment variable that the option names; throws if there is
    /// none.
    ///
    /// The message does not repeat the given name, which may be the secret itself.
    func secret(_ option: CommandOption) throws(CommandFailure) -> SensitiveBytes {
        let variable = try required(option)
        guard let secret = EnvironmentVariable.read(variable) else {
            throw .means("\(option) names no variable of the environment.")
        }
        return secret
    }
}
