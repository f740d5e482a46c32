package import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire

extension RBS {
    /// Returns the request of ``payment(_:)``.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        try check(input.order, attempt: input.attempt)
        let body = try options.kind == .token ? tokenBody(input) : body(input)
        return GatewayRequest(
            host.origin, try host.path(options.kind.rawValue), headers: [.contentType()], body: body
        )
    }

    /// Returns the body of `payment.do` or `paymentDirect.do`; `paymentToken` is the base64 of `paymentData`, or of Apple's
    /// plaintext.
    private func body(_ input: PaymentInput) throws(PaymentError) -> SensitiveBytes {
        let isEncrypted = options.kind == .encrypted
        let payment = isEncrypted ? input.payment : try input.decrypted("paymentToken")
        // The gateway reads the amount from the token.
        guard payment == nil || payment?.data.amount == input.order.amount else {
            throw .gateway(.unsupportedAmount, "paymentToken")
        }
        let json: SensitiveBytes
        if let payment, !isEncrypted {
            _ = try payment.requiredCryptogram("paymentToken")
            json = payment.data.rawPayload
        } else {
            json = TokenJSON.paymentData(input.token)
        }
        try FieldLength.check(isEncrypted ? merchant ?? "" : merchant, "merchant", 1...255)
        let user = isEncrypted ? nil : try login()
        let paymentToken = json.base64()
        try FieldLength.check(paymentToken, "paymentToken", 1...8192)
        let extras = isEncrypted ? options : Options()
        return JSONBody.object { body in
            body.string("merchant", isEncrypted ? merchant : nil)
            user?.write(into: &body)
            body.string("orderNumber", input.attempt.reference)
            body.string("merchant", isEncrypted ? nil : merchant)
            body.string("description", input.order.description)
            body.string("language", input.order.language)
            body.boolean("preAuth", options.preAuth)
            body.secret("paymentToken", paymentToken)
            body.string("clientId", input.order.customerReference)
            body.string("email", input.order.customer?.emailAddress)
            body.string("phone", isEncrypted ? input.order.customer?.phoneNumber : nil)
            body.string("tii", options.storedCredential?.rawValue)
            body.string("autocompletionDate", extras.autocompletionDate)
            body.string("autoReverseDate", extras.autoReverseDate)
            body.integer("feeInput", input.order.fee)
            body.string("dynamicCallbackUrl", extras.dynamicCallbackURL)
            if options.verifiesOnly { body.string("features", "VERIFY") }
            write(parameters(of: input.attempt), into: &body)
        }
    }

    /// Returns the merchant's parameters and the attempt's mark.
    func parameters(of attempt: PaymentAttempt) -> [ExactText: ExactText] {
        var parameters = options.additionalParameters
        parameters[Self.markName] = attempt.mark
        return parameters
    }

    /// Writes parameters as `additionalParameters`, if there are any.
    func write(_ parameters: [ExactText: ExactText], into body: inout JSONBody) {
        guard !parameters.isEmpty else { return }
        body.object("additionalParameters") { Self.writeMembers(parameters, into: &$0) }
    }

    /// Writes parameters in the order of their names.
    static func writeMembers(_ parameters: [ExactText: ExactText], into body: inout JSONBody) {
        for name in parameters.keys.sorted() { body.string(String(name), parameters[name]) }
    }

    /// Returns the body of `token/payment.do`: the expiry as `MM` and `YYYY`, and `eci` as a number, left out if Apple gave
    /// none.
    private func tokenBody(_ input: PaymentInput) throws(PaymentError) -> SensitiveBytes {
        let payment = try input.decrypted("paymentData")
        let cryptogram = try payment.requiredCryptogram("tokenCryptogram").text
        let user = try login()
        try FieldLength.check(cryptogram, "tokenCryptogram", 1...1024)
        let name = payment.cardholderName(2...45)
        return JSONBody.object { body in
            user.write(into: &body)
            body.integer("amount", input.order.amount)
            body.string("currency", currencyCode(input.order.currency))
            body.string("tokenType", "APPLE")
            body.string("returnUrl", input.order.returnURL)
            body.string("orderNumber", input.attempt.reference)
            body.boolean("preAuth", options.preAuth)
            body.secret("cardholderName", name)
            body.object("paymentData") { body in
                body.secret("dpan", payment.data.accountNumber.digits)
                body.secret("tokenCryptogram", cryptogram)
                body.string("MM", payment.data.expiration.twoDigitMonth)
                body.string("YYYY", payment.data.expiration.fourDigitYear)
                body.integer("eci", payment.data.eciIndicator.map { Int64($0.integer) })
            }
            guard let mark = input.attempt.mark else { return }
            body.object("jsonParams") { $0.string(String(Self.markName), mark) }
        }
    }

    /// Returns the request of ``status(of:)``; by the merchant's number, the gateway does not accept a token.
    ///
    /// - Throws: `gateway` with code `unsupported-operation` without the credentials.
    package func statusRequest(
        _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        let path = "/rest/getOrderStatusExtended.do"
        if let orderId = attempt.paymentID, user != nil || token != nil {
            return try form(path, orderId: orderId) { _ in }
        }
        guard user != nil else { throw .gateway(.unsupportedOperation, "status") }
        try host.limits.check(orderNumber: attempt.reference)
        var body = FormBody()
        try login().write(into: &body)
        body.parameter("orderNumber", attempt.reference)
        body.parameter("merchantLogin", options.merchantLogin)
        return try form(path, body)
    }

    /// Returns the request of ``perform(_:on:of:)``.
    ///
    /// An amount of 0 means the whole amount to the gateway. `externalRefundId` is a key, which only BPC's manual documents.
    package func operationRequest(
        _ operation: PaymentOperation, _ amount: Int64, orderId: ExactText,
        of attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        switch operation.kind {
        case .capture:
            return try form("/rest/deposit.do", orderId: orderId) { body in
                body.parameter("amount", operation.amount == nil ? "0" : "\(amount)")
            }
        case .cancellation: return try form("/rest/reverse.do", orderId: orderId) { _ in }
        case .refund:
            let key = host.limits == .bpc ? try operation.key(of: attempt) : nil
            return try form("/rest/refund.do", orderId: orderId) { body in
                body.parameter("amount", "\(amount)")
                body.parameter("externalRefundId", key)
            }
        }
    }
}

extension RBS {
    /// Returns a form with the credentials and the gateway's number of the order.
    private func form(
        _ path: String, orderId: ExactText, _ members: (inout FormBody) -> Void
    ) throws(PaymentError) -> GatewayRequest {
        var body = FormBody()
        if user == nil, let token {
            try FieldLength.check(token, "token", 1...Int.max)
            body.secret("token", token)
        } else {
            try login().write(into: &body)
        }
        try FieldLength.check(orderId, "orderId", 1...Int.max)
        body.parameter("orderId", orderId)
        members(&body)
        return try form(path, body)
    }

    func form(
        _ path: String, _ body: FormBody
    ) throws(PaymentError) -> GatewayRequest {
        GatewayRequest(
            host.origin, try host.path(path), headers: [.contentType(FormBody.contentType)],
            body: body.bytes())
    }

    /// Returns the login, which the gateway requires for everything but `payment.do`.
    ///
    /// - Throws: `gateway` with code `unsupported-length` (`userName`, `password`).
    func login() throws(PaymentError) -> User {
        guard let user else { throw .gateway(.unsupportedLength, "userName") }
        try FieldLength.check(user.name, "userName", 1...100)
        try FieldLength.check(user.password, "password", 1...200)
        return user
    }
}

extension RBS.User {
    func write(into body: inout JSONBody) {
        body.string("userName", name)
        body.secret("password", password)
    }

    func write(into body: inout FormBody) {
        body.parameter("userName", name)
        body.secret("password", password)
    }
}
