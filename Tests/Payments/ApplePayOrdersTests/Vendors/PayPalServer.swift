import ApplePayGateways
import ApplePayOtherGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as PayPal documents Orders v2, as far as the library uses it.
///
/// `PayPal-Request-Id`: the newest state for 6 hours, with 200 instead of 201; whether a refused request is kept is not
/// documented, and here it is. An order is found by its identifier only.
struct PayPalServer: Vendor {
    func purpose(of request: VendorRequest) -> VendorPurpose {
        request.method == "POST" && request.path.last == "orders" ? .payment : .other
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        if request.path.last == "token" {
            return .json(200, ["access_token": "merchant", "token_type": "Bearer"])
        }
        guard request.method == "POST" else {
            guard let payment = books[id: request.path.last ?? ""] else {
                return .json(404, ["name": "RESOURCE_NOT_FOUND", "message": "", "details": []])
            }
            return .json(200, object(payment))
        }
        let key = request.header("PayPal-Request-Id")
        let isOther = books.isOther(request.body, than: books.kept(key, hours: 6))
        guard !books.isWorking, !isOther else {
            let issue =
                isOther ? "PAYPAL_REQUEST_ID_PREVIOUSLY_USED" : "PREVIOUS_REQUEST_IN_PROGRESS"
            let detail = ["issue": issue, "description": ""]
            return .json(
                422,
                [
                    "name": "UNPROCESSABLE_ENTITY", "message": "", "debug_id": "d-1",
                    "details": [detail],
                ])
        }
        if let kept = books.kept(key, hours: 6) {
            guard let payment = kept.paymentID.flatMap({ books[id: $0] }) else {
                return kept.answer
            }
            return .json(200, object(payment))
        }
        let json = request.json
        let unit = json.objects("purchase_units").first
        guard let unit, let value = unit.text("amount", "value").flatMap({ Decimal(string: $0) }),
            let card = json.text(
                "payment_source", "apple_pay", "decrypted_token", "tokenized_card", "number"),
            books.decision != .refuse
        else {
            let detail = ["issue": "PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING", "description": ""]
            let answer = GatewayResponse.json(
                422,
                [
                    "name": "UNPROCESSABLE_ENTITY", "message": "", "debug_id": "d-1",
                    "details": [detail],
                ])
            books.keep(answer, nil, for: key)
            return answer
        }
        let payment = books.add(
            id: "PP\(books.next())", reference: unit.text("reference_id") ?? "",
            mark: unit.text("custom_id"), amount: NSDecimalNumber(decimal: value * 100).int64Value,
            currency: unit.text("amount", "currency_code") ?? "", card: card)
        let answer = GatewayResponse.json(201, object(payment))
        books.keep(answer, payment.id, for: key, body: request.body)
        return answer
    }

    private func object(_ payment: VendorPayment) -> [String: Any?] {
        func money(_ amount: Int64) -> [String: Any] {
            let cents = String("\(100 + amount % 100)".dropFirst())
            return ["currency_code": payment.currency, "value": "\(amount / 100).\(cents)"]
        }
        let isOpen = payment.status == .open
        let word =
            payment.status == .declined || payment.status == .expired
            ? "DECLINED"
            : payment.refunded == 0
                ? "COMPLETED"
                : payment.refunded == payment.amount ? "REFUNDED" : "PARTIALLY_REFUNDED"
        let capture: [String: Any?] = [
            "id": "\(payment.id)C", "status": word, "amount": money(payment.amount),
            "final_capture": true,
        ]
        let refunds = payment.operations.map { one in
            ["id": one.id, "status": "COMPLETED", "amount": money(one.amount)] as [String: Any]
        }
        return [
            "id": payment.id, "status": isOpen ? "PAYER_ACTION_REQUIRED" : "COMPLETED",
            "links": isOpen ? [["rel": "payer-action", "href": "https://bank.example/acs"]] : nil,
            "purchase_units": [
                [
                    "reference_id": payment.reference, "custom_id": payment.mark,
                    "amount": money(payment.amount),
                    "payments": isOpen
                        ? nil
                        : [
                            "captures": [capture], "refunds": refunds.isEmpty ? nil : refunds,
                        ] as [String: Any?],
                ] as [String: Any?]
            ],
        ]
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "PPFORM\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        nil
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = PayPal(
            credentials: .client(
                id: account == .second ? "client-2" : "client-1",
                secret: SensitiveBytes(copying: "secret".utf8.span)),
            environment: account == .test ? .sandbox : .live)
        gateway.account = account == .second ? "shop-2" : "shop-1"
        return gateway
    }
}
