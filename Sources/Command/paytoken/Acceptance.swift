internal import ApplePayAcceptance
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayPrograms

/// Decrypts tokens, and claims their transactions if the options request it.
struct Acceptance {
    /// The ledger in which the transaction is claimed.
    static let ledger = CommandOption.ledger.described(
        "claim the transaction, which is final, in a file or, if PostgreSQL was built in, at a "
            + "postgresql:// URI")

    private let decryptor: PaymentTokenDecryptor
    private let ledger: (any ReplayLedger)?

    /// Whether transactions are claimed.
    var isClaiming: Bool { ledger != nil }

    init(_ arguments: Arguments, _ options: TokenOptions) throws(CommandFailure) {
        decryptor = try options.decryptor(arguments)
        ledger = try arguments.text(.ledger).map { text throws(CommandFailure) in
            try LedgerLocation(text).open()
        }
    }

    /// Decrypts a token, makes something of its payment, and claims its transaction.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - options: The accepted forms, and when the token was received.
    ///   - work: Judges the payment, and makes something of it; if it throws, nothing is claimed.
    /// - Returns: What `work` returned.
    /// - Throws: The refusal by the first check that fails.
    func accept<Output>(
        _ text: [UInt8], _ options: TokenOptions,
        _ work: (Payment) throws(PaymentError) -> Output
    ) throws(PaymentError) -> Output {
        let payment = try PaymentError.ofToken { () throws(PaymentTokenError) in
            try decryptor.decrypt(text, form: options.form, agePolicy: options.agePolicy)
        }
        do throws(PaymentError) {
            let output = try work(payment)
            try claim(payment)
            return output
        } catch {
            throw error.about(payment.token.identity)
        }
    }

    private func claim(_ payment: Payment) throws(PaymentError) {
        guard let ledger else { return }
        do throws(LedgerError) {
            try waiting { () async throws(LedgerError) in _ = try await ledger.claim(payment) }
        } catch {
            throw PaymentError(error)
        }
    }
}
