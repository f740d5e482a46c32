internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// Options that steps without an opened token share.
extension RequestOption {
    /// The order of `--amount` and `--currency`, which no opened token can stand in for.
    static func statedOrder(_ arguments: Arguments) throws(RequestFailure) -> Order {
        if let path = try text(arguments, "--order") {
            do throws(CommandFailure) {
                return try OrderFile.order(path)
            } catch {
                throw .command(error)
            }
        }
        guard let amount = try number(arguments, "--amount"),
            let currency = try currency(arguments)
        else { throw .command(.usage("this step needs --amount and --currency, or --order.")) }
        return Order(amount: amount, currency: currency)
    }

    /// The order that the token was compared with, or the one of the options for a closed token.
    static func order(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(RequestFailure) -> Order {
        if let order = input.order { return order }
        return try statedOrder(arguments)
    }

    /// `--currency`.
    static func currency(_ arguments: Arguments) throws(RequestFailure) -> Currency? {
        guard let code = try text(arguments, "--currency") else { return nil }
        guard let currency = Currency(alphabetic: code) else {
            throw .command(.usage("--currency takes an ISO 4217 code such as EUR, not \(code)."))
        }
        return currency
    }

    /// A whole number of 0 or more.
    static func number(_ arguments: Arguments, _ name: String) throws(RequestFailure) -> Int64? {
        do throws(CommandFailure) {
            return try arguments.number(name)
        } catch {
            throw .command(error)
        }
    }

    /// The verified token of `--encrypted`.
    static func verified(_ input: StepInput) throws(RequestFailure) -> VerifiedToken {
        guard let token = input.token else {
            throw .command(.usage("this step needs a verified token; give --encrypted."))
        }
        return token
    }

    /// What a file holds, at most 1 MiB: a gateway's answer to the step before.
    static func answer(
        _ arguments: Arguments,
        _ name: String
    ) throws(RequestFailure) -> GatewayResponse {
        let path = try mandatory(arguments, name)
        do throws(FileError) {
            return GatewayResponse(
                status: 200, body: try FileContents.read(path, limit: 1 << 20).array())
        } catch {
            throw .command(.means("\(error)."))
        }
    }
}
