public import ApplePayToken

extension Dintero {
    /// Creates a request for the address that accepts the token (step 2):
    /// `POST /v1/view/{session_id}/payments/dintero_psp.applepay`.
    ///
    /// Dintero's page documents a request without a body; its example sends `{}` and `force_new=true`. Both forms are
    /// offered, and the page's form is the default.
    ///
    /// - Parameters:
    ///   - sessionId: The session's identifier.
    ///   - forceNew: Whether `force_new=true` is sent.
    ///   - sendsEmptyObject: Whether the body is `{}`, with its content type.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without credentials.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` if
    ///   `session_id` is not a valid path segment.
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

    /// Creates the request that sends the token to the address of step 2 (step 3).
    ///
    /// `access_token` is removed from the query of the address and sent in the header `Authorization`, without
    /// `Bearer`.
    ///
    /// `payment_data` is a string that contains JSON. Members of `paymentMethod` that the merchant did not receive are
    /// sent as `""`, and its type as `unknown`. A missing `transactionIdentifier` is replaced with the token's
    /// transactionId in capitals, as PassKit writes it. `header.applicationData` is sent, although Dintero's example
    /// drops it: that Dintero accepts it is likely, but not documented.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - submission: The address and the credentials, from ``OperationsAnswer``.
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

    /// Creates the request of step 3 from a decrypted payment, after checking its network: Dintero accepts only Visa
    /// and Mastercard.
    ///
    /// The network is derived from the range of the device account number (``CardBrand``). A card with a second network
    /// in addition to Visa or Mastercard counts as Visa or Mastercard.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment; its encrypted token is sent, and Dintero decrypts it as well.
    ///   - submission: The address and the credentials, from ``OperationsAnswer``.
    ///   - reference: `reference`: unique, such as a UUID.
    /// - Returns: The same request as for the encrypted token.
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

    /// Creates the same request from a token that was not verified.
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

    /// Creates the request that pays with the transaction of step 3 (step 4): `POST /v1/sessions/{session_id}/pay`.
    ///
    /// - Parameters:
    ///   - sessionId: The session's identifier.
    ///   - transactionId: ``SubmissionAnswer/transactionId``.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request, without credentials: neither Dintero's page nor its example sends any.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or `unsupported-character` if
    ///   `session_id` is not a valid path segment, then `unsupported-length` for an empty `psp_transaction_id`.
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
