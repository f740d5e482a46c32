internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken decrypt`: the payment data as JSON, masked unless `--reveal`.
struct DecryptCommand {
    private let options: TokenOptions
    private let isRevealed: Bool
    private let acceptance: Acceptance
    private let batch: Batch?

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words,
            options: TokenOptions.options.union(TokenOptions.keyOptions).union(Acceptance.options)
                .union(Batch.options),
            flags: TokenOptions.flags.union(Batch.flags).union(["--reveal"])
        )
        options = try TokenOptions(arguments, path: arguments.token())
        isRevealed = arguments.has("--reveal")
        batch = try Batch(arguments, path: options.path)
        acceptance = try Acceptance(arguments, decryptor: try options.decryptor(arguments))
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch { return try batch.run(answer) }
        let text = try options.text()
        // Before a claim is made, a signal can end the process at once.
        guard !acceptance.isClaiming || Interruption.postpone() else { return .interrupted }
        do throws(PaymentTokenError) {
            let (payment, claim) = try acceptance.accept(
                text, form: options.form, agePolicy: options.agePolicy)
            guard Interruption.signal == nil else {
                claim?.release()
                return .interrupted
            }
            let answer = Answer.accepted(payment.token, payment: payment, isRevealed: isRevealed)
            return answer.write(claim) ? .done : .means
        } catch {
            return Answer.refused(error).write() ? .refused : .means
        }
    }

    private func answer(_ line: BatchLine) -> BatchAnswer {
        do throws(PaymentTokenError) {
            let (payment, claim) = try acceptance.accept(
                line.token, form: options.form, agePolicy: line.receipt ?? options.agePolicy,
                order: line.order)
            let answer = Answer.accepted(
                id: line.id, payment.token, payment: payment, isRevealed: isRevealed)
            return BatchAnswer(answer, isRefused: false, claim: claim)
        } catch {
            return .refused(line, error)
        }
    }
}
