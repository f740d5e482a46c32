import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as Dintero documents it.
///
/// No keys; a session has at most one transaction. Transactions are found by identifier, by session and by
/// `merchant_reference`. Left open by the documents: whether a canceled or expired session refuses a late payment (here it
/// does not), and the errors of a repeated `pay` (here 409). A session with `generate_payment_token` stores the card. The merchant's
/// second reference comes back with a transaction.
struct DinteroServer: Vendor {
    static let secret = "callback-secret"
    private static let host = "shop.example"

    func purpose(of request: VendorRequest) -> VendorPurpose {
        guard request.method == "POST" else { return .other }
        switch request.path.last {
        case "pay": return .payment
        case "capture", "refund", "void": return .operation
        default: return .other
        }
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let path = request.path
        switch (request.method, path.last ?? "") {
        case ("POST", "token"):
            return .json(200, ["access_token": "merchant", "expires_in": 3_600])
        case ("POST", "sessions"): return session(request, &books)
        case ("POST", "dintero_psp.applepay"): return operations(request.segment(2))
        case ("POST", "submit"): return submit(request.segment(0), &books)
        case ("POST", "pay") where request.path.count == 3: return payWithCard(request, &books)
        case ("POST", "pay"): return pay(in: request.segment(2), &books)
        case ("POST", let name): return perform(name, on: request.segment(2), request, &books)
        case (_, "transactions"): return search(request, books)
        default:
            return request.segment(1) == "sessions"
                ? session(request.segment(2), books) : transaction(request, books)
        }
    }

    private static func error(_ status: Int, _ code: String) -> GatewayResponse {
        .json(status, ["error": ["code": code, "message": code, "errors": []] as [String: Any]])
    }

    private func session(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let json = request.json
        guard let amount = json.integer("order", "amount"),
            let currency = json.text("order", "currency"),
            json.text("url", "return_url") != nil
        else { return Self.error(400, "invalid_request") }
        let id = "P11111111.s\(books.next())"
        books.sessions[id] = [
            "amount": "\(amount)", "currency": currency,
            "reference": json.text("order", "merchant_reference") ?? "",
            "storesCard": json.boolean(
                "configuration", "dintero_psp", "applepay", "generate_payment_token") == true
                ? "yes" : nil,
        ].compactMapValues { $0 }
        return .json(200, ["id": id, "url": "https://checkout.example/\(id)"])
    }

    private func operations(_ session: String) -> GatewayResponse {
        let operation = [
            "href": "https://psp.example/\(session)/submit?access_token=token-\(session)",
            "method": "POST", "rel": "submit-dintero-psp-applepay",
        ]
        return .json(200, ["operations": [operation]])
    }

    private func submit(_ session: String, _ books: inout VendorBooks) -> GatewayResponse {
        let number = books.next()
        books.sessions[session]?["card"] = "card-\(number)"
        return .json(
            200,
            [
                "payment_id": "a\(number)", "transaction_id": "t\(number)",
                "type": "APPLE_PAY_AUTHENTICATION",
            ])
    }

    private func pay(in id: String, _ books: inout VendorBooks) -> GatewayResponse {
        guard let session = books.sessions[id] else { return Self.error(404, "not_found") }
        guard !books.payments.contains(where: { $0.session == id }) else {
            return Self.error(409, "session_has_transaction")
        }
        guard books.decision != .refuse else { return Self.error(400, "invalid_configuration") }
        let payment = books.add(
            id: "P11111111.t\(books.next())", reference: session["reference"] ?? "", session: id,
            amount: session["amount"].flatMap { Int64($0) } ?? 0,
            currency: session["currency"] ?? "", card: session["card"] ?? "")
        if session["storesCard"] != nil, payment.money > 0 {
            books.sessions["token-\(payment.id)"] = [:]
        }
        switch payment.status {
        case .authorized, .captured: return .json(200, ["success": true])
        case .open: return .json(200, ["redirect_url": "https://bank.example/acs"])
        case .declined, .expired: return .json(200, ["success": false])
        }
    }

    /// Creates a session and pays it with a stored card.
    private func payWithCard(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let json = request.json
        let card = json.text(
            "session", "customer", "tokens", "dintero_psp.applepay", "payment_token")
        let reference = json.text("session", "order", "merchant_reference") ?? ""
        let isTaken = books.payments.contains { $0.reference == reference && $0.money > 0 }
        guard let card, books.sessions.keys.contains(card), books.decision != .refuse,
            json.text("payment", "operation") == "unscheduled_purchase",
            request.header("Dintero-Feature-Toggles") == "strict-success-merchant-reference",
            !isTaken, let amount = json.integer("session", "order", "amount")
        else { return Self.error(400, "invalid_request") }
        let session = "P11111111.s\(books.next())"
        let payment = books.add(
            id: "P11111111.t\(books.next())", reference: reference,
            mark: json.text("session", "order", "merchant_reference_2"), session: session,
            amount: amount, currency: json.text("session", "order", "currency") ?? "", card: card)
        var answer = object(payment, books)
        answer["success"] = payment.money > 0
        return .json(200, answer)
    }

    private func session(_ id: String, _ books: VendorBooks) -> GatewayResponse {
        guard let session = books.sessions[id] else { return Self.error(404, "not_found") }
        let payment = books.payments.first { $0.session == id }
        return .json(
            200,
            [
                "id": id, "transaction_id": payment?.id,
                "order": [
                    "amount": session["amount"].flatMap { Int64($0) },
                    "currency": session["currency"], "merchant_reference": session["reference"],
                ] as [String: Any?],
            ])
    }

    private func object(_ payment: VendorPayment, _ books: VendorBooks) -> [String: Any?] {
        let refunds = payment.listed(.refund, at: books.now, lag: books.refundLag)
        let status: String =
            switch payment.status {
            case .open: books.usesLowerCase ? "INITIALIZED" : "INITIATED"
            case .declined, .expired: "FAILED"
            case .authorized: "AUTHORIZED"
            case .captured where refunds.isEmpty: "CAPTURED"
            case .captured: payment.refunded == payment.amount ? "REFUNDED" : "PARTIALLY_REFUNDED"
            }
        var events: [[String: Any?]] = [
            [
                "id": "\(payment.id)-a", "event": "AUTHORIZE", "amount": payment.amount,
                "success": payment.status != .declined,
                "error": payment.status == .declined
                    ? ["code": "DECLINED", "type": ["ISSUER_ERROR"]] as [String: Any] : nil,
            ]
        ]
        if payment.capturedAtOnce > 0 {
            events.append([
                "id": "\(payment.id)-c", "event": "CAPTURE", "amount": payment.capturedAtOnce,
                "success": true,
            ])
        }
        for one in refunds {
            events.append([
                "id": one.id, "event": "REFUND", "amount": one.amount, "success": true,
                "event_reference": one.reference,
            ])
        }
        return [
            "id": payment.id, "session_id": payment.session,
            "merchant_reference": payment.reference, "merchant_reference_2": payment.mark,
            "amount": payment.amount,
            "currency": payment.currency, "events": events,
            "status": books.usesLowerCase ? status.lowercased() : status,
        ]
    }

    private func transaction(
        _ request: VendorRequest, _ books: VendorBooks
    ) -> GatewayResponse {
        guard let payment = books[id: request.segment(2)] else {
            return Self.error(404, "not_found")
        }
        var answer = object(payment, books)
        if request.query["includes"] == "card.payment_token",
            books.sessions["token-\(payment.id)"] != nil
        {
            answer["card"] = ["payment_token": "token-\(payment.id)"]
        }
        return .json(200, answer)
    }

    private func search(_ request: VendorRequest, _ books: VendorBooks) -> GatewayResponse {
        let all = books.listed(reference: request.query["merchant_reference"] ?? "")
        let limit = request.query["limit"].flatMap { Int($0) } ?? 10
        return .json(200, ["transactions": all.prefix(limit).map { object($0, books) }])
    }

    private func perform(
        _ name: String, on id: String, _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let json = request.json
        let reference = json.text("\(name)_reference") ?? ""
        guard let amount = json.integer("amount"), name == "refund",
            books.refund(id, amount, operation: "r\(books.next())", reference: reference) != nil,
            var payment = books[id: id]
        else { return Self.error(400, "invalid_amount") }
        // The answer contains the refund, whatever the lists contain later.
        for index in payment.operations.indices { payment.operations[index].isListed = true }
        var current = books
        current.refundLag = 0
        return .json(200, object(payment, current))
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        let number = books.next()
        return books.add(
            id: "P11111111.form\(number)", reference: reference,
            session: "P11111111.form-session\(number)", amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        let seconds = Int(books.now.timeIntervalSince1970)
        var items = [
            ("merchant_reference", payment.reference), ("session_id", payment.session ?? ""),
            ("time", "\(seconds)"), ("transaction_id", payment.id),
        ]
        if payment.status == .declined { items.insert(("error", "authorization"), at: 0) }
        let query = items.map { "\($0)=\($1)" }.joined(separator: "&")
        let text = "\(seconds)\nP11111111\nGET\n\(Self.host)\n/callback\n\(query)"
        let code = try HMACSHA256.code(of: text.utf8.span, key: Array(Self.secret.utf8).span)
        let digits = code.bytes.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
        return GatewayMessage(
            method: "GET", target: "/callback?\(query)",
            headers: [
                ("Host", Self.host), ("Dintero-Signature", "t=\(seconds),v0-hmac-sha256=\(digits)"),
            ], body: [])
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        let id =
            switch account {
            case .first: "P11111111"
            case .second: "P22222222"
            case .test: "T11111111"
            }
        var gateway = Dintero(
            accountID: id,
            credentials: .client(id: "client", secret: SensitiveBytes(copying: "secret".utf8.span)))
        gateway.callbackSecret = SensitiveBytes(copying: Self.secret.utf8.span)
        return gateway
    }
}
