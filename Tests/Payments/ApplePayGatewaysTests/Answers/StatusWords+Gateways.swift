import ApplePayGateways
import ApplePayToken

extension StatusWords {
    private static func bePaid(_ type: String) -> String {
        #"{"transaction":{"uid":"u1","status":"STATUS","type":"\#(type)","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1001"}}"#
    }

    private static let dintero =
        #"{"id":"P00000000.t1","status":"STATUS","amount":3000,"currency":"EUR","#
        + #""merchant_reference":"order-1001""#

    private static func dinteroEvent(_ kind: String) -> String {
        #"\#(dintero),"events":[{"event":"\#(kind)","success":true,"amount":3000,"#
            + #""event_reference":"key-1"}]}"#
    }

    private static let rbs =
        #"{"errorCode":"0","orderNumber":"order-1001","orderStatus":STATUS,"amount":3000,"#
        + #""currency":"978""#

    static let seed: [StatusWords] = [
        .init(
            "bepaid", "payment", bePaid("payment"),
            [
                "pending": "successful, pending, incomplete", "refused": "failed, expired",
                "unknown": "error, processing, deleted, canceled, SUCCESSFUL, NEW",
            ]),
        .init("bepaid", "payment", bePaid("charge"), ["pending": "successful"]),
        .init(
            "bepaid", "payment", bePaid("authorization"),
            ["pending": "successful", "refused": "failed, expired", "unknown": "error, NEW"]),
        // A transaction of another type states nothing about the payment.
        .init(
            "bepaid", "payment", bePaid("refund"), ["unknown": "successful, failed, pending"]),
        .init("bepaid", "payment", bePaid("checkup"), ["unknown": "successful, failed"]),
        .init(
            "bepaid", "uid", bePaid("payment"),
            [
                "pending": "successful, pending, incomplete", "refused": "failed, expired",
                "unknown": "error, NEW",
            ]),
        .init(
            "bepaid", "operation", http: 200, of: .refund, bePaid("refund"),
            [
                "done": "successful", "pending": "pending", "refused": "failed, expired",
                "unknown": "incomplete, error, processing, NEW",
            ]),
        .init(
            "bepaid", "operation", http: 200, of: .capture, bePaid("capture"),
            ["done": "successful"]),
        .init(
            "bepaid", "operation", http: 200, of: .cancellation, bePaid("void"),
            ["done": "successful"]),
        .init(
            "bepaid", "operation", http: 200, of: .cancellation, bePaid("capture"),
            ["unknown": "successful"]),
        .init(
            "rbs", "payment",
            #"{"success":true,"data":{"orderId":"o1"},"orderStatus":\#(rbs)}}"#,
            [
                "paid": "2", "authorized": "1, 8", "pending": "0, 5, 7", "refused": "6",
                "returned": "3",
                // A refund without its amount; a word of no version.
                "unknown": "9, -1",
            ]),
        .init(
            "rbs", "status", "\(rbs)}",
            [
                "pending": "0, 5, 7", "refused": "6", "returned": "3",
                // Without paymentAmountInfo the answer does not state what is captured by now.
                "unknown": "1, 2, 4, 8, 9",
            ]),
        .init(
            "rbs", "operation", http: 200, of: .capture,
            #"{"errorCode":STATUS,"errorMessage":"m"}"#,
            ["done": "0", "refused": "2, 3, 4, 6, 8, 9, 10", "unknown": "1, 5, 7"]),
        .init(
            "dintero", "transaction", "\(dintero)}",
            [
                "paid": "CAPTURED, captured", "authorized": "AUTHORIZED, authorized",
                "pending": "INITIATED, ON_HOLD, initiated, initialized, on_hold",
                "refused": "DECLINED, FAILED, declined, failed",
                "returned": "AUTHORIZATION_VOIDED, authorization_voided",
                "unknown":
                    "PARTIALLY_CAPTURED, PARTIALLY_CAPTURED_REFUNDED, PARTIALLY_REFUNDED, REFUNDED, "
                    + "UNKNOWN, INITIALIZED, PARTICALLY_CAPTURED_REFUNDED, PARTIALLY_SETTLED, CANCELLED, NEW, "
                    + "Captured, CaPTURED, unknown, refunded",
            ]),
        .init(
            "dintero", "operation", http: 200, of: .capture, dinteroEvent("CAPTURE"),
            [
                "done":
                    "CAPTURED, PARTIALLY_CAPTURED, PARTIALLY_CAPTURED_REFUNDED, PARTIALLY_REFUNDED, "
                    + "REFUNDED, AUTHORIZED, AUTHORIZATION_VOIDED, ON_HOLD, INITIATED, FAILED, DECLINED",
                "unknown": "UNKNOWN, NEW",
            ]),
        .init(
            "dintero", "operation", http: 200, of: .refund, dinteroEvent("CAPTURE"),
            [
                "pending":
                    "CAPTURED, PARTIALLY_CAPTURED, PARTIALLY_CAPTURED_REFUNDED, PARTIALLY_REFUNDED, "
                    + "REFUNDED, AUTHORIZED, AUTHORIZATION_VOIDED, ON_HOLD, FAILED, DECLINED",
                "unknown": "UNKNOWN, NEW",
            ]),
        .init(
            "dintero", "operation", http: 200, of: .cancellation, "\(dintero)}",
            [
                "done": "AUTHORIZATION_VOIDED",
                "pending": "AUTHORIZED, ON_HOLD, CAPTURED, PARTIALLY_CAPTURED, FAILED, DECLINED",
                "unknown": "UNKNOWN, NEW",
            ]),
    ]

    private static func cyberSource(_ amount: String = "") -> String {
        #"{"id":"1","status":"STATUS","clientReferenceInformation":{"code":"order-1001"},"#
            + #""orderInformation":{"amountDetails":{\#(amount)"currency":"EUR"}}}"#
    }

    private static let checkout =
        #"{"id":"pay_1","status":"STATUS","approved":true,"amount":3000,"currency":"EUR","#
        + #""reference":"order-1001""#

    private static func payPal(_ payments: String) -> String {
        #"{"id":"1","status":"COMPLETED","purchase_units":[{"reference_id":"order-1001","#
            + #""amount":{"currency_code":"EUR","value":"30.00"},"payments":{\#(payments)}}]}"#
    }

    private static let money = #""amount":{"currency_code":"EUR","value":"30.00"}"#

    static let others: [StatusWords] = [
        .init(
            "cybersource", "payment", http: 201, cyberSource(#""authorizedAmount":"30.00","#),
            [
                "authorized": "AUTHORIZED, PARTIAL_AUTHORIZED",
                "pending":
                    "AUTHORIZED_PENDING_REVIEW, PENDING_REVIEW, PENDING, PENDING_AUTHENTICATION",
                // Money that was reserved contradicts a refusal.
                "unknown":
                    "AUTHORIZED_RISK_DECLINED, DECLINED, INVALID_REQUEST, SERVER_ERROR, TRANSMITTED, NEW",
            ]),
        .init(
            "cybersource", "payment", http: 201, cyberSource(),
            [
                "refused": "DECLINED, AUTHORIZED_RISK_DECLINED, INVALID_REQUEST",
                "unknown": "AUTHORIZED, SERVER_ERROR, NEW",
            ]),
        .init(
            "cybersource", "reversal", http: 201, of: .cancellation,
            #"{"id":"1","status":"STATUS","reversalAmountDetails":{"reversedAmount":"30.00","#
                + #""currency":"EUR"}}"#,
            [
                "done": "REVERSED, VOIDED", "refused": "FAILED, INVALID_REQUEST",
                "unknown": "CANCELLED, PENDING, AUTHORIZED, SERVER_ERROR, NEW",
            ]),
        .init(
            "checkout", "payment", http: 201, "\(checkout)}",
            [
                "authorized": "Authorized",
                "pending":
                    "Captured, Partially Captured, Refunded, Partially Refunded, Pending, Accepted, "
                    + "Requested, Active, Authentication Requested, Retry Scheduled",
                "refused": "Declined, Rejected", "returned": "Canceled, Voided, Expired",
                "unknown": "Card Verified, Paid, Deferred Capture, Payment Pending, NEW",
            ]),
        .init(
            "checkout", "status",
            #"\#(checkout),"balances":{"total_authorized":3000,"total_captured":3000,"#
                + #""available_to_capture":0,"total_refunded":0}}"#,
            [
                "paid": "Authorized, Captured, Partially Captured, Voided, Canceled, Expired",
                "unknown":
                    "Refunded, Partially Refunded, Declined, Rejected, Pending, Card Verified, Paid, NEW",
            ]),
        .init(
            "adyen", "payment",
            #"{"resultCode":"STATUS","pspReference":"1","merchantReference":"order-1001","#
                + #""amount":{"value":3000,"currency":"EUR"}}"#,
            [
                "authorized": "Authorised, PartiallyAuthorised",
                "pending":
                    "Pending, Received, AuthenticationFinished, AuthenticationNotRequired, "
                    + "RedirectShopper, IdentifyShopper, ChallengeShopper, PresentToShopper",
                "refused": "Refused, Cancelled", "unknown": "Error, Success, authorised, NEW",
            ]),
        .init(
            "paypal", "payment", http: 201,
            #"{"id":"1","status":"STATUS","purchase_units":[{"reference_id":"order-1001",\#(money)}]}"#,
            [
                "pending": "CREATED, SAVED, APPROVED, PAYER_ACTION_REQUIRED, COMPLETED",
                "returned": "VOIDED", "unknown": "PENDING_APPROVAL, NEW",
            ]),
        .init(
            "paypal", "payment", http: 201, payPal(#""captures":[{"status":"STATUS",\#(money)}]"#),
            [
                "paid": "COMPLETED", "authorized": "PENDING",
                // Refunds that the answer does not contain.
                "pending": "PARTIALLY_REFUNDED, REFUNDED", "refused": "DECLINED, FAILED",
                "unknown": "DENIED, VOIDED, CREATED, NEW",
            ]),
        .init(
            "paypal", "payment", http: 201,
            payPal(#""authorizations":[{"status":"STATUS",\#(money)}]"#),
            [
                "authorized": "CREATED",
                // Captures that the answer does not contain.
                "pending": "PENDING, PARTIALLY_CAPTURED, CAPTURED", "returned": "VOIDED",
                "refused": "DENIED", "unknown": "COMPLETED, EXPIRED, DECLINED, NEW",
            ]),
        .init(
            "paypal", "status",
            payPal(
                #""captures":[{"status":"REFUNDED",\#(money)}],"#
                    + #""refunds":[{"status":"STATUS",\#(money)}]"#),
            [
                "returned": "COMPLETED", "returning": "PENDING",
                "unknown": "FAILED, CANCELLED, NEW",
            ]),
    ]
}
