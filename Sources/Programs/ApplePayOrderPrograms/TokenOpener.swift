package import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayLedger
package import ApplePayOrders
package import ApplePayPrograms

/// Verifies tokens, and decrypts them if the merchant has the key.
package enum TokenOpener: Sendable {
    /// Verifies the signature alone.
    case verifier(PaymentTokenVerifier)
    /// Verifies and decrypts.
    case decryptor(PaymentTokenDecryptor)

    /// Reads the keys; none are needed for a gateway that gets the token encrypted.
    package init(
        _ form: GatewayAbilities.Form, _ arguments: Arguments, _ options: TokenOptions
    ) throws(CommandFailure) {
        self =
            form == .encrypted && !arguments.hasAny(KeyOptions.options)
            ? .verifier(try options.verifier()) : .decryptor(try options.decryptor(arguments))
    }

    /// Returns the payments with such tokens at a gateway.
    ///
    /// - Throws: `LedgerError` if the ledger forgets transactions before their tokens are too old.
    package func payments(
        in ledger: any AttemptLedger, at gateway: any PaymentGateway,
        over transport: any GatewayTransport
    ) throws(LedgerError) -> OrderPayments {
        switch self {
        case .verifier(let verifier):
            try OrderPayments(
                verifier: verifier, ledger: ledger, gateway: gateway, transport: transport)
        case .decryptor(let decryptor):
            try OrderPayments(
                decryptor: decryptor, ledger: ledger, gateway: gateway, transport: transport)
        }
    }

    /// Warns if tokens are not decrypted, so that their amounts and currencies are not compared with the order.
    package func warn() {
        guard case .verifier = self else { return }
        Notice.write(
            "warning: without \(CommandOption.keys) the token is not decrypted, so its amount and currency are "
                + "not compared with the order, and its transactionId is not proven.")
    }
}
