internal import ApplePayLedger
internal import ApplePayToken
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
        guard verifier.window.maximumAge <= ledger.window else { throw LedgerError(.windowTooWide) }
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
    /// - Returns: What was learned about the token; its observation goes on with `replay`.
    /// - Throws: `PaymentTokenError`: that of the first stage that fails, `json` to `order`.
    func open(
        _ text: some Sequence<UInt8>, _ form: TokenForm, _ agePolicy: AgePolicy, _ order: Order
    ) async throws(PaymentTokenError) -> OpenedToken {
        let observation = verifier.observer.map { TokenObservation(of: .json, for: $0) }
        do throws(PaymentTokenError) {
            guard let decryptor else {
                let parsed = try PaymentToken(parsing: text, form: form)
                observation?.begin(.cms)
                let token = try verifier.verify(parsed, agePolicy: agePolicy, observation)
                observation?.begin(.replay)
                return OpenedToken(
                    token: token, payment: nil, request: ClaimRequest(unproven: token),
                    observation: observation)
            }
            let payment = try await decryptor.decrypt(
                text, form: form, agePolicy: agePolicy, observation)
            observation?.begin(.order)
            do throws(PaymentTokenError) {
                try order.check(payment)
            } catch {
                throw error.about(payment.token.identity)
            }
            observation?.begin(.replay)
            return OpenedToken(
                token: payment.token, payment: payment, request: ClaimRequest(payment),
                observation: observation)
        } catch {
            observation?.end(refusal: error)
            throw error
        }
    }
}

/// A token that was verified, decrypted unless the gateway does it, and compared with its order, but not yet claimed.
struct OpenedToken {
    /// The verified token.
    let token: VerifiedToken
    /// The decrypted payment; nil if the gateway has the key.
    let payment: Payment?
    /// The claim of its transaction; without a key its transactionId is not proven, which stops a token that is sent twice, and
    /// a token with a changed transactionId opens at no gateway.
    let request: ClaimRequest
    /// Measures the claim; nil without an observer.
    let observation: TokenObservation?
}
