import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as Worldline Direct documents it.
///
/// Keys: the first outcome for 24 hours, whatever the later body, and also of a refused request; a repetition has the header
/// `X-GCS-Idempotence-Request-Timestamp`. A payment is found by its identifier only. `merchantParameters` comes back as it
/// was sent, in queries and messages. Only `creationOutput` has the token of a card that an Apple Pay payment stored. Left
/// open by the documents: whether the answer to the payment contains `merchantParameters` (here it does not), and whether a
/// lost request whose key was forgotten is refused (here it is not).
struct WorldlineDirectServer: Vendor {
    static let keyID = "webhook-key"
    static let secret = "webhook-secret"

    func purpose(of request: VendorRequest) -> VendorPurpose {
        guard request.method == "POST" else { return .other }
        return request.path.last == "payments"
            ? .payment : request.path.dropFirst(2).first == "payments" ? .operation : .other
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let path = request.path
        guard path.count >= 3, request.segment(0) == "v2" else {
            return Worldline.error(404, "1002")
        }
        switch (request.method, path.last ?? "") {
        case ("POST", "payments"): return pay(request, &books)
        case ("POST", "hostedcheckouts"): return page(&books)
        case ("POST", let operation):
            return perform(operation, on: request.segment(3), request, &books)
        case (_, "details"): return details(request.segment(3), books)
        default: return page(books.sessions[request.segment(3)], request.segment(3), books)
        }
    }

    private func pay(_ request: VendorRequest, _ books: inout VendorBooks) -> GatewayResponse {
        let key = request.header("X-GCS-Idempotence-Key")
        guard !books.isWorking else {
            return Worldline.error(409, "1409", id: "DUPLICATE_REQUEST_IN_PROGRESS")
        }
        if let kept = books.kept(key, hours: 24) {
            let time = "\(Int(kept.time.timeIntervalSince1970 * 1_000))"
            return kept.answer.adding(("X-GCS-Idempotence-Request-Timestamp", time))
        }
        let json = request.json
        let stored = json.text("cardPaymentMethodSpecificInput", "token")
        let input = "\(stored == nil ? "mobile" : "card")PaymentMethodSpecificInput"
        guard let amount = json.integer("order", "amountOfMoney", "amount"),
            let currency = json.text("order", "amountOfMoney", "currencyCode"),
            let card = stored ?? json.text(input, "decryptedPaymentData", "dpan")
                ?? json.text(input, "encryptedPaymentData"), books.decision != .refuse,
            books.knows(stored)
        else {
            let error = Worldline.error(400, "50001111", id: "INVALID_VALUE")
            books.keep(error, nil, for: key)
            return error
        }
        let payment = books.add(
            id: "3\(100_000_000 + books.next())_0",
            reference: json.text("order", "references", "merchantReference") ?? "",
            mark: json.text("order", "references", "merchantParameters"), amount: amount,
            currency: currency, card: card,
            capturesAtOnce: json.text(input, "authorizationMode") == "SALE")
        if let surcharge = books.surcharge {
            books.change(payment.id) {
                ($0.surcharge, $0.acquired) = (surcharge, amount + surcharge)
            }
        }
        let isStored = json.boolean(input, "paymentProduct302SpecificInput", "tokenize") == true
        if isStored || stored != nil {
            books.storedCards[payment.id] = stored ?? "token-\(payment.id)"
        }
        let answer = self.answer(
            books[id: payment.id] ?? payment, token: books.storedCards[payment.id])
        books.keep(answer, payment.id, for: key)
        return answer
    }

    private func answer(_ payment: VendorPayment, token: String?) -> GatewayResponse {
        let object = self.payment(payment, withMark: false)
        switch payment.status {
        case .declined, .expired:
            return .json(
                402,
                [
                    "errorId": "e-1", "errors": [Worldline.decline(402)],
                    "paymentResult": ["payment": object],
                ])
        case .open:
            return .json(
                201,
                [
                    "payment": object,
                    "merchantAction": [
                        "actionType": "REDIRECT",
                        "redirectData": ["redirectURL": "https://bank.example/acs"],
                    ],
                ])
        case .authorized, .captured:
            return .json(201, ["creationOutput": ["token": token], "payment": object])
        }
    }

    /// Returns a payment as its own answers, queries and messages contain it.
    private func payment(
        _ payment: VendorPayment, withMark: Bool, hasReturn: Bool = true
    ) -> [String: Any?] {
        let (status, code) = Self.state(payment, hasReturn)
        let mark = withMark ? payment.mark : nil
        let isDone = payment.status == .authorized || payment.status == .captured
        return [
            "id": payment.id, "status": status,
            "statusOutput": [
                "statusCode": code, "isAuthorized": code == 5,
                "errors": payment.status == .declined ? [Worldline.decline(402)] : nil,
            ] as [String: Any?],
            "paymentOutput": [
                "amountOfMoney": Worldline.money(payment.amount, payment.currency),
                "acquiredAmount": Worldline.money(
                    isDone ? payment.acquired ?? payment.amount : 0, payment.currency),
                "surchargeSpecificOutput": payment.surcharge.map {
                    ["surchargeAmount": Worldline.money($0, payment.currency)]
                },
                "merchantParameters": mark,
                "references": [
                    "merchantReference": payment.reference, "merchantParameters": mark,
                ] as [String: Any?],
            ] as [String: Any?],
        ]
    }

    private static func state(_ payment: VendorPayment, _ hasReturn: Bool) -> (String, Int) {
        switch payment.status {
        case .open: ("REDIRECTED", 46)
        case .declined: ("REJECTED", 2)
        case .expired: ("CANCELLED", 1)
        case .authorized where payment.captured == 0: ("PENDING_CAPTURE", 5)
        case .authorized, .captured:
            payment.refunded == payment.captured && hasReturn ? ("REFUNDED", 8) : ("CAPTURED", 9)
        }
    }

    private func details(_ id: String, _ books: VendorBooks) -> GatewayResponse {
        guard let found = books[id: id],
            found.isForeign || books.now.timeIntervalSince(found.time) >= books.paymentLag
        else { return Worldline.error(404, "50001130", id: "UNKNOWN_PAYMENT_ID") }
        let refunds = found.listed(.refund, at: books.now, lag: books.refundLag)
        // The status changes with the payment itself, which may be before the list of operations has it.
        var object = payment(
            found, withMark: true, hasReturn: books.refundLag == 0 || !refunds.isEmpty)
        let number = id.prefix { $0 != "_" }
        func operation(
            _ index: Int, _ status: String, _ code: Int, _ amount: Int64
        ) -> [String: Any?] {
            [
                "id": "\(number)_\(index)", "status": status, "statusOutput": ["statusCode": code],
                "amountOfMoney": Worldline.money(amount, found.currency),
                "references": ["merchantReference": found.reference],
            ]
        }
        let (status, code): (String, Int) =
            switch found.status {
            case .captured: ("CAPTURED", 9)
            case .authorized: ("PENDING_CAPTURE", 5)
            default: Self.state(found, true)
            }
        var operations = [operation(0, status, code, found.amount)]
        for one in found.listed(.capture, at: books.now, lag: 0) {
            operations.append(operation(operations.count, "CAPTURED", 9, one.amount))
        }
        for one in refunds {
            operations.append(operation(operations.count, "REFUNDED", 8, one.amount))
        }
        object["Operations"] = operations
        return .json(200, object)
    }

    private func perform(
        _ name: String, on id: String, _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let key = request.header("X-GCS-Idempotence-Key")
        if let kept = books.kept(key, hours: 24) { return kept.answer }
        guard let payment = books[id: id] else { return Worldline.error(404, "50001130") }
        let json = request.json
        let amount =
            json.integer("amountOfMoney", "amount") ?? json.integer("amount") ?? payment.amount
        let operationID = "\(id.prefix { $0 != "_" })_\(payment.operations.count + 1)"
        let done =
            switch name {
            case "refund": books.refund(id, amount, operation: operationID)
            case "capture": books.capture(id, amount, operation: operationID)
            default: VendorPayment.Operation?.none
            }
        guard done != nil else { return Worldline.error(400, "50001120", id: "NOT_POSSIBLE") }
        let isRefund = name == "refund"
        let answer = GatewayResponse.json(
            201,
            [
                "id": operationID, "status": isRefund ? "REFUNDED" : "CAPTURED",
                "statusOutput": ["statusCode": isRefund ? 8 : 9],
                "\(name)Output": [
                    "amountOfMoney": Worldline.money(amount, payment.currency),
                    "references": ["merchantReference": payment.reference],
                ],
            ])
        books.keep(answer, id, for: key)
        return answer
    }

    private func page(_ books: inout VendorBooks) -> GatewayResponse {
        let id = "page-\(books.next())"
        books.sessions[id] = [:]
        return .json(
            201,
            [
                "hostedCheckoutId": id, "RETURNMAC": "mac-\(id)",
                "redirectUrl": "https://payment.example/\(id)",
            ])
    }

    private func page(
        _ session: [String: String]?, _ id: String, _ books: VendorBooks
    ) -> GatewayResponse {
        guard session != nil else { return Worldline.error(404, "1002") }
        return .json(200, ["status": "IN_PROGRESS"])
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "3\(200_000_000 + books.next())_0", reference: reference, amount: amount,
            isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        let (status, _) = Self.state(payment, true)
        return try Worldline.message(
            "payment.\(status.lowercased())", self.payment(payment, withMark: true),
            id: "\(payment.id)-\(status)", at: books.now)
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = WorldlineDirect(
            merchantId: account == .second ? "m-2" : "m-1", credentials: Worldline.credentials,
            environment: account == .test ? .preproduction : .live)
        gateway.webhookKeys = [
            ExactText(Self.keyID): SensitiveBytes(copying: Self.secret.utf8.span)
        ]
        gateway.options.authorizationMode = .sale
        return gateway
    }
}

/// What Worldline's two platforms have in common.
extension Worldline {
    static let credentials = Credentials(
        apiKeyId: "key", secretAPIKey: SensitiveBytes(copying: "secret".utf8.span))

    static func money(_ amount: Int64, _ currency: String) -> [String: Any] {
        ["amount": amount, "currencyCode": currency]
    }

    /// Returns an error about the merchant's request.
    static func error(
        _ status: Int, _ code: String, id: String = "UNKNOWN"
    ) -> GatewayResponse {
        let error: [String: Any] = [
            "errorCode": code, "code": code, "category": "DIRECT_PLATFORM_ERROR", "id": id,
            "httpStatusCode": status, "message": id, "propertyName": "order", "retriable": false,
        ]
        return .json(status, ["errorId": "e-0", "errors": [error]])
    }

    /// Returns the error of a declined card.
    static func decline(_ status: Int) -> [String: Any] {
        [
            "errorCode": "30051001", "code": "30051001", "category": "PAYMENT_PLATFORM_ERROR",
            "id": "DECLINED", "httpStatusCode": status, "message": "DECLINED", "retriable": false,
        ]
    }

    /// Returns a signed message about a payment.
    static func message(
        _ type: String, _ payment: [String: Any?], id: String, at time: Date
    ) throws -> GatewayMessage {
        let body = JSON.encoded([
            "apiVersion": "v1", "id": id, "type": type, "merchantId": "m-1",
            "created": time.formatted(.iso8601), "payment": payment,
        ])
        let code = try HMACSHA256.code(
            of: body.utf8.span, key: Array(WorldlineDirectServer.secret.utf8).span)
        return GatewayMessage(
            method: "POST", target: "/hook",
            headers: [
                ("X-GCS-KeyId", WorldlineDirectServer.keyID),
                ("X-GCS-Signature", Data(code.bytes).base64EncodedString()),
            ], body: Array(body.utf8))
    }
}

extension GatewayResponse {
    /// Returns the answer with one more header.
    func adding(_ header: (name: String, value: String)) -> GatewayResponse {
        GatewayResponse(status: status, headers: headers + [header], body: bytes)
    }
}
