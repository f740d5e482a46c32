public import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// Creates the requests of a payment in a checkout: a query for it, then the payment.
    ///
    /// - Throws: The errors of ``check(_:_:)``, then those of the credentials.
    func checkoutPayment(
        _ input: PaymentInput, in checkoutToken: String
    ) throws(PaymentTokenError) -> PaymentCall {
        try check(input.order, input.attempt)
        try Self.checkAmount(input)
        let query = try checkoutQuery(checkoutToken)
        let request = checkoutRequest(input.token, checkoutToken)
        let payment = GatewayCall(
            input.attempt, at: self, canMoveMoney: true, request, report: Self.checkoutReport)
        return .preparation(
            "checkout", input.attempt, at: self, query,
            read: { response throws(UnreadableJSONError) -> String? in
                // The page or app named it.
                if response.status == 404 { return "there is no such checkout" }
                guard let checkout = try response.accepted().object("checkout") else {
                    throw .init(.missingMember, field: "checkout")
                }
                return try fault(of: checkout, for: input.attempt)
            },
            { fault throws(PaymentTokenError) in
                if let fault { throw .session(fault) }
                return payment
            })
    }

    /// Returns why an order cannot be paid in a checkout; nil if it can.
    ///
    /// Source: bePaid, *Get a transaction status by the payment token* (copy of 2025-10).
    private func fault(
        of checkout: AnswerValue, for attempt: PaymentAttempt
    ) throws(UnreadableJSONError) -> String? {
        guard try checkout.text("shop_id") == shopId else { return "it is another shop's" }
        guard try checkout.boolean("finished") == false else { return "it was used already" }
        guard try checkout.boolean("expired") == false else { return "it has expired" }
        guard try checkout.boolean("test") ?? false == sendsTest ?? false else {
            return "it is for \(sendsTest == true ? "real payments" : "tests")"
        }
        guard
            try checkout.text("order", "tracking_id")?.utf8.elementsEqual(attempt.reference.utf8)
                == true
        else {
            return "its tracking_id is not \(attempt.reference)"
        }
        guard try checkout.integer("order", "amount") == attempt.amount,
            try checkout.text("order", "currency") == attempt.currency.alphabetic
        else { return "its amount or currency is not the order's" }
        return nil
    }

    /// Returns the query for a checkout: `GET /ctp/api/checkouts/{token}`.
    package func checkoutQuery(_ token: String) throws(PaymentTokenError) -> GatewayRequest {
        GatewayRequest(
            method: "GET", checkoutOrigin,
            "/ctp/api/checkouts/\(try PathSegment.encoded(token, "session"))",
            headers: [try authorization(), Self.accept])
    }

    /// Returns the request that pays in a checkout, which contains neither amount nor currency nor reference.
    ///
    /// Source: beGateway's iOS SDK, `RequestPaymentAppleV2`.
    package func checkoutRequest(_ token: PaymentToken, _ checkoutToken: String) -> GatewayRequest {
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.object("token") { TokenJSON.writePassKitToken(token, into: &$0) }
            }
            body.string("token", checkoutToken)
            body.boolean("contract", checkoutContract)
        }
        return GatewayRequest(
            checkoutOrigin, "/ctp/api/apple_pay/payment", headers: [.contentType(), Self.accept],
            body: body)
    }
}

extension BePaid {
    /// Asks bePaid for the merchant session with which a page opens the payment sheet, where bePaid has the merchant's
    /// certificate.
    ///
    /// - Parameters:
    ///   - validationURL: That of the event that Apple's script sent to the page: an https address at apple.com.
    ///   - checkoutToken: The payment token of a checkout, with which bePaid authenticates the request; nil to send the shop's
    ///     credentials.
    ///   - transport: Sends the request, such as `HTTPSClient`.
    /// - Returns: bePaid's answer, to be passed to Apple's script unchanged.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-value` (`validationURL`), those of the credentials,
    ///   then `not-sent`, also for an answer with an error's status or without an object.
    ///
    /// Source: bePaid, *Apple Pay on your own checkout page*.
    public func merchantSession(
        validationURL: String, checkoutToken: String? = nil, over transport: some GatewayTransport
    ) async throws(PaymentTokenError) -> SensitiveBytes {
        let request = try validationRequest(validationURL, checkoutToken)
        let response: GatewayResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw PaymentTokenError(.notSent, reason: error.reason)
        }
        do throws(UnreadableJSONError) {
            _ = try response.accepted()
        } catch {
            throw PaymentTokenError(
                .notSent, reason: response.failure(of: "validation of the merchant", error))
        }
        return SensitiveBytes(copying: response.bytes.span)
    }

    /// Returns the request of ``merchantSession(validationURL:checkoutToken:over:)``: `POST /ctp/api/apple_pay/validate`.
    package func validationRequest(
        _ validationURL: String, _ checkoutToken: String?
    ) throws(PaymentTokenError) -> GatewayRequest {
        // The address comes from the customer's browser.
        guard AppleAddress.isPermitted(validationURL) else {
            throw .gateway(.unsupportedValue, "validationURL")
        }
        let body = JSONBody.object { body in
            body.string("url", validationURL)
            body.string("token", checkoutToken)
            body.string("context", "merchant")
        }
        let credentials = checkoutToken == nil ? [try authorization()] : []
        return GatewayRequest(
            checkoutOrigin, "/ctp/api/apple_pay/validate",
            headers: credentials + [
                .contentType(), Self.accept, GatewayHeader("X-API-Version", "2"),
            ], body: body)
    }
}

/// The addresses that Apple's script gives to a page.
private enum AppleAddress {
    /// Returns whether a text is an https address of at most 1,024 visible ASCII characters at a host of apple.com.
    static func isPermitted(_ text: String) -> Bool {
        let (scheme, domain) = ("https://", ".apple.com")
        guard text.utf8.count <= 1_024, text.utf8.allSatisfy(\.isVisible), text.hasPrefix(scheme)
        else { return false }
        let host = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return host.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x2E }
            && host.hasSuffix(domain) && host.count > domain.count
    }
}
