internal import ApplePayToken

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
        if let batch { return try batch.run(answer) }
        let token = try options.judging { text throws(CommandFailure) in
            try verify(text, options.agePolicy)
        }
        return JSONLine.verified(token).write() ? .done : .means
    }

    private func answer(_ line: BatchLine) throws(CommandFailure) -> BatchAnswer {
        if line.order != nil || line.reference != nil {
            // The amount that the customer confirmed is encrypted.
            throw .envelope(
                id: line.id, member: line.order == nil ? "reference" : "order",
                "is compared only by decrypt; leave it out")
        }
        let token = try verify(line.token, line.receipt ?? options.agePolicy)
        return BatchAnswer(answer: .verified(token, id: line.id))
    }

    private func verify(
        _ text: [UInt8],
        _ agePolicy: AgePolicy
    ) throws(CommandFailure) -> VerifiedToken {
        try refusing(
            try verifier.verify(
                try PaymentToken(parsing: text, form: options.form), agePolicy: agePolicy))
    }
}
