package import ApplePayAcceptance
internal import ApplePayPrimitives

extension Dintero {
    /// The members of the requests that are the same for every order.
    public struct Options: Sendable {
        /// The source of the session's settings.
        public var settings: Settings = .inApp()
        /// `expires_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?
        /// Whether the request for the operations has `force_new=true`, as in Dintero's example; its page has none.
        public var forceNew = false
        /// Whether the request for the operations has the body `{}`, as in Dintero's example; its page has none.
        public var sendsEmptyObject = false

        /// Creates options for a session that is configured for Apple Pay in an app.
        public init() {}
    }

    /// The source of a session's settings; Dintero's page about apps does not show which path belongs to it.
    public enum Settings: Hashable, Sendable {
        /// `POST /v1/sessions` with `configuration`; `generate_payment_token` stores the card, and the query for a transaction
        /// then asks for its token (Dintero, *Tokenization and MIT*).
        case inApp(generatesPaymentToken: Bool = false)

        /// `POST /v1/sessions-profile` with `profile_id`.
        case profile(String)
    }

    /// Returns the request for a session (step 1), without a token: `POST /v1/sessions` or `/v1/sessions-profile`.
    package func sessionRequest(
        _ order: Order, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> GatewayRequest {
        try check(order, attempt: attempt)
        let body = JSONBody.object { body in
            body.object("url") { body in
                body.string("return_url", order.returnURL.map(Self.returnURL))
                body.string("callback_url", order.notificationURL)
            }
            body.object("order") { Self.write(order, attempt, into: &$0) }
            switch options.settings {
            case .inApp(let generatesPaymentToken):
                body.object("configuration") { body in
                    body.string("channel", "in_app")
                    body.object("dintero_psp") { body in
                        body.object("applepay") { body in
                            body.boolean("enabled", true)
                            body.boolean(
                                "generate_payment_token", generatesPaymentToken ? true : nil)
                        }
                    }
                }
            case .profile(let identifier): body.string("profile_id", identifier)
            }
            body.string("expires_at", options.expiresAt)
        }
        let path =
            if case .profile = options.settings { "/v1/sessions-profile" } else { "/v1/sessions" }
        return GatewayRequest(origin, path, headers: [.contentType()], body: body)
    }

    /// Writes the members of `order` in a session.
    static func write(_ order: Order, _ attempt: PaymentAttempt, into body: inout JSONBody) {
        body.integer("amount", order.amount)
        body.string("currency", order.currency.alphabetic)
        body.string("merchant_reference", attempt.reference)
        guard !order.items.isEmpty else { return }
        body.objects("items", order.items) { body, item in
            body.string("id", item.id)
            body.string("line_id", item.lineId)
            body.string("description", item.description)
            body.integer("amount", item.amount)
            body.integer("quantity", item.quantity)
            body.integer("vat_amount", item.taxAmount)
            guard let vat = item.taxBasisPoints else { return }
            body.raw("vat", SensitiveBytes(copying: percentage(vat).utf8.span))
        }
    }

    /// Returns an address with `initial_recipient=merchant`, with which the customer returns directly to the merchant's
    /// app (*Create session*, `url.return_url`).
    private static func returnURL(_ address: String) -> String {
        let name = "initial_recipient="
        let base = address.prefix { $0 != "#" }
        let query = base.drop { $0 != "?" }.dropFirst().split(separator: "&")
        if query.contains(where: { $0.hasPrefix(name) }) { return address }
        let mark = !base.contains("?") ? "?" : query.isEmpty ? "" : "&"
        return "\(base)\(mark)\(name)merchant\(address.dropFirst(base.count))"
    }

    /// Returns a JSON number without trailing zeros, such as `25`, `25.5` or `0.05`.
    private static func percentage(_ basisPoints: Int64) -> String {
        let (whole, part) = basisPoints.quotientAndRemainder(dividingBy: 100)
        if part == 0 { return "\(whole)" }
        let digits = "\(100 + part)".dropFirst()
        return "\(whole).\(digits.hasSuffix("0") ? digits.dropLast() : digits)"
    }

    /// Reads the answer to step 1: the session's identifier.
    package static func sessionID(
        _ response: GatewayResponse
    ) throws(PaymentError) -> ExactText { try response.accepted().mandatoryText("id") }

    /// Reads an error of Dintero's that refuses a request; nil for a body that a proxy may have sent.
    ///
    /// The errors of requests list their faults in `errors`, and those of a payment name the session.
    ///
    /// Source: the Node SDK, `Error`, `sessions_pay`; Dintero, *Errors*.
    static func refusal(_ answer: AnswerValue) throws(PaymentError) -> PaymentReport.Refusal? {
        guard let error = try answer.object("error") else { return nil }
        var refusal = PaymentReport.Refusal(
            code: try error.text("code"), text: try error.text("message"), origin: .operator)
        let session = try answer.text("session_id")
        let isOwn = error["errors"]?.isArray == true || session != nil
        guard isOwn, refusal.text != nil else { return nil }
        // No type documents what a fault contains, so each text in it is repeated.
        refusal.blame(
            error["errors"]?.elements.flatMap { fault in
                [fault.quoted] + fault.members.map(\.value.quoted)
            } ?? [])
        return refusal
    }

    /// Reads an error of Dintero's about a question, which may have nothing but a code and a text; nothing ends by it.
    static func questionError(
        _ answer: AnswerValue
    ) throws(PaymentError) -> PaymentReport.Refusal? {
        let (code, text) = (
            try answer.text("error", "code"), try answer.text("error", "message")
        )
        let own = try refusal(answer)
        let isOwn = code != nil && text != nil && answer["error", "code"]?.isString == true
        return own ?? (isOwn ? reason(answer) : nil)
    }

    /// Reads `error` of an answer or an event; nil if there is none.
    static func reason(_ answer: AnswerValue) -> PaymentReport.Refusal? {
        answer["error"].map { error in
            PaymentReport.Refusal(
                code: error["code"]?.string, text: error["message"]?.string ?? error.string,
                origin: .operator)
        }
    }
}
