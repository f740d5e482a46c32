internal import ApplePayToken

/// `paytoken verify`: signature, chain and signing time; needs no key.
struct VerifyCommand {
    private let options: TokenOptions
    private let verifier: PaymentTokenVerifier

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words, options: TokenOptions.options, flags: TokenOptions.flags)
        options = try TokenOptions(arguments, path: arguments.token())
        verifier = try options.verifier()
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let text = try options.text()
        do throws(PaymentTokenError) {
            let token = try verifier.verify(
                PaymentToken(parsing: text, form: options.form), agePolicy: options.agePolicy)
            return Answer.accepted(token, payment: nil, isRevealed: false).write() ? .done : .means
        } catch {
            return Answer.refused(error).write() ? .refused : .means
        }
    }
}
