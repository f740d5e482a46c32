/// Converts tokens to payments that may be charged: verifies, decrypts, compares and claims, in that order.
///
/// ```swift
/// let ledger = try await FileLedger("/var/lib/shop/ledger")
/// let acceptor = try PaymentAcceptor(decryptor: decryptor, ledger: ledger)
/// let accepted = try await acceptor.accept(body, order: order)
/// let signed = try await accepted.prepare { payment throws(PaymentTokenError) in
///     let request = try WorldlineDirect.createPayment(payment, order: order, account: account)
///     return try Worldline.authorize(request, credentials, date: Date())
/// }
/// send(signed)
/// try await accepted.confirm()
/// ```
public struct PaymentAcceptor: Sendable {
    private let decryptor: PaymentTokenDecryptor
    private let ledger: any ReplayLedger

    /// Creates an acceptor.
    ///
    /// - Parameters:
    ///   - decryptor: Verifies and decrypts tokens.
    ///   - ledger: Remembers claimed transactions.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the
    ///   decryptor still accepts.
    public init(
        decryptor: PaymentTokenDecryptor,
        ledger: any ReplayLedger
    ) throws(LedgerError) {
        guard decryptor.verifier.window.maximumAge <= ledger.window else {
            throw LedgerError(.windowTooWide)
        }
        self.decryptor = decryptor
        self.ledger = ledger
    }

    /// Accepts a token as the payment of an order.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB, in an array, `Data` or a similar collection, or a document
    ///     that `TokenForm` allows around it.
    ///   - form: The accepted forms.
    ///   - agePolicy: When the token was received; the current time by default. A claim with a stated time or `anyAge`
    ///     is never forgotten, but an earlier claim of the transaction may have been: see ``ReplayLedger``.
    ///   - order: The order that the customer was shown.
    /// - Returns: The payment, claimed.
    /// - Throws: `PaymentTokenError` of the first stage that fails, `json` to `replay`. The caller then does not own a
    ///   claim, also if the task was cancelled, see ``ReplayLedger``.
    ///
    /// Source: Apple, *Payment token format reference*.
    public func accept(
        _ text: some Sequence<UInt8>,
        form: TokenForm = .any,
        agePolicy: AgePolicy = .now,
        order: Order
    ) async throws(PaymentTokenError) -> AcceptedPayment {
        let observation = decryptor.verifier.observer.map {
            TokenObservation(of: .json, for: $0)
        }
        do {
            let payment = try decryptor.decrypt(
                text, form: form, agePolicy: agePolicy, observation)
            observation?.begin(.order)
            try order.check(payment)
            observation?.begin(.replay)
            let claim = try await ledger.claim(payment)
            observation?.end()
            return AcceptedPayment(payment: payment, claim: claim, ledger: ledger)
        } catch {
            observation?.end(refusal: error.code)
            throw error
        }
    }
}

extension PaymentAcceptor: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentAcceptor" }

    /// A mirror without children, so that dumps do not include keys and certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
