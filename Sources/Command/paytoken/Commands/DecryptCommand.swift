internal import ApplePayAcceptance
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms

extension CommandOption {
    static let reveal = flag("--reveal", "show the account number and the cryptogram")
}

/// `paytoken decrypt`: writes the payment data as JSON, masked unless `--reveal` is given.
struct DecryptCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.keys.mandatory] + KeyOptions.reading + [.reveal] + TokenOptions.options
        + StatedOrder.options + [Acceptance.ledger] + Batch.options

    private let options: TokenOptions
    private let isRevealed: Bool
    private let order: StatedOrder
    private let acceptance: Acceptance
    private let batch: Batch?

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        isRevealed = arguments.has(.reveal)
        batch = try Batch(arguments, path: options.path)
        guard batch == nil || !arguments.has(.ledger) else {
            throw .usage(
                "a batch claims nothing, because its answers are written later; leave out \(CommandOption.ledger), or "
                    + "decrypt each token by itself.")
        }
        order = try StatedOrder(arguments)
        acceptance = try Acceptance(arguments, options)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        try options.answer(batch, answer)
    }

    private func answer(_ text: [UInt8]) throws(PaymentError) -> JSONLine {
        let payment = try acceptance.accept(text, options) { payment throws(PaymentError) in
            try order.check(payment)
            return payment
        }
        return .decrypted(payment, isRevealed: isRevealed, isClaimed: acceptance.isClaiming)
    }
}
