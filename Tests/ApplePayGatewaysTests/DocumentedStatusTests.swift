import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import Testing

/// The statuses that the reader of an answer knows, separated by commas, by the outcome that they mean.
struct DocumentedStatuses: Sendable, CustomTestStringConvertible {
    let name: String
    let httpStatus: Int
    /// The answer, with `STATUS` for the status.
    let body: String
    let read: Read
    let outcomes: KeyValuePairs<String, String>

    var testDescription: String { name }

    init(
        _ name: String,
        _ httpStatus: Int,
        _ body: String,
        _ read: @escaping Read,
        _ outcomes: KeyValuePairs<String, String>
    ) {
        self.name = name
        self.httpStatus = httpStatus
        self.body = body
        self.read = read
        self.outcomes = outcomes
    }

    private static let worldline = #"{"id":"1","status":"STATUS"}"#

    private static func worldline(_ operation: PaymentOperation) -> Read {
        { response throws(UnreadableJSONError) in
            try Worldline.OperationAnswer(response, operation)
        }
    }

    private static func dintero(_ operation: PaymentOperation?) -> Read {
        { response throws(UnreadableJSONError) in
            try Dintero.TransactionAnswer(response, operation)
        }
    }

    static let all: [DocumentedStatuses] = [
        .init(
            "Worldline, status query", 200, worldline,
            { response throws(UnreadableJSONError) in
                try Worldline.PaymentStatusAnswer(response)
            },
            [
                "paid": "CAPTURED, PAID",
                "authorized":
                    "PENDING_CAPTURE, PENDING_APPROVAL, CAPTURE_REQUESTED, ACCOUNT_VERIFIED",
                "pending":
                    "CREATED, PENDING_PAYMENT, PENDING_FRAUD_APPROVAL, PENDING_COMPLETION, REDIRECTED, "
                    + "AUTHORIZATION_REQUESTED, REFUND_REQUESTED",
                "refused":
                    "REJECTED, REJECTED_CAPTURE, CANCELLED, REVERSED, REFUNDED, CHARGEBACK_NOTIFICATION, "
                    + "CHARGEBACKED",
                "unknown": "NEW",
            ]),
        .init(
            "Worldline, capture", 201, worldline, worldline(.capture),
            [
                "paid": "CAPTURED, PAID", "pending": "CAPTURE_REQUESTED, PENDING_CAPTURE, CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE, CANCELLED",
                "unknown": "REVERSED, REFUNDED, REFUND_REQUESTED, PENDING_APPROVAL, NEW",
            ]),
        .init(
            "Worldline, cancel", 200, worldline, worldline(.cancel),
            [
                "paid": "CANCELLED, REVERSED", "pending": "CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE",
                "unknown":
                    "CAPTURED, PAID, REFUNDED, CAPTURE_REQUESTED, REFUND_REQUESTED, PENDING_APPROVAL, "
                    + "PENDING_CAPTURE, NEW",
            ]),
        .init(
            "Worldline, refund", 201, worldline, worldline(.refund),
            [
                "paid": "REFUNDED", "pending": "REFUND_REQUESTED, PENDING_APPROVAL, CREATED",
                "refused": "REJECTED, REJECTED_CAPTURE, CANCELLED",
                "unknown": "CAPTURED, PAID, REVERSED, CAPTURE_REQUESTED, PENDING_CAPTURE, NEW",
            ]),
        .init(
            "Worldline, page", 200, #"{"status":"STATUS"}"#,
            { response throws(UnreadableJSONError) in
                try Worldline.HostedCheckoutStatusAnswer(response)
            },
            [
                "pending": "IN_PROGRESS",
                "refused":
                    "CANCELLED_BY_CONSUMER, CLIENT_NOT_ELIGIBLE_FOR_SELECTED_PAYMENT_PRODUCT",
                // A page whose payment is missing.
                "unknown": "PAYMENT_CREATED NEW",
            ]),
        .init(
            "bePaid", 200, #"{"transaction":{"uid":"1","status":"STATUS"}}"#,
            BePaid.TransactionAnswer.init,
            [
                "paid": "successful", "pending": "pending, incomplete",
                "refused": "failed, expired",
                "unknown": "error",
            ]),
        .init(
            "Dintero, status query", 200, #"{"id":"1","status":"STATUS"}"#, dintero(nil),
            [
                "paid": "CAPTURED, PARTIALLY_REFUNDED", "authorized": "AUTHORIZED",
                "pending": "INITIALIZED, INITIATED, ON_HOLD",
                "refused":
                    "AUTHORIZATION_VOIDED, DECLINED, FAILED, REFUNDED, PARTIALLY_CAPTURED_REFUNDED",
                "partial": "PARTIALLY_CAPTURED", "unknown": "NEW",
            ]),
        .init(
            "Dintero, capture", 200, #"{"id":"1","status":"STATUS"}"#, dintero(.capture),
            [
                "paid": "CAPTURED, PARTIALLY_CAPTURED", "pending": "AUTHORIZED, ON_HOLD",
                "refused": "FAILED, DECLINED",
                "unknown":
                    "AUTHORIZATION_VOIDED, REFUNDED, PARTIALLY_REFUNDED, PARTIALLY_CAPTURED_REFUNDED, NEW",
            ]),
        .init(
            "Dintero, void", 200, #"{"id":"1","status":"STATUS"}"#, dintero(.cancel),
            [
                "paid": "AUTHORIZATION_VOIDED", "pending": "AUTHORIZED, ON_HOLD, CAPTURED",
                "refused": "FAILED, DECLINED",
                "unknown":
                    "PARTIALLY_CAPTURED, REFUNDED, PARTIALLY_REFUNDED, PARTIALLY_CAPTURED_REFUNDED, NEW",
            ]),
        .init(
            "Dintero, refund", 200, #"{"id":"1","status":"STATUS"}"#, dintero(.refund),
            [
                "paid": "REFUNDED, PARTIALLY_REFUNDED, PARTIALLY_CAPTURED_REFUNDED",
                "pending": "AUTHORIZED, ON_HOLD, CAPTURED", "refused": "FAILED, DECLINED",
                "unknown": "AUTHORIZATION_VOIDED, PARTIALLY_CAPTURED, NEW",
            ]),
        .init(
            "CyberSource", 201, #"{"id":"1","status":"STATUS"}"#, CyberSource.PaymentAnswer.init,
            [
                "authorized": "AUTHORIZED",
                "pending":
                    "PENDING, PENDING_REVIEW, PENDING_AUTHENTICATION, AUTHORIZED_PENDING_REVIEW",
                "refused": "DECLINED, AUTHORIZED_RISK_DECLINED, INVALID_REQUEST",
                "unknown": "NEW",
            ]),
        .init(
            "Checkout.com, approved", 201, #"{"id":"1","status":"STATUS","approved":true}"#,
            Checkout.PaymentAnswer.init,
            [
                "paid": "Captured, Paid, Partially Refunded",
                "authorized": "Authorized, Card Verified",
                "pending": "Pending, Deferred Capture, Retry Scheduled",
                "refused": "Declined, Canceled, Expired, Voided, Refunded",
                "partial": "Partially Captured", "unknown": "New",
            ]),
        .init(
            "Checkout.com, not approved", 201, #"{"id":"1","status":"STATUS","approved":false}"#,
            Checkout.PaymentAnswer.init,
            [
                "refused":
                    "Captured, Paid, Authorized, Card Verified, Pending, Partially Captured, New"
            ]),
        .init(
            "Adyen", 200, #"{"resultCode":"STATUS"}"#, Adyen.PaymentAnswer.init,
            [
                "authorized": "Authorised", "refused": "Refused, Cancelled",
                "pending":
                    "Pending, Received, AuthenticationFinished, AuthenticationNotRequired, "
                    + "RedirectShopper, ChallengeShopper, IdentifyShopper, PresentToShopper",
                "partial": "PartiallyAuthorised", "unknown": "Error",
            ]),
        .init(
            "PayPal, order", 201, #"{"id":"1","status":"STATUS"}"#, PayPal.OrderAnswer.init,
            [
                "pending": "PAYER_ACTION_REQUIRED, CREATED, SAVED, APPROVED", "refused": "VOIDED",
                // A completed order shows at least a capture or an authorization.
                "unknown": "COMPLETED, NEW",
            ]),
        .init(
            "PayPal, capture", 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"captures":[{"id":"2","#
                + #""status":"STATUS"}]}}]}"#, PayPal.OrderAnswer.init,
            [
                "paid": "COMPLETED, PARTIALLY_REFUNDED", "pending": "PENDING",
                "refused": "DECLINED, DENIED, FAILED, VOIDED, REFUNDED, REVERSED", "unknown": "NEW",
            ]),
        .init(
            "PayPal, authorization", 201,
            #"{"id":"1","status":"COMPLETED","purchase_units":[{"payments":{"authorizations":[{"#
                + #""id":"2","status":"STATUS"}]}}]}"#, PayPal.OrderAnswer.init,
            [
                "authorized": "CREATED", "paid": "CAPTURED", "pending": "PENDING",
                "refused": "DECLINED, DENIED, FAILED, VOIDED", "unknown": "NEW",
            ]),
    ]
}

@Suite("Documented statuses")
struct DocumentedStatusTests {
    @Test("have one outcome each", arguments: DocumentedStatuses.all)
    func outcomes(_ row: DocumentedStatuses) {
        for (word, list) in row.outcomes {
            for status in list.split(separator: ", ").map(String.init) {
                let response = GatewayResponse(
                    row.body.replacing("STATUS", with: status), status: row.httpStatus)
                let outcome = PaymentOutcome(response, row.read)
                #expect(Self.word(outcome, status) == word, "\(status)")
            }
        }
    }

    /// Returns the word of the table for an outcome.
    private static func word(_ outcome: PaymentOutcome, _ status: String) -> String {
        switch outcome {
        case .refused(code: status, _): "refused"
        case .refused(let code, _): "refused \(code ?? "")"
        case .unknown(reason: "Only a part of the amount is authorized or captured."): "partial"
        case .unknown: "unknown"
        default: "\(outcome)"
        }
    }
}
