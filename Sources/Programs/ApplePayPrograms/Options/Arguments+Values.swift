package import ApplePayAcceptance
package import ApplePayPrimitives
package import ApplePayWire
package import FoundationEssentials

/// Values of options, parsed according to their declarations.
extension Arguments {
    /// Returns the value of an option that must be given.
    ///
    /// - Throws: A usage failure if it is missing, which ``check(_:of:)`` reports earlier for a whole command.
    package func required(_ option: CommandOption) throws(CommandFailure) -> String {
        try require([option], for: "this command")
        return text(option) ?? ""
    }

    /// Returns the value of an option that must be given, if it names something outside this program.
    ///
    /// - Throws: A usage failure if it is missing.
    package func required(exact option: CommandOption) throws(CommandFailure) -> ExactText {
        ExactText(try required(option))
    }

    /// Returns a whole number of 0 or more.
    package func number(_ option: CommandOption) throws(CommandFailure) -> Int64? {
        guard let text = text(option) else { return nil }
        guard let number = Int64(text), text.utf8.allSatisfy(\.isDigit) else {
            let unit =
                switch option.placeholder {
                case "MINOR": " of minor units, such as 1099 for 10.99 EUR, from 0 to \(Int64.max)"
                case "N": ""
                case let unit: " of \(unit.lowercased())"
                }
            throw .usage("\(option) takes a whole number\(unit), not \(text).")
        }
        return number
    }

    /// Returns `true` or `false`.
    package func boolean(_ option: CommandOption) throws(CommandFailure) -> Bool? {
        guard let text = text(option) else { return nil }
        guard let value = Bool(text) else {
            throw .usage("\(option) takes true or false, not \(text).")
        }
        return value
    }

    /// Returns a value of an enumeration; nil if the option is absent.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: CommandOption,
        of type: Choice.Type = Choice.self
    ) throws(CommandFailure) -> Choice? {
        guard let text = text(option) else { return nil }
        guard let choice = Choice(ExactText(text)) else {
            let values = Choice.allCases.map(\.rawValue)
            throw .usage("\(option) takes one of \(values.joined(separator: ", ")), not \(text).")
        }
        return choice
    }

    package func time(_ option: CommandOption) throws(CommandFailure) -> Date? {
        guard let text = text(option) else { return nil }
        guard let date = InternetTime.date(ExactText(text)) else {
            let day = text.split(separator: " ").joined(separator: "T")
            guard InternetTime.date("\(day)Z") == nil else {
                throw .usage(
                    "\(option) needs a time with its zone: \(day)Z if it is UTC, or for example \(day)+02:00, not "
                        + "\(text).")
            }
            throw .usage("\(option) takes a time such as 2026-03-01T12:00:00Z, not \(text).")
        }
        return date
    }

    package func currency(_ option: CommandOption) throws(CommandFailure) -> Currency? {
        guard let code = text(option) else { return nil }
        guard let currency = Currency(alphabetic: ExactText(code)) else {
            throw .usage(
                "\(option) takes a currency code of ISO 4217 in capitals, such as EUR, not \(code)."
            )
        }
        return currency
    }

    /// Returns the value of the environment variable that the option names.
    ///
    /// - Throws: A failure if it is not set, which does not repeat the given name: it may be the secret itself.
    package func secret(_ option: CommandOption) throws(CommandFailure) -> SensitiveBytes {
        guard let secret = EnvironmentVariable.read(try required(option)) else {
            throw .means(
                "\(option) takes the name of an environment variable with the secret, and the named variable is "
                    + "not set or is empty; its name is not repeated here, because it may be the secret itself."
            )
        }
        return secret
    }
}
