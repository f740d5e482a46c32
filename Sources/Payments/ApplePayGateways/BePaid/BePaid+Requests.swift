package import ApplePayAcceptance
package import ApplePayPrimitives
internal import ApplePayWire

extension BePaid {
    /// Checks that a token is for the order's amount; with a policy for the amount 0, `Order` may permit another one.
    ///
    /// The token that is sent contains its amount, and would contradict the payment's.
    static func checkAmount(_ input: PaymentInput) throws(PaymentError) {
        guard input.payment == nil || input.payment?.data.amount == input.order.amount else {
            throw .gateway(.unsupportedAmount, "amount")
        }
    }

    /// Returns the request of ``payment(_:)``.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        try check(input.order, attempt: input.attempt)
        try Self.checkAmount(input)
        let token = try tokenString(input)
        let contract = options.contract.map(\.rawValue)
        return try request(input.order, input.attempt) { body in
            body.object("credit_card") { $0.secret("token", token) }
            if !contract.isEmpty {
                body.object("additional_data") { $0.strings("contract", contract) }
            }
        }
    }

    /// Returns the request of ``payment(with:by:for:attempt:)``.
    ///
    /// The card's contract states what it is stored for; `card_on_file` states who begins a payment that is not one of a series.
    package func cardRequest(
        _ card: PaymentReport.Card, by initiator: PaymentInitiator, _ order: Order,
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        let person: String?
        switch initiator {
        case .customer: person = "customer"
        case .unscheduled: person = "merchant"
        case .recurring: person = nil
        case .instalment: throw .gateway(.unsupportedValue, "initiator")
        }
        try check(order, attempt: attempt)
        return try request(order, attempt) { body in
            body.object("credit_card") { $0.string("token", card.identifier) }
            guard let person else { return }
            body.object("additional_data") { body in
                body.object("card_on_file") { $0.string("initiator", person) }
            }
        }
    }

    /// Returns a request that pays an order; `writeCard` writes what pays it.
    private func request(
        _ order: Order, _ attempt: PaymentAttempt, _ writeCard: (inout JSONBody) -> Void
    ) throws(PaymentError) -> GatewayRequest {
        let body = JSONBody.object { body in
            body.object("request") { body in
                body.integer("amount", order.amount)
                body.string("currency", order.currency.alphabetic)
                body.string("description", order.description)
                body.string("tracking_id", attempt.reference)
                body.boolean("test", isTest ? true : nil)
                body.string("language", order.language)
                body.string("return_url", order.returnURL)
                body.string("notification_url", order.notificationURL)
                body.string("expired_at", options.expiresAt)
                writeCard(&body)
                Self.writeCustomer(order, into: &body)
            }
        }
        let path = (options.isAsynchronous ? "/async" : "") + options.kind.rawValue
        let version = options.asksForVersion3 ? [GatewayHeader("X-API-Version", "3")] : []
        return try post(path, version, key: attempt.key, body)
    }

    /// Writes `customer` and `billing_address`.
    private static func writeCustomer(_ order: Order, into body: inout JSONBody) {
        let contact = order.customer ?? PaymentContact()
        if order.customerIP != nil || contact.emailAddress != nil {
            body.object("customer") { body in
                body.string("ip", order.customerIP)
                body.string("email", contact.emailAddress)
            }
        }
        let lines = contact.addressLines.joined(separator: ", ")
        let address = [
            ("first_name", contact.givenName), ("last_name", contact.familyName),
            ("country", contact.countryCode), ("city", contact.locality),
            ("zip", contact.postalCode), ("address", lines.isEmpty ? nil : lines),
        ]
        guard address.contains(where: { $0.1 != nil }) else { return }
        body.object("billing_address") { body in
            for (name, value) in address { body.string(name, value) }
        }
    }

    /// Returns the value of `credit_card.token`: a prefix, then the base64 of Apple's own plaintext, or that of the
    /// encrypted token as compact JSON, in which `paymentData` keeps all members in their order.
    ///
    /// - Throws: `gateway` with code `unsupported-emv` or `cryptogram-missing`.
    ///
    /// Source: bePaid, *Apple Pay in a mobile application*, *Apple Pay payments with decrypted token*.
    package func tokenString(_ input: PaymentInput) throws(PaymentError) -> SensitiveBytes {
        if let payment = input.payment, !options.sendsEncrypted {
            _ = try payment.requiredCryptogram("credit_card.token")
            return payment.data.rawPayload.base64(
                prefix: "$begateway_apple_pay_decrypted_1_0_0$")
        }
        let json = JSONBody.object { body in
            switch options.tokenForm {
            case .wholeToken: TokenJSON.writePassKitToken(input.token, into: &body)
            case .paymentDataOnly: body.raw("paymentData", TokenJSON.paymentData(input.token))
            }
        }
        return json.base64(prefix: "$begateway_apple_pay_1_0_0$")
    }

    /// Returns a query for one transaction: `GET /transactions/{uid}`.
    package func statusRequest(uid: ExactText) throws(PaymentError) -> GatewayRequest {
        try get("/transactions/\(try PathSegment.encoded(uid, "uid"))")
    }

    /// Returns the request of ``status(of:)``.
    package func statusRequest(
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        try Self.checkReference(attempt)
        let segment = try PathSegment.encoded(attempt.reference, "tracking_id")
        return try get("/v2/transactions/tracking_id/\(segment)")
    }

    /// Checks `tracking_id`: 1 to 255 characters without `;`, which separates several values.
    static func checkReference(_ attempt: PaymentAttempt) throws(PaymentError) {
        try FieldLength.check(attempt.reference, "tracking_id", 1...255)
        try FieldCharacters.check(attempt.reference, "tracking_id") { $0 != UInt8(ascii: ";") }
    }

    /// Returns a request with a key, which bePaid keeps for 24 hours (*Idempotent requests*, 2026-11-22).
    func post(
        _ path: String, _ headers: [GatewayHeader] = [], key: ExactText, _ body: SensitiveBytes
    ) throws(PaymentError) -> GatewayRequest {
        let first = [try authorization(), .contentType(), Self.accept]
        let key = try GatewayHeader.checked("RequestID", key, 1...255)
        return GatewayRequest(origin, path, headers: first + headers + [key], body: body)
    }

    private func get(_ path: String) throws(PaymentError) -> GatewayRequest {
        GatewayRequest(method: "GET", origin, path, headers: [try authorization(), Self.accept])
    }

    static var accept: GatewayHeader { GatewayHeader("Accept", "application/json") }

    /// Returns `Authorization: Basic …`, for the shop.
    func authorization() throws(PaymentError) -> GatewayHeader {
        try FieldLength.check(shopId, "shop_id", 1...255)
        try FieldCharacters.check(account, "shop_id") { $0 != UInt8(ascii: ":") }
        try FieldLength.check(secretKey, "secret_key", 1...Int.max)
        return .basic(shopId, secretKey)
    }
}
