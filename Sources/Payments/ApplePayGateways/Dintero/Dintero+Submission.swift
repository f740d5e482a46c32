package import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire

extension Dintero {
    static let paymentProduct = "dintero_psp.applepay"

    /// Returns the request for the address that accepts the token (step 2), which has no credentials:
    /// `POST /v1/view/{session_id}/payments/dintero_psp.applepay`.
    package func operationsRequest(sessionID: ExactText) throws(PaymentError) -> GatewayRequest {
        let session = try PathSegment.encoded(sessionID, "session_id")
        return GatewayRequest(
            origin, "/v1/view/\(session)/payments/\(Self.paymentProduct)",
            query: options.forceNew ? [("force_new", "true")] : [],
            headers: options.sendsEmptyObject ? [.contentType()] : [],
            body: options.sendsEmptyObject ? JSONBody.object { _ in } : nil)
    }

    /// The address to which the token is sent: the operation with `rel` `submit-dintero-psp-applepay`.
    package struct Submission: Sendable {
        /// The method, the address with its query decoded, and `access_token` of the query, decoded once.
        fileprivate let method, origin, path: String
        fileprivate let query: [(name: String, value: String)]
        fileprivate let accessToken: SensitiveBytes

        /// Reads an operation: `href`, an `https` URL or an `http` URL with a loopback address, and `method`, a word in
        /// capitals.
        fileprivate init(_ operation: AnswerValue) throws(PaymentError) {
            let href = String(try operation.mandatoryText("href"))
            method = String(try operation.mandatoryText("method"))
            guard !method.isEmpty,
                method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
            else { throw .gateway(.malformed, "method") }
            // RFC 3986 §3: scheme, authority and path, then the query; a fragment is not sent.
            let url = href.prefix { $0 != "#" }
            let parts = url.prefix { $0 != "?" }
                .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            origin = "\(parts[0])//\(parts.dropFirst(2).first ?? "")"
            path = "/\(parts.dropFirst(3).first ?? "")"
            // Unlike in a form, a plus sign does not mean a space here.
            let query = try? URLQuery(ofTarget: String(url).replacing("+", with: "%2B"))
            // The query lacks parameters that are not well-formed.
            let count = url.drop { $0 != "?" }.dropFirst().split(separator: "&").count
            guard Self.isVisible(href), GatewayOrigin.isPermitted(origin), parts[1].isEmpty,
                let items = query?.parameters, items.count == count
            else { throw .gateway(.malformed, "href") }
            self.query = items.filter { $0.name != "access_token" }
                .map { (String($0.name), String($0.value)) }
            let tokens = items.filter { $0.name == "access_token" }
            // The token becomes a header value, and a line break would begin another header.
            guard tokens.count == 1, let token = tokens.first?.value, Self.isVisible(String(token))
            else {
                throw .gateway(
                    tokens.isEmpty ? .missingMember : .malformed, "href.access_token")
            }
            accessToken = SensitiveBytes(copying: token.utf8.span)
        }

        /// Returns whether a text is not empty and consists of visible ASCII.
        private static func isVisible(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { $0.isVisible }
        }
    }

    /// Reads the answer to step 2: the address that accepts the token.
    package static func submission(
        _ response: GatewayResponse
    ) throws(PaymentError) -> Submission {
        let name: ExactText = "submit-dintero-psp-applepay"
        let operations = try response.accepted().objects("operations")
        guard let operation = operations.first(where: { $0["rel"]?.string == name }) else {
            throw .gateway(.missingMember, "operations.\(name)")
        }
        return try Submission(operation)
    }

    /// Returns the request that sends the token to the address of step 2 (step 3).
    ///
    /// `payment_data` is a string that contains JSON. Members of `paymentMethod` that the merchant did not receive are
    /// sent as `""`, and its type as `unknown`. A missing `transactionIdentifier` is replaced with the token's
    /// transactionId in capitals, as PassKit writes it. `header.applicationData` is sent, although Dintero's example
    /// drops it: that Dintero accepts it is likely, but not documented.
    package func paymentRequest(
        _ input: PaymentInput, to submission: Submission
    ) throws(PaymentError) -> GatewayRequest {
        try Self.checkNetwork(input)
        let (token, members) = (input.token, input.token.unsignedMembers)
        let paymentData = JSONBody.object { body in
            body.object("payment") { body in
                body.object("token") { body in
                    body.raw("paymentData", TokenJSON.paymentData(token))
                    body.object("paymentMethod") { body in
                        body.string("displayName", members?.displayName ?? "")
                        body.string("network", members?.network ?? "")
                        body.string("type", members?.type ?? "unknown")
                    }
                    let identifier = members?.transactionIdentifier
                    body.string(
                        "transactionIdentifier",
                        identifier ?? ExactText(token.transactionId.uppercased()))
                }
            }
        }
        let body = JSONBody.object { body in
            body.secret("payment_data", paymentData)
            body.string("reference", input.attempt.reference)
        }
        return GatewayRequest(
            method: submission.method, submission.origin, submission.path, query: submission.query,
            headers: [
                // Without `Bearer`, unlike the merchant's own access token.
                GatewayHeader(secret: "Authorization", submission.accessToken), .contentType(),
            ], body: body)
    }

    /// Refuses a decrypted payment whose account number is neither Visa's nor Mastercard's; a card with a second network
    /// has a number of either.
    static func checkNetwork(_ input: PaymentInput) throws(PaymentError) {
        guard let payment = input.payment else { return }
        guard let brand = CardBrand(payment.data.accountNumber),
            [.visa, .mastercard].contains(brand)
        else { throw .gateway(.unsupportedValue, "paymentMethod.network") }
    }

    /// Reads the answer to step 3: the transaction with which step 4 pays; nothing is paid yet.
    package static func transactionID(
        _ response: GatewayResponse
    ) throws(PaymentError) -> ExactText {
        try response.accepted().mandatoryText("transaction_id")
    }

    /// Returns the request that pays with the transaction of step 3 (step 4): `POST /v1/sessions/{session_id}/pay`,
    /// without credentials, because neither Dintero's page nor its example sends any.
    package func payRequest(
        sessionID: ExactText, transactionID: ExactText
    ) throws(PaymentError) -> GatewayRequest {
        let session = try PathSegment.encoded(sessionID, "session_id")
        try FieldLength.check(transactionID, "psp_transaction_id", 1...Int.max)
        let body = JSONBody.object { body in
            body.string("payment_product_type", Self.paymentProduct)
            body.string("psp_transaction_id", transactionID)
        }
        return GatewayRequest(
            origin, "/v1/sessions/\(session)/pay", headers: [.contentType()], body: body)
    }
}
