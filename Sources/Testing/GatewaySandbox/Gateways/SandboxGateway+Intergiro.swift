import FoundationEssentials

extension SandboxGateway {
    /// Intergiro, a card issuer's service: a session, a card's tokenization and the cardholder's consent.
    ///
    /// Source: Intergiro, *Apple Pay*, *Authentication*, *SCA*. The bodies of its errors are not documented; the
    /// sandbox sends none.
    static let intergiro = SandboxGateway(
        name: "intergiro", credentials: .bearer, account: { ["credentials": ["apiKey": $0]] },
        takesPayments: false,
        fault: { fault, _ in
            let status =
                switch fault {
                case .unauthorized: 401
                case .malformed, .missing: 400
                case .notFound: 404
                case .reusedKey, .duplicate, .refused: 409
                case .failed(let status): status
                }
            return SandboxAnswer(status)
        },
        routes: [
            .post("/v3/auth/login", ["api_key"], by: .open) { call, book in
                guard call.body["api_key"]?.string == Sandbox.secret else {
                    return .answer(call.fault(.unauthorized))
                }
                return session(call, &book)
            },
            .post("/v3/auth/refresh", ["refresh_token"], by: .open) { call, book in
                let token = call.body["refresh_token"]?.string ?? ""
                let name = "refresh token \(token)"
                guard
                    token == Sandbox.secret
                        || book[value: name, of: call.gateway.name] == .boolean(true)
                else { return .answer(call.fault(.unauthorized)) }
                book[value: name, of: call.gateway.name] = .boolean(false)
                return session(call, &book)
            },
            .post("/v3/cards/*/apple_pay/tokenize", do: tokenize),
            .post("/v3/consents/*", do: consent),
        ])

    private static func session(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let (access, refresh) = (book.nextUUID(), book.nextUUID())
        book[value: Credentials.tokenName(access), of: call.gateway.name] = .boolean(true)
        book[value: "refresh token \(refresh)", of: call.gateway.name] = .boolean(true)
        return .ok(["access_token": .string(access), "refresh_token": .string(refresh)])
    }

    /// Returns the answer to a tokenization; the number at the end of the card's identifier selects the scenario.
    private static func tokenize(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let digits = call.segments[0].utf8.reversed().prefix { (0x30...0x39).contains($0) }
        let purchase = Purchase(
            amount: Int64(String(decoding: digits.reversed(), as: UTF8.self)),
            reference: call.segments[0], captures: true)
        return call.pay(purchase, id: book.nextUUID(), in: &book) { consent in
            guard consent.state != .declined else { return SandboxAnswer(403) }
            let body: JSON = [
                "id": .string(consent.id), "status": consent.word("pending"),
                "scope": ["apple_pay"], "expires_at": "2099-12-31T23:59:59.000Z",
            ]
            return SandboxAnswer(412, ["consent": body])
        }
    }

    private static func consent(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let id = call.segments[0]
        guard book[payment: id, of: call.gateway.name] != nil else {
            return .answer(call.fault(.notFound))
        }
        // The answer contains a token in the app flow, but not in the browser flow.
        let isBrowser = call.body["return_url"]?.string?.isEmpty == false
        let method: JSON = [
            "redirect_url": .string(call.customerURL(id)),
            "token": isBrowser ? nil : .string(book.nextUUID()),
            "expires_at": "2099-12-31T23:59:59+02:00",
        ]
        return .ok(["method": method])
    }
}
