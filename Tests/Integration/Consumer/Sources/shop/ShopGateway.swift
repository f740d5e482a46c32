import ApplePayAcceptance
import ApplePayGateways
import Foundation

/// A gateway of the shop's own: Checkout.com, written with nothing but the library's public API.
///
/// It charges decrypted payments, is asked for them by identifier and by reference, and sends messages. The shop sells in
/// currencies with two decimals only, so that all amounts are those of Checkout.com.
///
/// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, *Get payment details*, *Get a list of payments*,
/// *Receive webhooks* (the authorization header key).
struct ShopGateway: PaymentGateway {
    /// The account's secret key.
    let secretKey: SensitiveBytes
    /// What the header `Authorization` of messages contains.
    let webhookKey: SensitiveBytes
    /// Scheme and host of the server.
    let origin: String

    let name: ExactText = "shop-gateway"
    // The gateway gives the account no identifier, so the shop has chosen one.
    let account: ExactText = "shop"
    let isTest = true
    // Checkout.com attempts a payment again for the same key after a failure, so a request must not be repeated.
    let abilities = {
        var abilities = GatewayAbilities(
            [.decrypted], status: [.identifier, .reference], messages: true)
        // The gateway repeats nothing else that the payment's request contains.
        abilities.mark = .reference
        return abilities
    }()

    /// Reads the account from a file of the shop's, an object with `secretKey`, `webhookKey` and `origin`.
    init(file: URL) throws {
        let account = try AnswerValue(object: Array(Data(contentsOf: file)))
        secretKey = try account.mandatorySecret("secretKey")
        webhookKey = try account.mandatorySecret("webhookKey")
        origin = String(try account.mandatoryText("origin"))
    }

    func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.currency.exponent == 2 else { throw .gateway(.unsupportedValue, "currency") }
        guard (1...999_999_999).contains(order.amount) else {
            throw .gateway(.unsupportedAmount, "amount")
        }
        try FieldLength.check(attempt.reference, "reference", 1...80)
    }

    func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let (order, attempt) = (accepted.order, accepted.attempt)
        let payment = try accepted.decrypted("network_token")
        let cryptogram = try payment.requiredCryptogram("cryptogram")
        try check(order, attempt: attempt)
        let headers: [GatewayHeader] = [
            .contentType(), try authorization(),
            try .checked("Cko-Idempotency-Key", attempt.key, 1...80),
        ]
        let body = JSONBody.object { body in
            body.object("source") { source in
                source.string("type", "network_token")
                source.string("token_type", "applepay")
                source.secret("token", payment.accountNumber.digits)
                source.integer("expiry_month", Int64(payment.expiration.month))
                source.integer("expiry_year", Int64(payment.expiration.year))
                source.secret("cryptogram", cryptogram.text)
                source.string("eci", payment.eciIndicator?.twoDigits)
            }
            body.integer("amount", order.amount)
            body.string("currency", order.currency.alphabetic)
            body.string("reference", attempt.reference)
        }
        let request = GatewayRequest(origin, "/payments", headers: headers, body: body)
        return GatewayCall(attempt, at: self, canMoveMoney: true, request) { response in
            PaymentReport.answer(response, empty, success: 201) {
                answer, report throws(PaymentError) in
                guard answer["status"] != nil else {
                    report.refusal = try refusal(answer)
                    return
                }
                try fill(&report, answer)
            }
        }
    }

    func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        guard let id = attempt.paymentID else { return try search(attempt) }
        let path = "/payments/\(try PathSegment.encoded(id, "id"))"
        let request = GatewayRequest(method: "GET", origin, path, headers: [try authorization()])
        return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
            PaymentReport.statusAnswer(response, empty) {
                answer, report throws(PaymentError) in
                if response.isAccepted {
                    try fill(&report, answer)
                } else {
                    report.refusal = try refusal(answer)
                }
            }
        }
    }

    /// Creates the query by reference, which finds all payments of the attempt.
    private func search(_ attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        let query = [
            (name: "reference", value: String(attempt.reference)), (name: "limit", value: "100"),
        ]
        let request = GatewayRequest(
            method: "GET", origin, "/payments", query: query, headers: [try authorization()])
        return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
            PaymentReport.statusAnswer(response, empty, isSearch: true) {
                answer, report throws(PaymentError) in
                guard response.isAccepted else { return }
                var found: [PaymentReport] = []
                for payment in try answer.objects("data") {
                    var one = empty
                    try fill(&one, payment)
                    found.append(one)
                }
                report = .first(of: found, with: attempt.reference, else: empty)
                if try answer.integer("total_count") != Int64(found.count) {
                    report.fault = "The answer does not contain all payments with the reference."
                }
            }
        }
    }

    func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        let key = Array(try message.header("Authorization").utf8)
        let difference = webhookKey.withRevealedBytes { expected in
            guard expected.count == key.count else { return UInt8(1) }
            return key.indices.reduce(0) { $0 | (expected[$1] ^ key[$1]) }
        }
        guard difference == 0 else { throw .gateway(.wrongSignature, "Authorization") }
        let object = try message.object()
        // The payment is asked for, whatever the message states about it.
        var report = empty
        report.paymentID = try object.mandatoryText("data", "id")
        report.reference = try object.text("data", "reference")
        return .event(
            GatewayEvent(
                identifier: try object.mandatoryText("id"),
                type: try object.mandatoryText("type"), time: nil, report: report))
    }

    /// Reads the gateway's own error; nil for another body, which a proxy may have written: the payment may have been made.
    private func refusal(
        _ answer: AnswerValue
    ) throws(PaymentError) -> PaymentReport.Refusal? {
        guard let type = try answer.text("error_type") else { return nil }
        let code = answer["error_codes"]?.elements.first?.string
        return PaymentReport.Refusal(code: code, text: type, origin: .operator)
    }

    private var empty: PaymentReport { PaymentReport(gateway: name) }

    private func authorization() throws(PaymentError) -> GatewayHeader {
        try .checked(secret: "Authorization", prefix: "Bearer ", secretKey, "secretKey")
    }

    /// Fills in what a payment states; a status that is not listed here stays undocumented.
    private func fill(
        _ report: inout PaymentReport, _ payment: AnswerValue
    ) throws(PaymentError) {
        let status = try payment.mandatoryText("status")
        report.status = status
        report.paymentID = try payment.mandatoryText("id")
        report.reference = try payment.text("reference")
        report.currency = try payment.text("currency")
        let amount = try payment.integer("amount")
        report.ordered = try payment.integer("amount_requested") ?? amount
        report.authorized = try payment.integer("balances", "available_to_capture")
        report.captured = try payment.integer("balances", "total_captured")
        report.refunded = try payment.integer("balances", "total_refunded")
        report.canBeAsked = true
        switch status {
        case "Authorized", "Captured", "Partially Captured", "Refunded", "Partially Refunded":
            report.meaning = .booked
        case "Pending": report.meaning = .undecided
        case "Declined":
            report.meaning = .refused
            report.refusal = PaymentReport.Refusal(
                code: try payment.text("response_code"),
                text: try payment.text("response_summary"))
        case "Canceled", "Voided": report.meaning = .cancelled
        case "Expired": report.meaning = .expired
        default: break
        }
        if report.meaning == .booked, try payment.boolean("approved") != true {
            report.fault = "The status is \(status), but the payment is not approved."
        }
    }
}
