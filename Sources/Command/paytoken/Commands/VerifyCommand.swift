internal import ApplePayAcceptance
internal import ApplePayOrderPrograms
internal import ApplePayPrograms

/// `paytoken verify`: verifies signature, chain and signing time without any key.
struct VerifyCommand: PreparedCommand {
    static let options = TokenOptions.options + Batch.options

    private let options: TokenOptions
    private let verifier: PaymentTokenVerifier
    private let batch: Batch?

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        batch = try Batch(arguments, path: options.path)
        verifier = try options.verifier()
    }

    func run() throws(CommandFailure) -> ExitStatus {
        try options.answer(batch, answer)
    }

    private func answer(_ text: [UInt8]) throws(PaymentError) -> JSONLine {
        let token = try PaymentError.ofToken { () throws(PaymentTokenError) in
            try verifier.verify(text, form: options.form, agePolicy: options.agePolicy)
        }
        return .verified(token)
    }
}
