import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import ApplePayToken
import TestVectors
import Testing

@Suite("An answer that a gateway gives again")
struct RepeatedAnswerTests {
    private static let platforms: [Worldline.Platform] = [.direct, .connect]

    /// Returns the reports about a payment, about a refund and about a refusal of the request.
    private func reports(
        _ platform: Worldline.Platform, _ headers: [(name: String, value: String)]
    ) -> [PaymentReport] {
        func response(_ status: Int, _ text: String) -> GatewayResponse {
            GatewayResponse(status: status, headers: headers, body: Array(text.utf8))
        }
        let output = #"{"amountOfMoney":{"amount":1,"currencyCode":"EUR"}}"#
        let payment = #"{"payment":{"id":"1_0","status":"CAPTURED","paymentOutput":\#(output)}}"#
        let refund = #"{"id":"1_1","status":"REFUNDED","refundOutput":\#(output)}"#
        let error = #"{"errorId":"e","errors":[{"code":"21000120","message":"m"}]}"#
        return [
            Worldline.paymentReport(response(201, payment), platform),
            Worldline.operationReport(response(201, refund), of: .refund, platform),
            Worldline.paymentReport(response(400, error), platform),
        ]
    }

    @Test("by Worldline has the time of the first request in a header, and no totals")
    func repeated() {
        for platform in Self.platforms {
            for name in [
                "X-GCS-Idempotence-Request-Timestamp", "x-gcs-idempotence-request-timestamp",
            ] {
                let reports = reports(platform, [(name, "1795249800000")])
                #expect(!reports.contains { !$0.isRepeated })
                #expect(reports.map(\.meaning) == [.booked, .booked, .refused])
                #expect(reports[0].captured == nil)
            }
            let first = reports(platform, [("X-GCS-Idempotence-Key", "k")])
            #expect(!first.contains { $0.isRepeated })
            #expect(first[0].captured != nil)
        }
    }
}

extension RepeatedAnswerTests {
    @Test("by PayPal has the status 200 instead of 201")
    func payPal() {
        for (status, isRepeated) in [(200, true), (201, false), (422, false)] {
            let response = GatewayResponse(
                status: status, body: Array(#"{"id":"1","status":"CREATED"}"#.utf8))
            #expect(PayPal.paymentReport(response).isRepeated == isRepeated, "\(status)")
        }
    }
}
