internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// Reads the options of a gateway's step.
enum RequestOption {
    /// The value of an option that may be given once.
    static func text(_ arguments: Arguments, _ name: String) throws(RequestFailure) -> String? {
        do throws(CommandFailure) {
            return try arguments.one(name)
        } catch {
            throw .command(error)
        }
    }

    /// The value of an option that must be given.
    static func mandatory(_ arguments: Arguments, _ name: String) throws(RequestFailure) -> String {
        guard let text = try text(arguments, name) else {
            throw .command(.usage("this step needs \(name)."))
        }
        return text
    }

    /// `true` or `false`.
    static func boolean(_ arguments: Arguments, _ name: String) throws(RequestFailure) -> Bool? {
        guard let text = try text(arguments, name) else { return nil }
        guard let value = Bool(text) else {
            throw .command(.usage("\(name) takes true or false, not \(text)."))
        }
        return value
    }

    /// One of the values of an enumeration.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ arguments: Arguments,
        _ name: String,
        of type: Choice.Type = Choice.self
    ) throws(RequestFailure) -> Choice? {
        guard let text = try text(arguments, name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .command(.usage("\(name) takes \(choices), not \(text)."))
        }
        return choice
    }

    /// One of the values of an enumeration, or `none` for leaving the member out.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ arguments: Arguments,
        _ name: String,
        else value: Choice
    ) throws(RequestFailure) -> Choice? {
        guard try text(arguments, name) != "none" else { return nil }
        return try choice(arguments, name) ?? value
    }

    /// The environment variable that the option names; a secret must be there.
    ///
    /// What was given for the name may be the secret itself, so it is not repeated.
    static func secret(
        _ arguments: Arguments,
        _ name: String
    ) throws(RequestFailure) -> SensitiveBytes {
        let variable = try mandatory(arguments, name)
        guard let secret = EnvironmentVariable.read(variable) else {
            throw .command(.means("\(name) names no variable of the environment."))
        }
        return secret
    }

    /// The opened token and its order.
    static func opened(_ input: StepInput) throws(RequestFailure) -> (Payment, Order) {
        guard let payment = input.payment, let order = input.order else {
            throw .command(.usage("this step needs an opened token; give --keys."))
        }
        return (payment, order)
    }

    /// What the library says of the payment.
    static func said(
        _ request: () throws(PaymentTokenError) -> GatewayRequest
    ) throws(RequestFailure) -> GatewayRequest {
        do throws(PaymentTokenError) {
            return try request()
        } catch {
            throw .token(error)
        }
    }
}
