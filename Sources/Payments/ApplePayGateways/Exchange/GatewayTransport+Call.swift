package import ApplePayAcceptance
package import ApplePayTransport
internal import FoundationEssentials

extension GatewayTransport {
    /// Sends a call and those that follow from its answers, and returns the result.
    ///
    /// The result is unknown if a request that can move money may have been sent, and was not answered. It then
    /// contains the identifiers that earlier answers gave.
    ///
    /// - Throws: ``PaymentError``: the errors of ``GatewayCall/request(at:)``, and `gateway/not-sent`. Nothing that
    ///   can move money was sent then.
    package func outcome<Outcome>(
        of call: GatewayCall<Outcome>
    ) async throws(PaymentError) -> Outcome {
        try await outcome(of: call) { _ in nil }
    }

    /// Sends a call and those that follow from its answers, after the caller has recorded that money may move.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - prepare: Records it before each request that can move money, with the identifiers that earlier answers gave;
    ///     returns when the first byte of the request must have been sent. If it throws, the request is not sent.
    /// - Returns: As ``outcome(of:)``.
    /// - Throws: As ``outcome(of:)``, and the errors of `prepare`. Nothing that can move money was sent then.
    package func outcome<Outcome>(
        of call: GatewayCall<Outcome>,
        beforeMoney prepare: (PaymentAttempt?) async throws(PaymentError) ->
            ContinuousClock.Instant?
    ) async throws(PaymentError) -> Outcome {
        var call = call
        var mayHaveMovedMoney = false
        // No gateway needs more than eight; a limit ends a chain that a faulty conformance makes endless.
        for _ in 0..<16 {
            do throws(PaymentError) {
                let latestStart = call.canMoveMoney ? try await prepare(call.attempt) : nil
                var request = try call.request(at: Date())
                request.latestStart = latestStart
                if let latestStart, latestStart <= .now {
                    throw PaymentError.paused
                }
                let response = try await answer(to: request, call.canMoveMoney)
                mayHaveMovedMoney = mayHaveMovedMoney || call.canMoveMoney
                guard let response = response.answer else {
                    return call.unknown(ExactText(response.reason))
                }
                switch call.read(response) {
                case .outcome(let outcome): return outcome
                case .next(let next): call = next
                case .notSent(let error): throw error
                }
            } catch {
                guard mayHaveMovedMoney else { throw error }
                return call.unknown(
                    "The payment was sent, and a question about it failed: \(error.reason ?? "")")
            }
        }
        return call.unknown("The gateway's answers lead to more than 16 requests.")
    }

    /// Sends a request; returns the reason for a missing answer if it can have moved money.
    private func answer(
        to request: GatewayRequest, _ canMoveMoney: Bool
    ) async throws(PaymentError) -> (answer: GatewayResponse?, reason: String) {
        do {
            return (try await send(request), "")
        } catch {
            guard canMoveMoney, error.requestMayHaveReachedGateway else {
                throw PaymentError(.notSent, reason: error.reason)
            }
            return (nil, "\(error)")
        }
    }
}
