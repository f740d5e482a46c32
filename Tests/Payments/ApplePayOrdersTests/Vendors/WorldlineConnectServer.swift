import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as Worldline Connect documents it.
///
/// Keys: the first outcome for 24 hours; whether a refused request is kept is not documented, and here it is. Payments are
/// found by identifier and by `merchantReference`. The totals of a payment are in the lists of its captures and refunds.
struct WorldlineConnectServer: Vendor {
    func purpose(of request: VendorRequest) -> VendorPurpose {
        WorldlineDirectServer().purpose(of: request)
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let path = request.path
        guard path.count >= 3, request.segment(0) == "v1", request.segment(2) == "payments" else {
            return Worldline.error(404, "1002")
        }
        switch (request.method, path.count) {
        case ("POST", 3): return pay(request, &books)
        case ("POST", _): return perform(path.last ?? "", on: request.segment(3), request, &books)
        case (_, 3): return search(request, books)
        case (_, 4):
            return found(request.segment(3), books).map { .json(200, payment($0, books)) }
                ?? Self.unknown
        default:
            return found(request.segment(3), books).map {
                operations(request.segment(4), of: $0, books)
            } ?? Self.unknown
        }
    }

    private static let unknown = Worldline.error(404, "1002", id: "UNKNOWN_PAYMENT_ID")

    private func found(_ id: String, _ books: VendorBooks) -> VendorPayment? {
        books[id: id].flatMap { payment in
            books.now.timeIntervalSince(payment.time) >= books.paymentLag ? payment : nil
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
        let input = "mobilePaymentMethodSpecificInput"
        let stored = json.text(input, "token")
        guard let amount = json.integer("order", "amountOfMoney", "amount"),
            let currency = json.text("order", "amountOfMoney", "currencyCode"),
            let card = stored ?? json.text(input, "decryptedPaymentData", "dpan"),
            books.decision != .refuse, books.knows(stored)
        else {
            let error = Worldline.error(400, "21000120", id: "PARAMETER_INVALID")
            books.keep(error, nil, for: key)
            return error
        }
        let payment = books.add(
            id: "000000\(1_000_000_000 + books.next())00001",
            reference: json.text("order", "references", "merchantReference") ?? "", amount: amount,
            currency: currency, card: card,
            capturesAtOnce: json.text(input, "authorizationMode") == "SALE")
        if json.boolean(input, "tokenize") == true || stored != nil {
            books.storedCards[payment.id] = stored ?? "token-\(payment.id)"
        }
        let object = self.payment(payment, books)
        let answer: GatewayResponse =
            switch payment.status {
            case .declined, .expired:
                .json(
                    402,
                    [
                        "errorId": "e-1", "errors": [Worldline.decline(402)],
                        "paymentResult": ["payment": object],
                    ])
            case .open:
                .json(
                    201,
                    [
                        "payment": object,
                        "merchantAction": [
                            "actionType": "REDIRECT",
                            "redirectData": ["redirectURL": "https://bank.example/acs"],
                        ],
                    ])
            case .authorized, .captured: .json(201, ["payment": object])
            }
        books.keep(answer, payment.id, for: key)
        return answer
    }

    private func payment(_ payment: VendorPayment, _ books: VendorBooks) -> [String: Any?] {
        let status = Self.status(payment)
        let isRefused = payment.status == .declined
        return [
            "id": payment.id, "status": status,
            "statusOutput": [
                "isAuthorized": payment.status == .authorized,
                "errors": isRefused ? [Worldline.decline(402)] : nil,
            ] as [String: Any?],
            "paymentOutput": [
                "amountOfMoney": Worldline.money(payment.amount, payment.currency),
                "references": ["merchantReference": payment.reference],
                "mobilePaymentMethodSpecificOutput": books.storedCards[payment.id].map {
                    ["token": $0, "schemeTransactionId": "s-\(payment.id)"]
                },
            ] as [String: Any?],
        ]
    }

    private static func status(_ payment: VendorPayment) -> String {
        switch payment.status {
        case .open: "REDIRECTED"
        case .declined, .expired: "REJECTED"
        case .authorized where payment.captured == 0: "PENDING_CAPTURE"
        case .authorized, .captured:
            payment.refunded == payment.captured ? "REFUNDED" : "CAPTURED"
        }
    }

    private func search(_ request: VendorRequest, _ books: VendorBooks) -> GatewayResponse {
        let all = books.listed(reference: request.query["merchantReference"] ?? "")
        let limit = Int(request.query["limit"] ?? "") ?? 10
        return .json(
            200,
            [
                "offset": 0, "limit": limit, "totalCount": all.count,
                "payments": all.prefix(limit).map { payment($0, books) },
            ])
    }

    private func operations(
        _ name: String, of payment: VendorPayment, _ books: VendorBooks
    ) -> GatewayResponse {
        let isRefund = name == "refunds"
        let listed = payment.listed(
            isRefund ? .refund : .capture, at: books.now, lag: books.refundLag)
        var amounts = listed.map { ($0.id, $0.amount) }
        if !isRefund, payment.capturedAtOnce > 0 {
            amounts.insert(("\(payment.id)-c", payment.capturedAtOnce), at: 0)
        }
        let objects: [[String: Any]] = amounts.map { id, amount in
            [
                "id": id, "status": isRefund ? "REFUNDED" : "CAPTURED",
                (isRefund ? "refundOutput" : "captureOutput"): [
                    "amountOfMoney": Worldline.money(amount, payment.currency),
                    "references": ["merchantReference": payment.reference],
                ],
            ]
        }
        return .json(200, [name: objects])
    }

    private func perform(
        _ name: String, on id: String, _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let key = request.header("X-GCS-Idempotence-Key")
        if let kept = books.kept(key, hours: 24) { return kept.answer }
        guard let payment = books[id: id] else { return Self.unknown }
        let amount =
            request.json.integer("amountOfMoney", "amount") ?? request.json.integer("amount")
            ?? payment.amount
        let operationID = "\(id)-\(books.next())"
        let done =
            switch name {
            case "refund": books.refund(id, amount, operation: operationID)
            case "capture": books.capture(id, amount, operation: operationID)
            default: VendorPayment.Operation?.none
            }
        guard done != nil else { return Worldline.error(400, "300420") }
        let isRefund = name == "refund"
        let answer = GatewayResponse.json(
            201,
            [
                "id": operationID, "status": isRefund ? "REFUNDED" : "CAPTURED",
                "\(name)Output": [
                    "amountOfMoney": Worldline.money(amount, payment.currency),
                    "references": ["merchantReference": payment.reference],
                ],
            ])
        books.keep(answer, id, for: key)
        return answer
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "000000\(2_000_000_000 + books.next())00001", reference: reference, amount: amount,
            isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        let status = Self.status(payment)
        return try Worldline.message(
            "payment.\(status.lowercased())", self.payment(payment, books),
            id: "\(payment.id)-\(status)",
            at: books.now)
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = WorldlineConnect(
            merchantId: account == .second ? "m-2" : "m-1", credentials: Worldline.credentials,
            environment: account == .test ? .preproduction : .live)
        gateway.webhookKeys = [
            ExactText(WorldlineDirectServer.keyID): SensitiveBytes(
                copying: WorldlineDirectServer.secret.utf8.span)
        ]
        gateway.options.authorizationMode = .sale
        return gateway
    }
}
