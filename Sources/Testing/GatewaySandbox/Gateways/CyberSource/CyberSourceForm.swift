import FoundationEssentials

/// The answers of CyberSource.
enum CyberSourceForm {
    /// The time in every answer.
    static let time = "2026-01-01T00:00:00Z"

    static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let details = call.body["orderInformation.amountDetails"]
        let code = details?["currency"]?.string
        guard let currency = SandboxCurrency(code),
            let total = details?["totalAmount"]?.units(decimals: currency.decimals)
        else { return .answer(call.fault(.missing("orderInformation.amountDetails"))) }
        // Without a reference the gateway uses the time.
        let made = String(Int64(Date().timeIntervalSince1970 * 1000))
        let information = call.body["clientReferenceInformation"]
        let purchase = Purchase(
            amount: total, currency: code, reference: information?["code"]?.string ?? made,
            captures: call.body["processingInformation.capture"]?.boolean == true,
            details: ["transactionId": information?["transactionId"]])
        return call.pay(purchase, id: newID(&book), in: &book) { payment in
            SandboxAnswer(201, answer(payment, currency, call))
        }
    }

    private static func newID(_ book: inout PaymentBook) -> String {
        "\(6_461_731_521_426_000_000 + book.nextNumber())"
    }

    /// Returns the answer to a payment.
    ///
    /// A decline states no amounts; only a sale and a partial authorization state the ordered one.
    private static func answer(
        _ payment: SandboxPayment,
        _ currency: SandboxCurrency,
        _ call: Call
    ) -> JSON {
        let isPart = payment.isPartlyApproved
        let (status, reason): (String, String?) =
            switch payment.state {
            case .awaitingCustomer, .confirmed:
                ("PENDING_AUTHENTICATION", "CONSUMER_AUTHENTICATION_REQUIRED")
            case .processing: ("AUTHORIZED_PENDING_REVIEW", "DECISION_PROFILE_REVIEW")
            case .declined, .abandoned: ("DECLINED", "PROCESSOR_DECLINED")
            case .accepted: (isPart ? "PARTIAL_AUTHORIZED" : "AUTHORIZED", nil)
            }
        let isApproved = payment.state == .accepted || payment.state == .processing
        let amounts: JSON = [
            "totalAmount": payment.isSale || isPart ? currency.decimal(payment.ordered) : nil,
            "authorizedAmount": currency.decimal(payment.approved), "currency": payment.currency,
        ]
        return [
            "id": .string(payment.id), "status": payment.word(status),
            "submitTimeUtc": .string(time),
            "clientReferenceInformation": ["code": payment.reference],
            "orderInformation": isApproved ? ["amountDetails": amounts] : nil,
            "processorInformation": isApproved ? ["approvalCode": "831000"] : nil,
            "errorInformation": reason.map { ["reason": .string($0), "message": .string($0)] },
            "consumerAuthenticationInformation": payment.state == .awaitingCustomer
                ? ["stepUpUrl": .string(call.customerURL(payment.id))] : nil,
        ]
    }

    /// Reverses an authorization whose answer was lost; the amount must be the authorized one.
    static func reverse(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let amount = call.body["reversalInformation.amountDetails.totalAmount"]
        return undo(.cancel, call, &book) { payment, currency in
            amount?.units(decimals: currency.decimals) == payment.approved
        }
    }

    /// Voids a sale whose answer was lost; the book shows it as a refund.
    static func void(_ call: Call, _ book: inout PaymentBook) -> Reply {
        undo(.refund, call, &book) { _, _ in true }
    }

    /// Undoes the payment that the merchant's `transactionId` finds.
    private static func undo(
        _ kind: Operation.Kind,
        _ call: Call,
        _ book: inout PaymentBook,
        where isPossible: (SandboxPayment, SandboxCurrency) -> Bool
    ) -> Reply {
        let wanted = call.body["clientReferenceInformation.transactionId"]
        let found = book.payments(of: call.gateway.name) { $0["transactionId"] == wanted }.last
        guard let found, let currency = SandboxCurrency(found.purchase.currency),
            isPossible(found, currency)
        else { return .answer(call.fault(.notFound)) }
        let id = newID(&book)
        return call.perform(on: found.id, in: &book) { _ in
            Operation(kind: kind, id: id, reference: wanted?.string)
        } _: { payment, operation in
            let amount = currency.decimal(operation.amount ?? 0)
            let reversed: JSON = ["reversedAmount": amount, "currency": payment.currency]
            let voided: JSON = ["voidAmount": amount, "currency": payment.currency]
            let body: JSON = [
                "id": .string(id), "status": kind == .cancel ? "REVERSED" : "VOIDED",
                "submitTimeUtc": .string(time),
                "clientReferenceInformation": call.body["clientReferenceInformation"],
                "orderInformation": ["amountDetails": ["currency": payment.currency]],
                "reversalAmountDetails": kind == .cancel ? reversed : nil,
                "voidAmountDetails": kind == .cancel ? nil : voided,
            ]
            return SandboxAnswer(201, body)
        }
    }
}
