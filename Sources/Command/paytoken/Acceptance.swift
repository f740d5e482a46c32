internal import ApplePayLedger
internal import ApplePayToken

/// Decrypts tokens, and compares them with the order and claims them if the options request it.
struct Acceptance {
    static let options: [CommandOption] =
        StatedOrder.options + [
            .ledger.described(
                "claim the transaction, which can be done once, in a file or, if PostgreSQL was built in, "
                    + "at a postgresql:// URI")
        ]

    private let decryptor: PaymentTokenDecryptor
    private let stated: StatedOrder
    private let ledger: (location: LedgerLocation, ledger: any ReplayLedger)?

    /// Whether payments are claimed.
    var isClaiming: Bool { ledger != nil }

    init(_ arguments: Arguments, decryptor: PaymentTokenDecryptor) throws(CommandFailure) {
        self.decryptor = decryptor
        stated = try StatedOrder(arguments)
        if let location = arguments.text(.ledger) {
            let location = try LedgerLocation(location)
            ledger = (location, try location.open())
        } else {
            ledger = nil
        }
    }

    /// Decrypts a token and compares its payment with the order.
    ///
    /// - Parameters:
    ///   - text: The token's text.
    ///   - form: The accepted forms.
    ///   - agePolicy: When the token was received.
    ///   - order: The order that came with the token; nil to use the order of the options.
    /// - Returns: The payment, which is not claimed yet.
    /// - Throws: The `PaymentTokenError` of the first check that fails.
    func payment(
        _ text: [UInt8],
        form: TokenForm,
        agePolicy: AgePolicy,
        order: Order? = nil
    ) throws(PaymentTokenError) -> Payment {
        let payment = try decryptor.decrypt(text, form: form, agePolicy: agePolicy)
        if let order {
            try order.check(payment)
        } else if stated.isStated {
            try stated.order(for: payment).check(payment)
        }
        return payment
    }

    /// Claims payments in a single call of the ledger.
    ///
    /// - Parameter payments: The payments.
    /// - Returns: One result per payment, in order: its claim, nil without a ledger, or the ledger's error.
    func claims(_ payments: [Payment]) -> [Result<UnwrittenClaim?, PaymentTokenError>] {
        guard let (location, ledger) = self.ledger else {
            return payments.map { _ in .success(nil) }
        }
        let requests = payments.map { ClaimRequest($0) }
        return zip(payments, waiting { await ledger.claim(requests) }).map { payment, result in
            result.map { UnwrittenClaim($0, in: ledger, at: location) }.mapError {
                PaymentTokenError($0).about(payment.token.identity)
            }
        }
    }
}
