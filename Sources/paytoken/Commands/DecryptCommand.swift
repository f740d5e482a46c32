internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let reveal = flag("--reveal", "show account number and cryptogram")
}

/// `paytoken decrypt`: writes the payment data as JSON, masked unless `--reveal` is given.
struct DecryptCommand: OptionCommand {
    static let options: [CommandOption] =
        [.keys.mandatory] + KeyOptions.options.dropFirst() + [.reveal] + TokenOptions.options
        + Acceptance.options + Batch.options

    private let options: TokenOptions
    private let isRevealed: Bool
    private let acceptance: Acceptance
    private let batch: Batch?

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        isRevealed = arguments.has(.reveal)
        batch = try Batch(arguments, path: options.path)
        acceptance = try Acceptance(arguments, decryptor: try options.decryptor(arguments))
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch { return try batch.run(answer) }
        let text = try options.text()
        // Before a claim is made, a signal can end the process immediately.
        guard !acceptance.isClaiming || Interruption.postpone() else { return .interrupted }
        let (payment, claim) = try refusing(
            try acceptance.accept(text, form: options.form, agePolicy: options.agePolicy))
        guard Interruption.signal == nil else {
            claim?.release()
            return .interrupted
        }
        let answer = Answer.accepted(payment.token, payment: payment, isRevealed: isRevealed)
        return answer.write(claim) ? .done : .means
    }

    private func answer(_ line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        let (payment, claim) = try refusing(
            try acceptance.accept(
                line.token, form: options.form, agePolicy: line.receipt ?? options.agePolicy,
                order: line.order))
        let answer = Answer.accepted(
            id: line.id, payment.token, payment: payment, isRevealed: isRevealed)
        return BatchAnswer(answer, isRefused: false, claim: claim)
    }
}
