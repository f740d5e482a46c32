internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension SensitiveBytes {
    /// The value of a mandatory secret before a file is read.
    static var unset: SensitiveBytes {
        let none: [UInt8] = []
        return SensitiveBytes(copying: none.span)
    }
}

extension GatewayStep {
    /// Declares the payment at a gateway that charges with one request.
    static func payment(
        _ help: String,
        gateway: @escaping @Sendable (Account, StepInput) -> any PaymentGateway,
        takes: [StepInput.Part] = [.key],
        report: @escaping @Sendable (Account, GatewayResponse) -> PaymentReport
    ) -> GatewayStep {
        GatewayStep(
            "payment", help, needs: [.token, .order], takes: takes,
            request: { account, input throws(PaymentTokenError) in
                guard let payment = input.payment else {
                    throw .gateway(.tokenNotDecrypted, "token")
                }
                return try gateway(account, input).payment(payment).request(at: input.date)
            },
            reader: { account in .payment { response, _ in report(account, response) } })
    }

    /// Declares a harmless query for the state of a payment.
    static func query(
        _ name: String,
        _ help: String,
        _ part: StepInput.Part?,
        needs: [StepInput.Part] = [],
        takes: [StepInput.Part] = [],
        gateway: @escaping @Sendable (Account, StepInput) -> any PaymentGateway,
        report: @escaping @Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport
    ) -> GatewayStep {
        GatewayStep(
            name, help, needs: [.order] + (part.map { [$0] } ?? []) + needs, takes: takes,
            reader: .payment(report)
        ) { account, input throws(PaymentTokenError) in
            let call = try gateway(account, input).status(of: input.attempted())
            return try call.request(at: input.date)
        }
    }
}
