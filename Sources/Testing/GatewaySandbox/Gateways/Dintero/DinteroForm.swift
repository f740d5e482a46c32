/// The answers of Dintero from the login to the payment.
///
/// The token that a login issues belongs to one account, and identifiers begin with that account: T for tests, P for
/// production. The secret itself is a token of the account T00000000.
enum DinteroForm {
    /// The members of a new session.
    static let members: [RequiredMember] = [
        "url.return_url", .amount("order.amount"), .currency("order.currency"),
        "order.merchant_reference",
    ]

    /// Issues an access token of the account in the path.
    @Sendable static func login(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let account = call.segments[0]
        guard account.wholeMatch(of: /[TP][0-9]{8}/) != nil,
            call.body["audience"]?.string?.hasSuffix("/v1/accounts/\(account)") == true,
            call.body["grant_type"] == "client_credentials"
        else { return .answer(call.fault(.unauthorized)) }
        let token = book.nextUUID()
        book[value: Credentials.tokenName(token), of: call.gateway.name] = .string(account)
        return .ok([
            "access_token": .string(token), "token_type": "Bearer", "expires_in": 86_400,
        ])
    }

    /// Returns the account of a request's access token.
    static func account(_ call: Call, _ book: PaymentBook) -> String {
        let token = call.request.header("Authorization")?.dropFirst("Bearer ".count) ?? ""
        let name = Credentials.tokenName(String(token))
        return book[value: name, of: call.gateway.name]?.string ?? "T00000000"
    }

    /// Returns whether a request may see a session or a transaction; the secret itself may see all.
    static func sees(_ id: String, _ call: Call, _ book: PaymentBook) -> Bool {
        call.request.header("Authorization") == "Bearer \(Sandbox.secret)"
            || id.hasPrefix("\(account(call, book)).")
    }

    @Sendable static func createSession(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = "\(account(call, book)).\(book.nextUUID())"
        book[value: "session \(id)", of: call.gateway.name] = call.body
        return .ok(["id": .string(id), "url": .string("\(call.origin)/v1/view/\(id)")])
    }

    /// Answers a session: its events and the transaction's identifier, without a status word.
    @Sendable static func session(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        let isOwn = call.request.path.hasPrefix("/v1/view/") || sees(id, call, book)
        guard isOwn, let session = session(id, call, book) else {
            return .answer(call.fault(.notFound))
        }
        return .ok(session)
    }

    /// Returns a session as it is answered; nil if it does not exist.
    static func session(_ id: String, _ call: Call, _ book: PaymentBook) -> JSON? {
        guard let session = book[value: "session \(id)", of: call.gateway.name] else { return nil }
        let payment = book.payments(of: call.gateway.name) { $0["session"]?.string == id }.last
        let last: JSON? =
            switch payment?.state {
            case nil, .awaitingCustomer, .confirmed, .processing: nil
            case .declined: "FAILED"
            case .abandoned: "DECLINED"
            case .accepted: "AUTHORIZED"
            }
        return [
            "id": .string(id), "order": session["order"], "url": session["url"],
            "configuration": session["configuration"],
            "transaction_id": payment.map { .string($0.id) },
            "events": .array(["INITIATED", last].compactMap { $0.map { ["name": $0] } }),
        ]
    }

    @Sendable static func operations(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard session(id, call, book) != nil else { return .answer(call.fault(.notFound)) }
        // The plus sign tests that a client decodes the token exactly once.
        let token = "\(book.nextUUID())+t"
        book[value: "submit token \(id)", of: call.gateway.name] = .string(token)
        let address = "\(call.origin)/v1/psp/\(id)/applepay"
        let query = "access_token=\(token.dropLast(2))%2Bt"
        let validation: JSON = [
            "href": .string("\(address)/validate"), "method": "POST",
            "rel": "validate-dintero-psp-applepay-merchant",
        ]
        let submission: JSON = [
            "href": .string("\(address)/submit?\(query)"), "method": "POST",
            "rel": "submit-dintero-psp-applepay", "content_type": "application/json",
            "supported_networks": ["visa", "masterCard"], "merchant_country": "NO",
        ]
        return .ok(["operations": [validation, submission]])
    }

    @Sendable static func submit(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let text = call.body["payment_data"]?.string ?? ""
        guard
            let token = JSON(parsing: Array(text.utf8))?["payment.token.paymentData.data"]?.string,
            !token.isEmpty
        else { return .answer(call.fault(.missing("payment_data"))) }
        let account = call.segments[0].prefix { $0 != "." }
        let transaction = "\(account).\(book.nextUUID())"
        book[value: "submitted \(call.segments[0])", of: call.gateway.name] = .string(transaction)
        return .ok([
            "payment_id": .string(book.nextUUID()), "transaction_id": .string(transaction),
            "type": "APPLE_PAY_AUTHENTICATION",
        ])
    }

    /// Pays a session with the token that was submitted.
    ///
    /// Instead of a status word, the answer has `success`, or `error` in the return address.
    @Sendable static func pay(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard let session = session(id, call, book),
            let transaction = book[value: "submitted \(id)", of: call.gateway.name]?.string,
            call.body["psp_transaction_id"] == .string(transaction)
        else { return .answer(call.fault(.notFound)) }
        guard book[payment: transaction, of: call.gateway.name] == nil else {
            return .answer(call.fault(.duplicate))
        }
        let purchase = Purchase(
            amount: session["order.amount"]?.integer, currency: session["order.currency"]?.string,
            reference: session["order.merchant_reference"]?.string, captures: false,
            details: ["session": .string(id), "card": storedCard(session, &book)])
        let returnURL = session["url.return_url"]?.string ?? ""
        let error = "\(returnURL)\(returnURL.contains("?") ? "&" : "?")error="
        let reply = call.pay(purchase, id: transaction, in: &book) { payment in
            let body: JSON =
                switch payment.state {
                case .awaitingCustomer: ["redirect_url": .string(call.customerURL(transaction))]
                // Dintero reports an outcome that is not known yet as `unknown` (*Create session*, `return_url`).
                case .processing: ["return_url": .string("\(error)unknown")]
                case .accepted where payment.hasUnknownWord:
                    ["return_url": .string("\(error)\(Scenario.word)")]
                case .accepted: ["success": true, "redirect_url": .string(returnURL)]
                default: ["success": false, "redirect_url": .string(returnURL)]
                }
            return SandboxAnswer(200, body)
        }
        if let token = purchase.details["card"]?.string,
            book[payment: transaction, of: call.gateway.name] != nil
        {
            book.change(token, to: .usable, at: call.gateway.name)
        }
        return reply
    }

    /// Returns the token of the card that a payment in a session is to store; nil if it is to store none.
    private static func storedCard(_ session: JSON, _ book: inout PaymentBook) -> JSON? {
        let name = "configuration.dintero_psp.applepay.generate_payment_token"
        return session[name]?.boolean == true ? .string(book.nextUUID()) : nil
    }

    /// Creates a session and pays it with a stored card; the answer is the transaction.
    @Sendable static func payWithCard(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let order = call.body["session.order"]
        let reference = order?["merchant_reference"]?.string
        guard case .object(let tokens) = call.body["session.customer.tokens"],
            let token = tokens.first(where: { $0.name == "dintero_psp.applepay" })?
                .value["payment_token"]?.string,
            let card = book.card(token, at: call.gateway.name), card != .revoked
        else { return .answer(call.fault(.missing("payment_token"))) }
        let toggle = call.request.header("Dintero-Feature-Toggles")
        let authorized = book.payments(of: call.gateway.name) {
            $0.purchase.reference == reference && $0.state == .accepted
        }
        guard toggle != "strict-success-merchant-reference" || authorized.isEmpty else {
            return .answer(call.fault(.missing("merchant_reference")))
        }
        let account = account(call, book)
        let session = "\(account).\(book.nextUUID())"
        book[value: "session \(session)", of: call.gateway.name] = call.body["session"]
        let purchase = Purchase(
            amount: order?["amount"]?.integer, currency: order?["currency"]?.string,
            reference: reference, captures: false, card: card,
            details: ["session": .string(session), "mark": order?["merchant_reference_2"]])
        return call.pay(purchase, id: "\(account).\(book.nextUUID())", in: &book) { payment in
            let result: JSON = [
                "session_id": .string(session), "success": .boolean(payment.state == .accepted),
            ]
            return SandboxAnswer(200, transaction(payment).adding(result))
        }
    }
}
