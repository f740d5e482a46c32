public import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire

extension BePaid {
    /// Creates the requests of a payment in a checkout: a query for it, then the payment.
    ///
    /// - Throws: The errors of ``check(_:attempt:)``, then those of the credentials.
    func checkoutPayment(
        _ input: PaymentInput, in checkoutToken: ExactText
    ) throws(PaymentError) -> PaymentCall {
        try check(input.order, attempt: input.attempt)
        try Self.checkAmount(input)
        let query = try checkoutQuery(checkoutToken)
        let request = checkoutRequest(input.token, checkoutToken)
        return .preparation(
            "checkout", input.attempt, at: self, query,
            read: { response throws(PaymentError) -> (fault: String?, reference: ExactText) in
                // The page or app named it.
                if response.status == 404 { return ("there is no such checkout", "") }
                guard let checkout = try response.accepted().object("checkout") else {
                    throw .gateway(.missingMember, "checkout")
                }
                return (
                    try fault(of: checkout, for: input.attempt),
                    try checkout.text("order", "tracking_id") ?? ""
                )
            },
            { found throws(PaymentError) in
                if let fault = found.fault { throw .session(fault) }
                // The shop created the checkout, with the order's reference.
                var attempt = input.attempt
                attempt.reference = found.reference
                return GatewayCall(
                    attempt, at: self, canMoveMoney: true, request, report: Self.checkoutReport)
            })
    }

    /// Returns why an order cannot be paid in a checkout; nil if it can.
    ///
    /// Source: bePaid, *Get a transaction status by the payment token* (copy of 2025-10).
    private func fault(
        of checkout: AnswerValue, for attempt: PaymentAttempt
    ) throws(PaymentError) -> String? {
        guard try checkout.text("shop_id") == account else { return "it is another shop's" }
        guard try checkout.boolean("finished") == false else {
            return "it was used already; look at its payment before you make another checkout"
        }
        guard try checkout.boolean("expired") == false else { return "it has expired" }
        guard try checkout.boolean("test") ?? false == isTest else {
            return "it is for \(isTest ? "real payments" : "tests")"
        }
        let stated = try checkout.text("order", "tracking_id")
        guard
            [attempt.reference, attempt.orderReference].contains(where: {
                stated == $0
            })
        else { return "its tracking_id is not \(attempt.orderReference)" }
        guard try checkout.integer("order", "amount") == attempt.amount,
            try checkout.text("order", "currency") == attempt.currency.alphabetic
        else { return "its amount or currency is not the order's" }
        return nil
    }

    /// Creates the queries for the payment in a checkout: one for the checkout, then one for the payments with its reference.
    ///
    /// The checkout states whether it was paid, and not by which payment: of the payments with its reference only a single one
    /// that was not refused can be it.
    func checkoutStatus(
        of attempt: PaymentAttempt, in token: ExactText
    ) throws(PaymentError) -> PaymentCall {
        let (query, list) = (try checkoutQuery(token), try statusRequest(attempt))
        let isTest = isTest
        return GatewayCall(
            attempt, at: self, canMoveMoney: false,
            request: { _ throws(PaymentError) in query },
            read: { response in
                let checkout = try? response.accepted().object("checkout")
                guard response.status == 404 || checkout != nil else {
                    return .outcome(
                        OrderOutcome(
                            report: Self.statusReport(response, of: attempt), attempt: attempt,
                            isTest: isTest))
                }
                let isPaid =
                    (try? checkout?.boolean("finished")) == true
                    && checkout?["status"]?.string == "successful"
                return .next(
                    GatewayCall(attempt, at: self, canMoveMoney: false, list) { response in
                        var report = Self.statusReport(response, of: attempt)
                        let made = ([report] + report.others).count { $0.meaning != .refused }
                        if isPaid, made == 1, report.fault == nil, report.meaning != .absent {
                            report.sessionID = token
                        }
                        return report
                    })
            })
    }

    /// Returns the query for a checkout: `GET /ctp/api/checkouts/{token}`.
    package func checkoutQuery(_ token: ExactText) throws(PaymentError) -> GatewayRequest {
        GatewayRequest(
            method: "GET", checkoutOrigin,
            "/ctp/api/checkouts/\(try PathSegment.encoded(token, "session"))",
            headers: [try authorization(), Self.accept])
    }

    /// Returns the request that pays in a checkout, which contains neither amount nor currency nor reference.
    ///
    /// Source: beGateway's iOS SDK, `RequestPaymentAppleV2`.
    package func checkoutRequest(_ token: PaymentToken, _ checkoutToken: ExactText)
        -> GatewayRequest
    {
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
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-value` (`validationURL`), those of the credentials,
    ///   then `not-sent`, also for an answer with an error's status or without an object.
    ///
    /// Source: bePaid, *Apple Pay on your own checkout page*.
    public func merchantSession(
        validationURL: String, checkoutToken: ExactText? = nil,
        over transport: some GatewayTransport
    ) async throws(PaymentError) -> SensitiveBytes {
        let request = try validationRequest(validationURL, checkoutToken)
        let response: GatewayResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw PaymentError(.notSent, reason: error.reason)
        }
        do throws(PaymentError) {
            _ = try response.accepted()
        } catch {
            throw PaymentError(
                .notSent, reason: response.failure(of: "validation of the merchant", error))
        }
        return SensitiveBytes(copying: response.bytes.span)
    }

    /// Returns the request of ``merchantSession(validationURL:checkoutToken:over:)``: `POST /ctp/api/apple_pay/validate`.
    package func validationRequest(
        _ validationURL: String, _ checkoutToken: ExactText?
    ) throws(PaymentError) -> GatewayRequest {
        // The address comes from the customer's browser.
        guard AppleAddress.isPermitted(ExactText(validationURL)) else {
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
    static func isPermitted(_ text: ExactText) -> Bool {
        let (scheme, domain): (ExactText, ExactText) = ("https://", ".apple.com")
        guard text.utf8.count <= 1_024, text.utf8.allSatisfy(\.isVisible), text.hasPrefix(scheme)
        else { return false }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let host = ExactText(utf8: rest.prefix { !"/?#".utf8.contains($0) })
        return host.utf8.allSatisfy {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
            && host.hasSuffix(domain) && host != domain
    }
}
