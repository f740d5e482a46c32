public import ApplePayAcceptance
internal import ApplePayPrimitives

extension Dintero {
    /// Creates the request of a payment that the merchant begins with a stored card, after a login unless there is an access
    /// token: `POST /v1/sessions/pay`, which creates a session and pays it.
    ///
    /// The session is not known before money moves, so the attempt's mark is sent as `merchant_reference_2`, which the transaction
    /// repeats. Dintero refuses the request if a session with the reference was authorized (`strict-success-merchant-reference`).
    ///
    /// Errors: those of ``check(_:attempt:)``, then those of the credentials.
    ///
    /// Source: Dintero, *Tokenization and MIT* (Apple Pay, 2026-11-29); the Node SDK, `checkout_session_pay_post`. Its types list
    /// `dintero_psp.applepay` neither among the tokens of a session nor among these payments; only the page does.
    public func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        let request = try cardRequest(card, order, attempt)
        return try credentials.call(
            attempt, at: self, login: loginRequest,
            { token throws(PaymentError) in
                call(attempt, try Self.authorize(request, token), canMoveMoney: true) { response in
                    .outcome(outcome(Self.cardReport(response), of: attempt))
                }
            })
    }

    /// Returns the request without the access token.
    package func cardRequest(
        _ card: PaymentReport.Card, _ order: Order, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        try check(order, attempt: attempt)
        let body = JSONBody.object { body in
            body.object("session") { body in
                if let address = order.notificationURL {
                    body.object("url") { $0.string("callback_url", address) }
                }
                body.object("order") { body in
                    Self.write(order, attempt, into: &body)
                    body.string("merchant_reference_2", attempt.mark)
                }
                body.object("customer") { body in
                    body.object("tokens") { body in
                        body.object(Self.paymentProduct) {
                            $0.string("payment_token", card.identifier)
                        }
                    }
                }
            }
            body.object("payment") { body in
                body.string("payment_product_type", Self.paymentProduct)
                body.string("operation", "unscheduled_purchase")
            }
        }
        let headers = [
            .contentType(),
            GatewayHeader("Dintero-Feature-Toggles", "strict-success-merchant-reference"),
        ]
        return GatewayRequest(origin, "/v1/sessions/pay", headers: headers, body: body)
    }
}
