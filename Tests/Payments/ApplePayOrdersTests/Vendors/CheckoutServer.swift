import ApplePayGateways
import ApplePayOtherGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as Checkout.com documents it.
///
/// `Cko-Idempotency-Key`: the same answer for 24 hours, after 2xx only; refused requests are carried out again. Nothing is
/// documented about another body. Payments are found by identifier and by reference. A payment is captured after its answer.
struct CheckoutServer: Vendor {
    func purpose(of request: VendorRequest) -> VendorPurpose {
        request.method == "POST" ? .payment : .other
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        guard request.method == "GET" else { return pay(request, &books) }
        if let id = request.path.dropFirst().first {
            guard let payment = books[id: id] else { return GatewayResponse(status: 404, body: []) }
            return .json(200, object(payment, isAnswer: false))
        }
        let all = books.listed(reference: request.query["reference"] ?? "")
        let limit = request.query["limit"].flatMap { Int($0) } ?? 10
        return .json(
            200,
            [
                "limit": limit, "skip": 0, "total_count": all.count,
                "data": all.prefix(limit).map { object($0, isAnswer: false) },
            ])
    }

    private func pay(_ request: VendorRequest, _ books: inout VendorBooks) -> GatewayResponse {
        let key = request.header("Cko-Idempotency-Key")
        if let kept = books.kept(key, hours: 24) { return kept.answer }
        let json = request.json
        guard let amount = json.integer("amount"), let currency = json.text("currency"),
            let card = json.text("source", "token"), books.decision != .refuse
        else {
            return .json(
                422,
                [
                    "request_id": "r-1", "error_type": "request_invalid",
                    "error_codes": ["processing_channel_id_required"],
                ])
        }
        let payment = books.add(
            id: "pay_\(books.next())", reference: json.text("reference") ?? "", amount: amount,
            currency: currency, card: card)
        let answer = GatewayResponse.json(
            payment.status == .open ? 202 : 201, object(payment, isAnswer: true))
        books.keep(answer, payment.id, for: key)
        return answer
    }

    private func object(_ payment: VendorPayment, isAnswer: Bool) -> [String: Any?] {
        let status: String =
            switch payment.status {
            case .open: "Pending"
            case .declined, .expired: "Declined"
            case .authorized: "Authorized"
            case .captured where isAnswer: "Authorized"
            case .captured where payment.refunded == 0: "Captured"
            case .captured:
                payment.refunded == payment.captured ? "Refunded" : "Partially Refunded"
            }
        let isApproved = payment.status == .captured || payment.status == .authorized
        return [
            "id": payment.id, "status": status, "reference": payment.reference,
            "amount": payment.amount, "currency": payment.currency, "approved": isApproved,
            "response_code": isApproved
                ? "10000" : payment.status == .expired ? "20152" : "20051",
            "_links": payment.status == .open
                ? ["redirect": ["href": "https://bank.example/acs"]] : nil,
            "balances": isAnswer || !isApproved
                ? nil
                : [
                    "total_authorized": payment.amount, "total_captured": payment.captured,
                    "total_refunded": payment.refunded,
                    "available_to_capture": payment.amount - payment.captured,
                ],
        ]
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "pay_form\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        nil
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = try Checkout(
            secretKey: SensitiveBytes(copying: "secret".utf8.span),
            environment: account == .test ? .sandbox : .live)
        gateway.account = account == .second ? "shop-2" : "shop-1"
        return gateway
    }
}
