internal import ApplePayLedger
internal import ApplePayToken

/// Opens tokens; compares them with the order and claims them where the options say so.
struct Acceptance {
    static let options: [CommandOption] =
        StatedOrder.options + [
            .ledger.described(
                "claim the transaction, once for all, in a folder or, where PostgreSQL was built in, a "
                    + "postgresql:// URI")
        ]

    private let decryptor: PaymentTokenDecryptor
    private let stated: StatedOrder
    private let ledger: (any ReplayLedger)?

    /// Whether payments are claimed.
    var isClaiming: Bool { ledger != nil }

    init(_ arguments: Arguments, decryptor: PaymentTokenDecryptor) throws(CommandFailure) {
        self.decryptor = decryptor
        stated = try StatedOrder(arguments)
        if let location = arguments.text(.ledger) {
            ledger = try LedgerLocation(location).open()
        } else {
            ledger = nil
        }
    }

    /// Opens a token, compares it and claims it, in that order.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - form: The forms that are accepted.
    ///   - agePolicy: When the token was received.
    ///   - order: The order, where it came with the token; otherwise the options' one.
    /// - Returns: The payment, and its claim if there is a ledger.
    /// - Throws: `PaymentTokenError`, the first check to fail; nothing is claimed then.
    func accept(
        _ text: [UInt8],
        form: TokenForm,
        agePolicy: AgePolicy,
        order: Order? = nil
    ) throws(PaymentTokenError) -> (payment: Payment, claim: AnswerClaim?) {
        let check = { (payment: Payment) throws(PaymentTokenError) in
            if let order {
                try order.check(payment)
            } else if stated.isStated {
                try stated.order(for: payment).check(payment)
            }
        }
        guard let ledger else {
            let payment = try decryptor.decrypt(text, form: form, agePolicy: agePolicy)
            try check(payment)
            return (payment, nil)
        }
        let acceptor: PaymentAcceptor
        do throws(LedgerError) {
            acceptor = try PaymentAcceptor(decryptor: decryptor, ledger: ledger)
        } catch {
            throw PaymentTokenError(error)
        }
        let claimed = try acceptor.accept(
            text, form: form, agePolicy: agePolicy, check: check)
        return (claimed.payment, AnswerClaim(claimed.claim, in: ledger))
    }
}
