internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let reveal = flag("--reveal", "show the account number and the cryptogram")
}

/// `paytoken decrypt`: writes the payment data as JSON, masked unless `--reveal` is given.
struct DecryptCommand: PreparedCommand {
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
        if let batch { return try batch.run(partCount: acceptance.isClaiming ? 64 : 16, answers) }
        let accepted = try options.judging { text throws(CommandFailure) in try accept(text) }
        guard let (payment, claim) = accepted else { return .interrupted }
        guard Interruption.signal == nil else {
            UnwrittenClaim.release([claim].compactMap(\.self))
            return .interrupted
        }
        let answer = JSONLine.decrypted(payment, isRevealed: isRevealed, claim: claim)
        return answer.write(claim) ? .done : .means
    }

    /// Decrypts and claims a token; returns nil if a signal came before the claim.
    private func accept(
        _ text: [UInt8]
    ) throws(CommandFailure) -> (payment: Payment, claim: UnwrittenClaim?)? {
        // Before a claim is made, a signal can end the process immediately.
        guard !acceptance.isClaiming || Interruption.postpone() else { return nil }
        let payment = try refusing(
            try acceptance.payment(text, form: options.form, agePolicy: options.agePolicy))
        return (payment, try refusing(try acceptance.claims([payment])[0].get()))
    }

    /// Returns the answers to the lines of a part, whose payments are claimed together; only to the first of them if a
    /// signal came.
    private func answers(_ lines: [BatchLine]) -> [Result<BatchAnswer, CommandFailure>] {
        var payments: [Result<Payment, PaymentTokenError>] = []
        for line in lines {
            guard !Interruption.isWorkOver else { break }
            payments.append(
                Result { () throws(PaymentTokenError) in
                    try acceptance.payment(
                        line.token, form: options.form,
                        agePolicy: line.receipt ?? options.agePolicy, order: line.order)
                })
        }
        var claims = acceptance.claims(payments.compactMap { try? $0.get() })[...]
        return zip(lines, payments).map { line, payment in
            payment.flatMap { payment in
                (claims.popFirst() ?? .success(nil)).map { claim in
                    BatchAnswer(
                        answer: .decrypted(
                            payment, id: line.id, isRevealed: isRevealed, claim: claim),
                        claim: claim)
                }
            }.mapError { CommandFailure.refused($0) }
        }
    }
}
