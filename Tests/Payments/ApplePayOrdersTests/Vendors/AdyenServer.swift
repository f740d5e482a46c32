import ApplePayGateways
import ApplePayOtherGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as Adyen documents `/payments`, as far as the library uses it.
///
/// `Idempotency-Key`: the first response for at least 31 days, here also of a refused request; another body is not
/// documented, and here the first response comes back. There is no query, and the library reads no messages.
struct AdyenServer: Vendor {
    func purpose(of request: VendorRequest) -> VendorPurpose {
        request.path.last == "payments" ? .payment : .other
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let key = request.header("Idempotency-Key")
        guard !books.isWorking,
            !books.isOther(request.body, than: books.kept(key, hours: 31 * 24))
        else {
            return .json(
                422,
                [
                    "status": 422, "errorCode": "704", "errorType": "validation",
                    "message": "request already processed or in progress",
                ])
        }
        if let kept = books.kept(key, hours: 31 * 24) { return kept.answer }
        let json = request.json
        guard let amount = json.integer("amount", "value"),
            let currency = json.text("amount", "currency"),
            let card = json.text("paymentMethod", "number"), books.decision != .refuse
        else {
            let answer = GatewayResponse.json(
                422,
                [
                    "status": 422, "errorCode": "14_007", "errorType": "validation",
                    "message": "Invalid payment method data",
                ])
            books.keep(answer, nil, for: key)
            return answer
        }
        let payment = books.add(
            id: "PSP\(books.next())", reference: json.text("reference") ?? "", amount: amount,
            currency: currency, card: card, capturesAtOnce: false)
        let answer = GatewayResponse.json(200, object(payment))
        books.keep(answer, payment.id, for: key, body: request.body)
        return answer
    }

    private func object(_ payment: VendorPayment) -> [String: Any?] {
        let isRefused = payment.status == .declined || payment.status == .expired
        return [
            "pspReference": payment.id, "merchantReference": payment.reference,
            "resultCode": isRefused
                ? "Refused" : payment.status == .open ? "RedirectShopper" : "Authorised",
            "refusalReason": isRefused ? "Not enough balance" : nil,
            "refusalReasonCode": isRefused ? "12" : nil,
            "amount": isRefused
                ? nil : ["currency": payment.currency, "value": payment.amount] as [String: Any],
            "action": payment.status == .open
                ? ["method": "GET", "type": "redirect", "url": "https://bank.example/acs"] : nil,
        ]
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "PSPFORM\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        nil
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        try Adyen(
            apiKey: SensitiveBytes(copying: "key".utf8.span),
            merchantAccount: account == .second ? "Shop2" : "Shop1",
            environment: account == .test ? .test : .live(prefix: "1797a841fbb37ca7-Shop"))
    }
}
