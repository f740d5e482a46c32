internal import ApplePayAcceptance
internal import ApplePayLedger
internal import ApplePayWire

/// Verifies tokens, decrypts them unless the gateway does it, and compares them with their orders.
struct TokenOpener: Sendable {
    private let verifier: PaymentTokenVerifier
    private let decryptor: PaymentTokenDecryptor?

    /// Creates an opener for a ledger.
    ///
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that are still accepted.
    init(
        _ verifier: PaymentTokenVerifier, _ decryptor: PaymentTokenDecryptor?,
        for ledger: any ReplayLedger
    ) throws(LedgerError) {
        try Retention(window: ledger.window).check(window: verifier.window.maximumAge)
        self.verifier = verifier
        self.decryptor = decryptor
    }

    /// Opens a token.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON.
    ///   - form: The accepted forms.
    ///   - agePolicy: When the token was received.
    ///   - order: The order that the customer was shown.
    /// - Returns: The token, with its payment if it was decrypted.
    /// - Throws: ``PaymentError``: that of the token, then `order`.
    func open(
        _ text: some Sequence<UInt8>, _ form: TokenForm, _ agePolicy: AgePolicy, _ order: Order
    ) async throws(PaymentError) -> OpenedToken {
        guard let decryptor else {
            let token = try PaymentError.ofToken { () throws(PaymentTokenError) in
                try verifier.verify(text, form: form, agePolicy: agePolicy)
            }
            return OpenedToken(token: token, payment: nil, request: ClaimRequest(unproven: token))
        }
        let payment: Payment
        do throws(PaymentTokenError) {
            payment = try await decryptor.decryptWithoutBlocking(
                text, form: form, agePolicy: agePolicy)
        } catch {
            throw .token(error)
        }
        try order.check(payment)
        return OpenedToken(
            token: payment.token, payment: payment, request: ClaimRequest(payment))
    }
}

/// A token that was verified, decrypted unless the gateway does it, and compared with its order, but not yet claimed.
///
/// It is a class, because its parts are many, and a payment passes it on often.
final class OpenedToken: Sendable {
    /// The verified token.
    let token: VerifiedToken
    /// The decrypted payment; nil if the gateway has the key.
    let payment: Payment?
    /// The claim of its transaction; without a key its transactionId is not proven, which stops a token that is sent twice, and
    /// a token with a changed transactionId opens at no gateway.
    let request: ClaimRequest

    init(token: VerifiedToken, payment: Payment?, request: ClaimRequest) {
        self.token = token
        self.payment = payment
        self.request = request
    }
}
