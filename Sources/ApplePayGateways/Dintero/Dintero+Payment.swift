public import ApplePayToken

extension Dintero {
    /// Step 2: asks where the token goes, `POST /v1/view/{session_id}/payments/dintero_psp.applepay`.
    ///
    /// The page sends no body; the vendor's example sends `{}` and `force_new=true`. Both forms are
    /// there, the page's by default.
    ///
    /// - Parameters:
    ///   - sessionId: The session.
    ///   - forceNew: Whether `force_new=true` is sent.
    ///   - sendsEmptyObject: Whether the body is `{}`, with its content type.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without credentials.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for a `session_id` that is not a segment of a path.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public static func operations(
        sessionId: String,
        forceNew: Bool = false,
        sendsEmptyObject: Bool = false,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let session = try PathSegment.encoded(sessionId, "session_id")
        return GatewayRequest(
            origin, "/v1/view/\(session)/payments/\(paymentProduct)",
            query: forceNew ? [("force_new", "true")] : [],
            headers: sendsEmptyObject ? [.contentType()] : [],
            body: sendsEmptyObject ? JSONBody.object { _ in } : nil)
    }

    /// Step 3: posts the token to the operation's address, its `access_token` moved from the address
    /// into a bare `Authorization` header, without `Bearer`.
    ///
    /// `payment_data` is a string that contains JSON. Of `paymentMethod` what did not come with the token
    /// is `""`, the type `unknown`; a `transactionIdentifier` that did not come is the token's
    /// transactionId in capitals, as PassKit writes it. `header.applicationData` is kept, which the
    /// vendor's example drops: that Dintero takes it is likely, not documented.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - submission: Where it goes, from ``OperationsAnswer``.
    ///   - reference: `reference`: unique, such as a UUID.
    /// - Returns: The request; its body is compact UTF-8 JSON.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public static func submitToken(
        _ token: VerifiedToken,
        to submission: Submission,
        reference: String
    ) -> GatewayRequest {
        submitToken(token.token, to: submission, reference: reference)
    }

    /// Step 3 with an opened token, whose card is checked first: Dintero takes Visa and Mastercard alone.
    ///
    /// The network follows from the device account number's range (``CardBrand``). A card that carries Visa or
    /// Mastercard together with another network counts as Visa or Mastercard.
    ///
    /// - Parameters:
    ///   - payment: The opened token; Dintero opens it as well.
    ///   - submission: Where it goes, from ``OperationsAnswer``.
    ///   - reference: `reference`: unique, such as a UUID.
    /// - Returns: The same request as for the token that stays closed.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-value` (`paymentMethod.network`).
    ///
    /// Source: Dintero, *Apple Pay native app*.
    public static func submitToken(
        _ payment: Payment,
        to submission: Submission,
        reference: String
    ) throws(PaymentTokenError) -> GatewayRequest {
        switch CardBrand(payment.data.accountNumber) {
        case .visa, .mastercard: break
        default: throw PaymentTokenError(.unsupportedValue, member: "paymentMethod.network")
        }
        return submitToken(payment.token, to: submission, reference: reference)
    }

    /// The same with a token of which nothing is proven.
    package static func submitToken(
        _ token: PaymentToken,
        to submission: Submission,
        reference: String
    ) -> GatewayRequest {
        let paymentData = JSONBody.object { body in
            body.object("payment") { body in
                body.object("token") { write(token, into: &$0) }
            }
        }
        let body = JSONBody.object { body in
            body.secret("payment_data", paymentData)
            body.string("reference", reference)
        }
        return GatewayRequest(
            method: submission.method, submission.origin, submission.path,
            query: submission.query,
            headers: [
                GatewayHeader(secret: "Authorization", submission.accessToken), .contentType(),
            ], body: body)
    }

    private static func write(_ token: PaymentToken, into body: inout JSONBody) {
        let members = token.unsignedMembers
        body.raw("paymentData", TokenJSON.paymentData(token))
        body.object("paymentMethod") { body in
            body.string("displayName", members?.displayName ?? "")
            body.string("network", members?.network ?? "")
            body.string("type", members?.type ?? "unknown")
        }
        body.string(
            "transactionIdentifier",
            members?.transactionIdentifier ?? token.transactionId.uppercased())
    }

    /// Step 4: pays with the transaction that step 3 answered, `POST /v1/sessions/{session_id}/pay`.
    ///
    /// - Parameters:
    ///   - sessionId: The session.
    ///   - transactionId: ``SubmissionAnswer/transactionId``.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without credentials: neither page nor example sends any.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` for a `session_id` that is not a segment of a path, then
    ///   `unsupported-length` for an empty `psp_transaction_id`.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public static func pay(
        sessionId: String,
        transactionId: String,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let session = try PathSegment.encoded(sessionId, "session_id")
        try FieldLength.check(transactionId, "psp_transaction_id", 1...Int.max)
        let body = JSONBody.object { body in
            body.string("payment_product_type", paymentProduct)
            body.string("psp_transaction_id", transactionId)
        }
        return GatewayRequest(
            origin, "/v1/sessions/\(session)/pay",
            headers: [.contentType()], body: body)
    }
}
