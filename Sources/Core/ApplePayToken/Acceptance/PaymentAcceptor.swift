/// Converts tokens to payments that may be charged: verifies, decrypts, compares and claims, in that order.
///
/// No call blocks the caller's thread: devices and ledgers that store something are waited for on other threads.
///
/// ```swift
/// let acceptor = try PaymentAcceptor(decryptor: decryptor, ledger: ledger)  // once, at start-up
/// let accepted = try await acceptor.accept(body, order: order)
/// ```
public struct PaymentAcceptor: Sendable {
    private let verifier: PaymentTokenVerifier
    private let decryptor: PaymentTokenDecryptor?
    private let ledger: any ReplayLedger

    /// Creates an acceptor that decrypts tokens.
    ///
    /// - Parameters:
    ///   - decryptor: Verifies and decrypts tokens.
    ///   - ledger: Remembers claimed transactions.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the
    ///   decryptor still accepts.
    public init(decryptor: PaymentTokenDecryptor, ledger: any ReplayLedger) throws(LedgerError) {
        try self.init(decryptor.verifier, decryptor, ledger)
    }

    /// Creates an acceptor without a key, for a gateway that decrypts the tokens.
    ///
    /// The amount that the customer confirmed is then not known: ``AcceptedPayment/isAmountSigned`` is false. The
    /// transactionId is claimed although it is not proven before decryption: that stops a token that is sent twice, and
    /// a token with a changed transactionId opens at no gateway.
    ///
    /// - Parameters:
    ///   - verifier: Verifies tokens.
    ///   - ledger: Remembers claimed transactions.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the
    ///   verifier still accepts.
    public init(verifier: PaymentTokenVerifier, ledger: any ReplayLedger) throws(LedgerError) {
        try self.init(verifier, nil, ledger)
    }

    private init(
        _ verifier: PaymentTokenVerifier,
        _ decryptor: PaymentTokenDecryptor?,
        _ ledger: any ReplayLedger
    ) throws(LedgerError) {
        guard verifier.window.maximumAge <= ledger.window else { throw LedgerError(.windowTooWide) }
        self.verifier = verifier
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
    ///   - slot: 1, plus the number of payments of the order that the gateway itself stated as refused or returned; see
    ///     ``PaymentAttempt``.
    /// - Returns: The payment, claimed.
    /// - Throws: `PaymentTokenError`: `order` with code `invalid-reference`, then that of the first stage that fails,
    ///   `json` to `replay`. The caller then does not own a claim, also if the task was cancelled, see
    ///   ``ReplayLedger``.
    ///
    /// Source: Apple, *Payment token format reference*.
    public func accept(
        _ text: some Sequence<UInt8>,
        form: TokenForm = .any,
        agePolicy: AgePolicy = .now,
        order: Order,
        slot: Int = 1
    ) async throws(PaymentTokenError) -> AcceptedPayment {
        let attempt = try PaymentAttempt(order, slot: slot)
        return try await accept(text, form, agePolicy, order) {
            opened throws(PaymentTokenError) in
            let claim = try await ledger.accept(opened.request)
            return AcceptedPayment(order, attempt, opened, claim, in: ledger)
        }
    }

    /// Verifies a token, decrypts it, compares it with the order, and lets the caller claim it.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON.
    ///   - form: The accepted forms.
    ///   - agePolicy: When the token was received.
    ///   - order: The order that the customer was shown.
    ///   - claim: Claims the token, with what was learned about it.
    /// - Returns: What `claim` returned.
    /// - Throws: `PaymentTokenError`: that of the first stage that fails, `json` to `order`, then that of `claim`.
    package func accept<Output>(
        _ text: some Sequence<UInt8>, _ form: TokenForm, _ agePolicy: AgePolicy, _ order: Order,
        claim: (OpenedToken) async throws(PaymentTokenError) -> Output
    ) async throws(PaymentTokenError) -> Output {
        let observation = verifier.observer.map { TokenObservation(of: .json, for: $0) }
        var token: VerifiedToken?
        do throws(PaymentTokenError) {
            let opened: OpenedToken
            if let decryptor {
                let payment = try await decryptor.decrypt(
                    text, form: form, agePolicy: agePolicy, observation)
                observation?.begin(.order)
                try order.check(payment)
                opened = OpenedToken(
                    token: payment.token, payment: payment, request: ClaimRequest(payment))
            } else {
                let parsed = try PaymentToken(parsing: text, form: form)
                observation?.begin(.cms)
                let token = try verifier.verify(parsed, agePolicy: agePolicy, observation)
                opened = OpenedToken(
                    token: token, payment: nil, request: ClaimRequest(unproven: token))
            }
            token = opened.token
            observation?.begin(.replay)
            let output = try await claim(opened)
            observation?.end()
            return output
        } catch {
            observation?.end(refusal: error)
            throw token.map { error.about($0.identity) } ?? error
        }
    }
}

/// A token that was verified, decrypted unless the gateway does it, and compared with its order, but not yet claimed.
package struct OpenedToken: Sendable {
    /// The verified token.
    package let token: VerifiedToken
    /// The decrypted payment; nil if the gateway has the key.
    package let payment: Payment?
    /// The claim of its transaction.
    package let request: ClaimRequest
}

extension PaymentAcceptor: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentAcceptor" }

    /// A mirror without children, so that dumps do not include keys and certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
