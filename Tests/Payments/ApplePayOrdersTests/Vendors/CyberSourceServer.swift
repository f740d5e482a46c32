import ApplePayGateways
import ApplePayOtherGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as CyberSource documents its payments, as far as the library uses them.
///
/// No keys, no queries and no messages. A repeated `transactionId` is refused only on one platform; here it is not.
struct CyberSourceServer: Vendor {
    func purpose(of request: VendorRequest) -> VendorPurpose {
        request.path.last == "payments" ? .payment : .operation
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        let json = request.json
        guard request.path.last == "payments",
            let value = json.text("orderInformation", "amountDetails", "totalAmount"),
            let amount = Decimal(string: value),
            let currency = json.text("orderInformation", "amountDetails", "currency"),
            let card = json.text("paymentInformation", "tokenizedCard", "number"),
            books.decision != .refuse
        else {
            return .json(
                400,
                [
                    "status": "INVALID_REQUEST", "reason": "MISSING_FIELD",
                    "message": "A required field is missing.",
                    "details": [["field": "orderInformation", "reason": "MISSING_FIELD"]],
                ])
        }
        let payment = books.add(
            id: "7\(books.next())",
            reference: json.text("clientReferenceInformation", "code") ?? "",
            amount: NSDecimalNumber(decimal: amount * 100).int64Value, currency: currency,
            card: card, capturesAtOnce: false)
        let isDeclined = payment.status == .declined
        return .json(
            201,
            [
                "id": payment.id, "status": isDeclined ? "DECLINED" : "AUTHORIZED",
                "clientReferenceInformation": ["code": payment.reference],
                "errorInformation": isDeclined
                    ? ["reason": "PROCESSOR_DECLINED", "message": "Decline"] : nil,
                "orderInformation": [
                    "amountDetails": [
                        "authorizedAmount": isDeclined ? nil : value, "currency": currency,
                    ] as [String: Any?]
                ],
            ])
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "7FORM\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        nil
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        CyberSource(
            credentials: CyberSource.Credentials(
                merchantID: account == .second ? "shop2" : "shop1", keyID: "key",
                sharedSecret: SensitiveBytes(copying: "c2VjcmV0".utf8.span)),
            environment: account == .test ? .test : .live)
    }
}
