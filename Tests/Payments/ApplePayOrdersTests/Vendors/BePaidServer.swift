import ApplePayGateways
import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors

/// A server that behaves as bePaid documents it.
///
/// `RequestID`: the same answer for 24 hours; whether a refused request (422) is kept is not documented, and here it is.
/// Nothing is documented about a repeated key with another body; here the first answer comes back. A query by `tracking_id`
/// returns the ten newest transactions; whether refunds are among them is a setting.
struct BePaidServer: Vendor {
    private static let key = Result { try RSAKey.seeded("bepaid", label: "vendor") }

    func purpose(of request: VendorRequest) -> VendorPurpose {
        guard request.method == "POST" else { return .other }
        switch request.path.last {
        case "payments", "authorizations", "charges": return .payment
        case "captures", "voids", "refunds": return .operation
        default: return .other
        }
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let name = request.path.last ?? ""
        guard request.method == "POST" else {
            guard request.path.dropLast().last == "tracking_id" else { return Self.missing }
            return .json(200, ["transactions": transactions(reference: name, books)])
        }
        let key = request.header("RequestID")
        if let kept = books.kept(key, hours: 24) { return kept.answer }
        let (answer, id): (GatewayResponse, String?) =
            purpose(of: request) == .payment
            ? pay(request, &books) : perform(name, request, &books)
        books.keep(answer, id, for: key)
        return answer
    }

    private static let missing = GatewayResponse.json(404, ["message": "Not found"])

    private static func invalid(_ field: String) -> GatewayResponse {
        .json(
            422,
            [
                "response": [
                    "status": "error", "message": "\(field) is invalid",
                    "errors": [field: ["is invalid"]],
                ] as [String: Any]
            ])
    }

    private func pay(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> (GatewayResponse, String?) {
        let json = request.json
        guard let amount = json.integer("request", "amount"),
            let currency = json.text("request", "currency"),
            json.text("request", "description") != nil,
            let card = json.text("request", "credit_card", "token"), books.decision != .refuse
        else { return (Self.invalid("currency"), nil) }
        let payment = books.add(
            id: "uid-\(books.next())", reference: json.text("request", "tracking_id") ?? "",
            amount: amount, currency: currency, card: card,
            capturesAtOnce: request.path.last != "authorizations",
            isTest: json.boolean("request", "test") ?? false)
        if books.splitsCharges, payment.status == .captured {
            // The acquirer reserves first, and captures at once: two transactions.
            books.change(payment.id) { one in
                one.status = .authorized
                one.capturedAtOnce = 0
            }
            _ = books.capture(payment.id, amount, operation: "uid-\(books.next())")
            let split = books[id: payment.id] ?? payment
            return (.json(200, ["transaction": transaction(split)]), payment.id)
        }
        return (.json(200, ["transaction": transaction(payment)]), payment.id)
    }

    private func transaction(_ payment: VendorPayment) -> [String: Any?] {
        let (status, code, message): (String, String?, String) =
            switch payment.status {
            case .open: ("incomplete", nil, "3-D Secure is required")
            case .authorized, .captured: ("successful", "S.0000", "Successfully processed")
            case .declined: ("failed", "F.0119", "Card was declined")
            case .expired: ("expired", nil, "Expired")
            }
        let type = payment.status == .authorized ? "authorization" : "payment"
        return [
            "uid": payment.id, "type": type, "status": status, "code": code, "message": message,
            "amount": payment.amount, "currency": payment.currency,
            "tracking_id": payment.reference, "test": payment.isTest,
            "created_at": payment.time.formatted(.iso8601),
            "redirect_url": payment.status == .open ? "https://bank.example/acs" : nil,
            type: ["status": status],
        ]
    }

    /// Returns a payment and the operations on it.
    private func transactions(_ payment: VendorPayment, _ books: VendorBooks) -> [[String: Any?]] {
        let captures = payment.listed(.capture, at: books.now, lag: 0)
        let refunds = payment.listed(.refund, at: books.now, lag: books.refundLag)
        func child(_ one: VendorPayment.Operation, _ type: String, _ parent: String)
            -> [String: Any?]
        {
            [
                "uid": one.id, "type": type, "status": "successful", "amount": one.amount,
                "currency": payment.currency, "parent_uid": parent,
                "tracking_id": payment.reference, "test": payment.isTest, type: [:],
            ]
        }
        return [transaction(payment)] + captures.map { child($0, "capture", payment.id) }
            + refunds.map { child($0, "refund", captures.first?.id ?? payment.id) }
    }

    private func transactions(reference: String, _ books: VendorBooks) -> [[String: Any?]] {
        Array(books.listed(reference: reference).flatMap { transactions($0, books) }.prefix(10))
    }

    private func perform(
        _ name: String, _ request: VendorRequest, _ books: inout VendorBooks
    ) -> (GatewayResponse, String?) {
        let json = request.json
        guard let parent = json.text("request", "parent_uid"),
            let amount = json.integer("request", "amount"), books.decision != .refuse
        else { return (Self.invalid("amount"), nil) }
        let uid = "uid-\(books.next())"
        // A refund names what was captured: a payment, or the capture of an authorization.
        let payment = books.payments.first { one in
            one.id == parent && (name != "refunds" || one.status == .captured)
                || name == "refunds" && one.operations.contains { $0.id == parent }
        }
        guard let payment else { return (Self.invalid("parent_uid"), nil) }
        let done =
            switch name {
            case "refunds": books.refund(payment.id, amount, operation: uid)
            case "captures": books.capture(payment.id, amount, operation: uid)
            default: VendorPayment.Operation?.none
            }
        guard done != nil else { return (Self.invalid("amount"), nil) }
        let type = String(name.dropLast())
        let answer: [String: Any?] = [
            "uid": uid, "type": type, "status": "successful", "amount": amount,
            "currency": payment.currency, "parent_uid": parent, "message": "Successfully processed",
            "test": payment.isTest, type: [:],
        ]
        return (.json(200, ["transaction": answer]), payment.id)
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "form-\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        let body = JSON.encoded(["transaction": transaction(payment)])
        let hash = try Digest.sha256.hash(Array(body.utf8))
        let signature = try Self.key.get().sign(hash: hash, digest: .sha256)
        return GatewayMessage(
            method: "POST", target: "/hook",
            headers: [("Content-Signature", Data(signature).base64EncodedString())],
            body: Array(body.utf8))
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = BePaid(
            shopId: account == .second ? "shop-2" : "shop-1",
            secretKey: SensitiveBytes(copying: "secret".utf8.span))
        gateway.isTest = account == .test
        let encoding = PrivateKey.rsa(try Self.key.get()).subjectPublicKeyInfo
        gateway.notificationKey = try BePaid.NotificationKey(
            Data(encoding).base64EncodedString())
        return gateway
    }
}
