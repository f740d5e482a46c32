internal import ApplePayToken

/// `paytoken decrypt`: the payment data as JSON, masked unless `--reveal`.
struct DecryptCommand {
    private let options: TokenOptions
    private let isRevealed: Bool
    private let decryptor: PaymentTokenDecryptor

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words,
            options: TokenOptions.options.union(TokenOptions.keyOptions),
            flags: TokenOptions.flags.union(["--reveal"])
        )
        options = try TokenOptions(arguments, path: arguments.token())
        isRevealed = arguments.has("--reveal")
        decryptor = try options.decryptor(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let text = try options.text()
        do throws(PaymentTokenError) {
            let payment = try decryptor.decrypt(
                text, form: options.form, agePolicy: options.agePolicy)
            return Answer.accepted(payment.token, payment: payment, isRevealed: isRevealed).write()
                ? .done : .means
        } catch {
            return Answer.refused(error).write() ? .refused : .means
        }
    }
}
