import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

extension AnswerVector {
    /// Creates an answer about the order `order-1001` of 30.00 euros, with this body.
    init(
        _ gateway: String,
        _ step: String,
        _ body: String,
        status: Int = 200,
        headers: [[String]] = [],
        operation: PaymentOperation.Kind? = nil,
        amount: Int64? = 3000,
        options: [String: JSONTree] = [:],
        facts: Facts? = nil
    ) {
        self.gateway = gateway
        id = body
        self.step = step
        http = HTTP(status: status, method: nil, target: nil, headers: headers)
        self.body = .string(body)
        order =
            facts
            ?? Facts(
                reference: "order-1001", amount: 3000, currency: "EUR", paymentId: nil,
                sessionId: nil, options: options)
        self.operation = operation.map { Operation(kind: $0, amount: amount, key: "key-1") }
        report = nil
        outcome = nil
        canBeAsked = nil
        identifiers = nil
        card = nil
    }

    /// Reads the answer.
    func read() throws -> AnswerReading { try AnswerReading(self) }
}

/// The words for the status that a gateway documents, and others, each with the state that the answer has.
///
/// Everything else in the answer states that the whole amount was paid or that the operation was done.
struct StatusWords: Sendable, CustomTestStringConvertible {
    let gateway, step: String
    let httpStatus: Int
    let operation: PaymentOperation.Kind?
    /// The answer, with STATUS for the word and CODE for the number that belongs to it.
    let body: String
    /// The words, separated by commas, by state; a number follows its word after a colon.
    let states: KeyValuePairs<String, String>

    var testDescription: String {
        "\(gateway) \(step) \(operation?.rawValue ?? "") \(body.prefix(60))"
    }

    init(
        _ gateway: String, _ step: String, http httpStatus: Int = 200,
        of operation: PaymentOperation.Kind? = nil, _ body: String,
        _ states: KeyValuePairs<String, String>
    ) {
        self.gateway = gateway
        self.step = step
        self.httpStatus = httpStatus
        self.operation = operation
        self.body = body
        self.states = states
    }

    /// The answers with their expected states.
    var cases: [(vector: AnswerVector, word: String, state: String)] {
        states.flatMap { state, list in
            list.split(separator: ", ").map { item in
                let parts = item.split(separator: ":")
                let text = body.replacing("STATUS", with: parts[0])
                    .replacing("CODE", with: parts.count > 1 ? parts[1] : "null")
                let vector = AnswerVector(
                    gateway, step, text, status: httpStatus, operation: operation)
                return (vector, String(parts[0]), state)
            }
        }
    }

    /// The words of the gateways in these files; a suite can state more.
    static let listed = worldline + seed + others

    /// The members of a payment of Worldline's.
    static let worldlinePayment =
        #"{"id":"1_0","status":"STATUS","statusOutput":{"statusCode":CODE,"isAuthorized":true,"#
        + #""statusCategory":"COMPLETED"},"paymentOutput":{"amountOfMoney":{"amount":3000,"#
        + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1001"}}}"#

    private static func operation(_ name: String) -> String {
        #"{"id":"1_1","status":"STATUS","statusOutput":{"statusCode":CODE},"#
            + #""\#(name)Output":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}}}"#
    }

    private static let directUndecided =
        "CREATED:0, PENDING_PAYMENT:41, PENDING_COMPLETION, PENDING_FRAUD_APPROVAL, "
        + "AUTHORIZATION_REQUESTED:50, AUTHORIZATION_REQUESTED:51, AUTHORIZATION_REQUESTED:52, "
        + "AUTHORIZATION_REQUESTED:55, REDIRECTED:46, CANCELLED:61, CANCELLED:62"
    private static let directRefused =
        "REJECTED:0, REJECTED:2, REJECTED:57, REJECTED:59, CANCELLED:1"
    private static let directUnknown =
        "NEW:9, PAID:9, CANCELLATION_REJECTED:63, ACCOUNT_VERIFIED:0, REJECTED, REJECTED:5, "
        + "REJECTED:9, CANCELLED, CANCELLED:5, CANCELLED:9"
    /// Words that report a capture or a return without its amount.
    private static let directOpen =
        "CANCELLED:63, CANCELLED:64, REJECTED:73, REJECTED:83, REFUND_REQUESTED:81, REFUNDED:8, "
        + "REVERSED:7, CHARGEBACKED, CHARGEBACK_NOTIFICATION"

    private static let worldline: [StatusWords] = [
        .init(
            "worldline-direct", "payment", http: 201, "{\"payment\":\(worldlinePayment)}",
            [
                "paid": "CAPTURED, CAPTURED:9, PENDING_CAPTURE:9",
                "authorized":
                    "PENDING_CAPTURE, PENDING_CAPTURE:5, PENDING_APPROVAL:5, CAPTURE_REQUESTED, "
                    + "CAPTURE_REQUESTED:4, CAPTURE_REQUESTED:91, CAPTURE_REQUESTED:92, "
                    + "CAPTURE_REQUESTED:99, REJECTED_CAPTURE:93",
                "pending": "\(directUndecided), \(directOpen)", "refused": directRefused,
                "returned": "CANCELLED:6, CANCELLED:0", "unknown": directUnknown,
            ]),
        .init(
            "worldline-direct", "details", worldlinePayment,
            [
                "paid": "CAPTURED:9, PENDING_CAPTURE:9", "authorized": "PENDING_CAPTURE:5",
                "pending": directUndecided, "refused": directRefused, "returned": "CANCELLED:6",
                "unknown":
                    "\(directUnknown), \(directOpen), CAPTURE_REQUESTED:91, CAPTURED, PENDING_CAPTURE",
            ]),
        .init(
            "worldline-direct", "status", worldlinePayment,
            [
                "pending": "CAPTURED:9, PENDING_CAPTURE:5, \(directOpen), \(directUndecided)",
                "refused": directRefused, "returned": "CANCELLED:6", "unknown": directUnknown,
            ]),
        .init(
            "worldline-connect", "payment", http: 201, "{\"payment\":\(worldlinePayment)}",
            [
                "paid": "CAPTURED, PAID",
                "authorized":
                    "PENDING_CAPTURE:5, PENDING_CAPTURE:9, PENDING_APPROVAL:600, CAPTURE_REQUESTED:800, "
                    + "REJECTED_CAPTURE",
                "pending":
                    "CREATED, PENDING_PAYMENT, PENDING_FRAUD_APPROVAL, PENDING_COMPLETION, REDIRECTED, "
                    + "AUTHORIZATION_REQUESTED, REFUND_REQUESTED, REFUNDED, REVERSED, "
                    + "CHARGEBACK_NOTIFICATION, CHARGEBACKED",
                "refused": "REJECTED:100, REJECTED:83, REJECTED",
                "returned": "CANCELLED:99999, CANCELLED",
                "unknown": "ACCOUNT_VERIFIED, CAPTURE_IN_PROGRESS, NEW",
            ]),
        .init(
            "worldline-connect", "status", worldlinePayment,
            [
                "authorized": "PENDING_APPROVAL",
                "pending":
                    "CREATED, PENDING_PAYMENT, PENDING_FRAUD_APPROVAL, PENDING_COMPLETION, REDIRECTED, "
                    + "AUTHORIZATION_REQUESTED", "refused": "REJECTED", "returned": "CANCELLED",
                "unknown":
                    "CAPTURED, PAID, PENDING_CAPTURE, CAPTURE_REQUESTED, REJECTED_CAPTURE, "
                    + "REFUND_REQUESTED, REFUNDED, REVERSED, CHARGEBACK_NOTIFICATION, CHARGEBACKED, "
                    + "ACCOUNT_VERIFIED, NEW",
            ]),
        .init(
            "worldline-direct", "operation", http: 201, of: .capture, operation("capture"),
            [
                "done": "CAPTURED:9, CAPTURED",
                "pending": "CAPTURE_REQUESTED:91, PENDING_CAPTURE:5, CREATED",
                "refused": "REJECTED:93, REJECTED_CAPTURE:93, CANCELLED:6",
                "unknown":
                    "PAID, REVERSED, REFUNDED, REFUND_REQUESTED, PENDING_APPROVAL, REDIRECTED, NEW",
            ]),
        .init(
            "worldline-connect", "operation", http: 201, of: .capture, operation("capture"),
            [
                "done": "CAPTURED, PAID", "pending": "CAPTURE_REQUESTED, PENDING_CAPTURE, CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE, CANCELLED",
                "unknown":
                    "REVERSED, REFUNDED, REFUND_REQUESTED, PENDING_APPROVAL, CHARGEBACKED, "
                    + "CHARGEBACK_NOTIFICATION, NEW",
            ]),
        .init(
            "worldline-direct", "operation", http: 200, of: .cancellation,
            "{\"payment\":\(worldlinePayment)}",
            [
                "done": "CANCELLED:6, REVERSED",
                "pending": "CREATED, CANCELLED:61, CANCELLED:62, CANCELLED",
                "refused": "REJECTED, REJECTED_CAPTURE, CANCELLED:63, CANCELLED:64",
                "unknown":
                    "CAPTURED, PAID, REFUNDED, CAPTURE_REQUESTED, REFUND_REQUESTED, PENDING_APPROVAL, "
                    + "PENDING_CAPTURE, CANCELLATION_REJECTED:63, NEW",
            ]),
        .init(
            "worldline-connect", "operation", http: 200, of: .cancellation,
            "{\"payment\":\(worldlinePayment)}",
            [
                "done": "CANCELLED:99999, CANCELLED, REVERSED", "pending": "CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE",
                "unknown":
                    "CAPTURED, PAID, REFUNDED, CAPTURE_REQUESTED, REFUND_REQUESTED, PENDING_APPROVAL, "
                    + "PENDING_CAPTURE, NEW",
            ]),
        .init(
            "worldline-connect", "operation", http: 201, of: .refund, operation("refund"),
            [
                "done": "REFUNDED", "pending": "REFUND_REQUESTED, PENDING_APPROVAL, CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE, CANCELLED",
                "unknown": "CAPTURED, PAID, REVERSED, CAPTURE_REQUESTED, PENDING_CAPTURE, NEW",
            ]),
        .init(
            "worldline-direct", "hosted-page-status", #"{"status":"STATUS"}"#,
            [
                "pending": "IN_PROGRESS", "refused": "CANCELLED_BY_CONSUMER",
                // The payment is missing.
                "unknown": "PAYMENT_CREATED, NEW",
            ]),
        .init(
            "worldline-connect", "hosted-page-status", #"{"status":"STATUS"}"#,
            [
                "pending":
                    "IN_PROGRESS, CANCELLED_BY_CONSUMER, CLIENT_NOT_ELIGIBLE_FOR_SELECTED_PAYMENT_PRODUCT",
                "unknown": "PAYMENT_CREATED, NEW",
            ]),
        // A payment on a page can be tried again until the page is closed.
        .init(
            "worldline-direct", "hosted-page-status",
            #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"payment":\#(worldlinePayment)}}"#,
            [
                "pending": "REJECTED:2, CANCELLED:1, CREATED:0, REDIRECTED:46",
                "returned": "CANCELLED:6", "unknown": "NEW:9, PAID:9",
            ]),
        .init(
            "worldline-direct", "hosted-page-status",
            #"{"status":"CANCELLED_BY_CONSUMER","createdPaymentOutput":{"payment":"#
                + "\(worldlinePayment)}}",
            [
                "refused": "REJECTED:2, CANCELLED:1, CANCELLED:6",
                "pending": "CAPTURED:9, PENDING_CAPTURE:5, AUTHORIZATION_REQUESTED:51",
            ]),
    ]
}
