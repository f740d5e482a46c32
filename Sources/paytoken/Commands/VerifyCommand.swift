internal import ApplePayToken

/// `paytoken verify`: signature, chain and signing time; needs no key.
struct VerifyCommand {
    private let options: TokenOptions
    private let verifier: PaymentTokenVerifier
    private let batch: Batch?

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words, options: TokenOptions.options.union(Batch.options),
            flags: TokenOptions.flags.union(Batch.flags))
        options = try TokenOptions(arguments, path: arguments.token())
        batch = try Batch(arguments, path: options.path)
        verifier = try options.verifier()
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch { return try batch.run(answer) }
        let text = try options.text()
        do throws(PaymentTokenError) {
            let token = try verifier.verify(
                PaymentToken(parsing: text, form: options.form), agePolicy: options.agePolicy)
            return Answer.accepted(token, payment: nil, isRevealed: false).write() ? .done : .means
        } catch {
            return Answer.refused(error).write() ? .refused : .means
        }
    }

    private func answer(_ line: BatchLine) -> BatchAnswer {
        do throws(PaymentTokenError) {
            let token = try verifier.verify(
                PaymentToken(parsing: line.token, form: options.form),
                agePolicy: line.receipt ?? options.agePolicy)
            return BatchAnswer(
                .accepted(id: line.id, token, payment: nil, isRevealed: false),
                isRefused: false)
        } catch {
            return .refused(line, error)
        }
    }
}
