import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@Suite("HTTP statuses of answers")
struct AnswerStatusTests {
    static let read: [String: Read] = [
        "Worldline, payment": { response throws(UnreadableJSONError) in
            try Worldline.PaymentAnswer(response)
        },
        "Worldline, status": { response throws(UnreadableJSONError) in
            try Worldline.PaymentStatusAnswer(response)
        },
        "Worldline, capture": { response throws(UnreadableJSONError) in
            try Worldline.OperationAnswer(response, .capture)
        },
        "Worldline, new page": Worldline.HostedCheckoutAnswer.init,
        "Worldline, page": { response throws(UnreadableJSONError) in
            try Worldline.HostedCheckoutStatusAnswer(response)
        },
        "CyberSource": CyberSource.PaymentAnswer.init,
        "Checkout.com": Checkout.PaymentAnswer.init,
        "Adyen": Adyen.PaymentAnswer.init,
        "PayPal": PayPal.OrderAnswer.init,
        "PayPal, access token": PayPal.AccessTokenAnswer.init,
    ]

    static func outcome(
        _ name: String,
        _ status: Int,
        _ body: String = "{}"
    ) throws -> PaymentOutcome {
        PaymentOutcome(GatewayResponse(body, status: status), try #require(read[name]))
    }

    @Test(
        "require members from 200 to 299 only",
        arguments: [
            ("Worldline, payment", "payment"), ("Worldline, status", "id"),
            ("Worldline, capture", "id"), ("Worldline, new page", "hostedCheckoutId"),
            ("Worldline, page", "status"), ("CyberSource", "status"), ("Checkout.com", "id"),
            ("Adyen", "resultCode"), ("PayPal", "id"), ("PayPal, access token", "access_token"),
        ])
    func mandatory(_ name: String, _ field: String) throws {
        for status in [199, 200, 299, 300, 400, 499, 500] {
            var missing: UnreadableJSONError?
            do throws(UnreadableJSONError) {
                _ = try Self.read[name]?(GatewayResponse("{}", status: status))
            } catch {
                missing = error
            }
            #expect(missing?.field == (status / 100 == 2 ? field : nil), "\(status)")
            #expect(missing?.code == (status / 100 == 2 ? .missingMember : nil), "\(status)")
        }
    }

    @Test("refuse from 400 to 499, except where the request may be in progress")
    func refusals() throws {
        for status in [
            199, 300, 399, 400, 402, 407, 408, 409, 410, 424, 425, 426, 428, 429, 430, 499, 500,
            599,
        ] {
            let expected: PaymentOutcome =
                if [408, 409, 425, 429].contains(status) {
                    .unknown(
                        reason: "HTTP status \(status): the request may be done or in progress.")
                } else if status / 100 == 4 {
                    .refused(code: "\(status)", text: nil)
                } else {
                    .unknown(
                        reason: "HTTP status \(status): it is not known whether the request was "
                            + "carried out.")
                }
            for name in [
                "Worldline, payment", "Worldline, capture", "Worldline, new page", "CyberSource",
                "Checkout.com", "Adyen", "PayPal", "PayPal, access token",
            ] { #expect(try Self.outcome(name, status) == expected, "\(name)") }
            for name in ["Worldline, status", "Worldline, page"] {
                #expect(
                    try Self.outcome(name, status)
                        == .unknown(
                            reason: "HTTP status \(status): the question about the payment was not "
                                + "answered."), "\(name)")
            }
        }
    }

    @Test("accept from 200 to 299")
    func accepted() throws {
        for status in [200, 201, 202, 204, 299] {
            #expect(
                try Self.outcome("Worldline, status", status, #"{"id":"1","status":"PAID"}"#)
                    == .paid)
            #expect(
                try Self.outcome("PayPal, access token", status, #"{"access_token":"1"}"#)
                    == .pending)
            #expect(
                try Self.outcome("Worldline, capture", status, #"{"id":"1","status":"CAPTURED"}"#)
                    == .paid)
        }
    }

    @Test(
        "confirm a payment only if they are the documented ones",
        arguments: [
            ("CyberSource", 201, #"{"id":"1","status":"AUTHORIZED"}"#, .authorized),
            ("Checkout.com", 201, #"{"id":"1","status":"Captured"}"#, .paid),
            (
                "Checkout.com", 201, #"{"id":"1","status":"Authorized","approved":true}"#,
                .authorized
            ),
            ("Adyen", 200, #"{"resultCode":"Authorised"}"#, .authorized),
        ] as [(String, Int, String, PaymentOutcome)])
    func documented(_ name: String, _ documented: Int, _ body: String, _ expected: PaymentOutcome)
        throws
    {
        for status in [200, 201, 202] {
            let unknown = PaymentOutcome.unknown(
                reason: "HTTP status \(status) is not documented for a payment that was made.")
            #expect(
                try Self.outcome(name, status, body) == (status == documented ? expected : unknown))
        }
    }

    @Test("do not change an outcome other than a payment")
    func undocumented() throws {
        #expect(try Self.outcome("Adyen", 202, #"{"resultCode":"Pending"}"#) == .pending)
        #expect(
            try Self.outcome("CyberSource", 202, #"{"id":"1","status":"DECLINED"}"#)
                == .refused(code: "DECLINED", text: nil))
    }

    @Test("4xx of Checkout.com need no JSON")
    func withoutBody() throws {
        for status in [200, 399, 400, 401, 499, 500] {
            let reason =
                status / 100 == 4
                ? "HTTP status \(status) with a body that is not JSON."
                : "HTTP status \(status): The gateway's answer is not JSON."
            #expect(try Self.outcome("Checkout.com", status, "x") == .unknown(reason: reason))
        }
        #expect(
            try Self.outcome("Checkout.com", 500, "")
                == .unknown(reason: "The answer with HTTP status 500 has no body."))
    }
}
