import ApplePayGateways
import ApplePayOtherGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("Requests that the sandbox refuses", .serialized, .timeLimit(.minutes(5)))
struct SandboxRefusalTests {
    /// An error in a request, and how the gateway reports it.
    struct Fault: Sendable {
        let gateway: String
        let status: Int
        /// A part of the answer's body; nil if the answer has none.
        let words: String?
    }

    private func merchant(_ name: String) throws -> SandboxMerchant {
        try #require(SandboxMerchant.all.first { $0.gateway == name })
    }

    @Test(
        "have a wrong secret or signature",
        arguments: [
            Fault(gateway: "worldline-direct", status: 401, words: #""code":"9002""#),
            Fault(gateway: "worldline-connect", status: 401, words: #""code":"9002""#),
            Fault(gateway: "bepaid", status: 401, words: "Unauthorized"),
            Fault(gateway: "rbs", status: 200, words: #""code":5"#),
            Fault(gateway: "cybersource", status: 401, words: "Authentication Failed"),
            Fault(gateway: "checkout", status: 401, words: nil),
            Fault(gateway: "adyen", status: 401, words: #""errorType":"security""#),
            Fault(gateway: "paypal", status: 401, words: "invalid_token"),
        ])
    func wrongSecret(_ fault: Fault) async throws {
        let sandbox = try SandboxProcess()
        let good = try await merchant(fault.gateway).message(sandbox)
        let host = String(sandbox.origin.dropFirst("http://".count))
        let altered = #""currency":"EUR""#
        let bad: [SandboxMessage] =
            switch fault.gateway {
            case "bepaid": [good.withBasic("sandbox-secreT"), good.withBasic(""), without(good)]
            case "rbs": [good.replacing("sandbox-secret", with: "sandbox")]
            case "cybersource":
                [
                    try good.signedForCyberSource(at: host, "other"), without(good, "Signature"),
                    good.replacing(altered, with: #""currency":"USD""#),
                    good.with("v-c-merchant-id", "merchant-2"), without(good, "Digest"),
                ]
            case "checkout", "paypal":
                [good.withBearer("other"), without(good), good.with("Authorization", "Bearer")]
            case "adyen": [good.with("X-API-Key", "other"), without(good, "X-API-Key")]
            default:
                [
                    try good.signedForWorldline("other"), without(good), without(good, "Date"),
                    good.with("Date", "Sun, 22 Nov 2026 08:30:01 GMT"),
                    good.with("X-GCS-Idempotence-Key", "another"),
                    good.with("Content-Type", "application/json; charset=utf-8"),
                ]
            }
        #expect(!bad.isEmpty)
        for message in bad {
            let answer = try await message.send(to: sandbox)
            #expect(answer.status == fault.status, "\(answer.text)")
            if let words = fault.words {
                #expect(answer.text.contains(words), "\(answer.text)")
            } else {
                #expect(answer.body.isEmpty)
            }
        }
        let answer = try await good.send(to: sandbox)
        #expect(good.verdict(answer) == .paid, "\(answer.text)")
    }

    private func without(_ message: SandboxMessage, _ name: String = "Authorization")
        -> SandboxMessage
    {
        var message = message
        message.headers.removeAll { $0.name == name }
        return message
    }

    @Test(
        "lack a member, and the answer names it",
        arguments: [
            Fault(gateway: "worldline-direct", status: 400, words: "order.amountOfMoney.amount"),
            Fault(gateway: "worldline-connect", status: 400, words: "order.amountOfMoney.amount"),
            Fault(gateway: "bepaid", status: 422, words: "request.amount"),
            Fault(gateway: "rbs", status: 200, words: "[orderNumber]"),
            Fault(
                gateway: "cybersource", status: 400,
                words: "orderInformation.amountDetails.totalAmount"),
            Fault(gateway: "checkout", status: 422, words: "source_type_required"),
            Fault(gateway: "adyen", status: 422, words: "Required field 'amount.value'"),
            Fault(gateway: "paypal", status: 400, words: #""field":"intent""#),
            Fault(gateway: "dintero", status: 400, words: "payment_product_type"),
        ])
    func missingMember(_ fault: Fault) async throws {
        let sandbox = try SandboxProcess()
        let merchant = try merchant(fault.gateway)
        let good = try await merchant.message(sandbox)
        let host = String(sandbox.origin.dropFirst("http://".count))
        let bodies = ["{}", #"{"order":7,"request":[],"amount":{}}"#, "[]", "", "{", "\u{0}"]
        for body in bodies {
            var message = good
            message.body = body
            if fault.gateway == "rbs", body.hasPrefix("{") {
                let login = #""userName":"u","password":"sandbox-secret""#
                message.body = "{\(login)\(body.count > 2 ? "," : "")\(body.dropFirst())"
            }
            if fault.gateway.hasPrefix("worldline") { message = try message.signedForWorldline() }
            if fault.gateway == "cybersource" {
                message = try message.signedForCyberSource(at: host)
            }
            let answer = try await message.send(to: sandbox)
            if body.hasSuffix("}"), body.hasPrefix("{") {
                #expect(answer.status == fault.status, "\(body)")
                #expect(answer.text.contains(fault.words ?? "none"), "\(answer.text)")
            } else {
                let expected = fault.gateway == "rbs" ? 200...200 : 400...422
                #expect(expected.contains(answer.status), "\(body) \(answer.text)")
            }
            #expect(good.verdict(answer) != .paid, "\(answer.text)")
        }
    }

    @Test("state an amount that is not a whole number of minor units")
    func amounts() async throws {
        let sandbox = try SandboxProcess()
        let good = try await merchant("bepaid").message(sandbox)
        for amount in ["-1", "1.5", "1e3", "\"\"", "null", "99999999999999999999", "\"-1\""] {
            let answer = try await good.replacing("\"amount\":3000", with: "\"amount\":\(amount)")
                .send(to: sandbox)
            #expect(answer.status == 422, "\(amount) \(answer.text)")
            #expect(answer.text.contains("request.amount"))
        }
        let payPal = try await merchant("paypal").message(sandbox)
        for value in ["30,00", "", ".", "3.0.0", "-30.00", "99999999999999999999.00"] {
            let answer = try await payPal.replacing(
                #""EUR","value":"30.00"}}]"#, with: #""EUR","value":"\#(value)"}}]"#
            ).send(to: sandbox)
            #expect(answer.status == 400, "\(value) \(answer.text)")
        }
    }

    @Test("repeat a key, and receive the first answer or the gateway's error")
    func keys() async throws {
        for (name, header, refusal) in [
            ("worldline-direct", "X-GCS-Idempotence-Key", 0),
            ("worldline-connect", "X-GCS-Idempotence-Key", 0), ("bepaid", "RequestID", 0),
            ("checkout", "Cko-Idempotency-Key", 409), ("adyen", "Idempotency-Key", 422),
            ("paypal", "PayPal-Request-Id", 422),
        ] {
            let sandbox = try SandboxProcess()
            let merchant = try merchant(name)
            let signed: (SandboxMessage) throws -> SandboxMessage = {
                name.hasPrefix("worldline") ? try $0.signedForWorldline() : $0
            }
            let first = try signed(await merchant.message(sandbox).with(header, "key-1"))
            let answer = try await first.send(to: sandbox)
            #expect(first.verdict(answer) == .paid)
            let again = try await first.send(to: sandbox)
            // PayPal marks the repetition with another status.
            let status = name == "paypal" ? 200 : answer.status
            #expect(again.body == answer.body && again.status == status, "\(name)")

            let other = try signed(first.replacing("EUR", with: "USD"))
            let refused = try await other.send(to: sandbox)
            if refusal == 0 {
                #expect(refused.body == answer.body, "\(name)")
            } else {
                #expect(refused.status == refusal, "\(name) \(refused.text)")
                #expect(first.verdict(refused) != .paid)
            }
            let time = "X-GCS-Idempotence-Request-Timestamp"
            #expect(answer.header(time) == nil)
            #expect(
                (again.header(time).flatMap { Int64($0) } != nil)
                    == name.hasPrefix("worldline"))

            let fresh = try await signed(other.with(header, "key-2")).send(to: sandbox)
            #expect(other.verdict(fresh) != .refused)
            #expect(fresh.body != answer.body, "\(name)")
        }
    }

    @Test("time out once, and receive the first answer when they are repeated with the same key")
    func repeatedAfterTimeOut() async throws {
        let sandbox = try SandboxProcess()
        let merchant = try merchant("adyen")
        let message = try await merchant.message(sandbox, 40_800)
        await #expect(throws: URLError.self) { try await message.send(to: sandbox, patience: 1) }
        #expect(message.verdict(try await message.send(to: sandbox)) == .paid)
    }

    @Test("use an order number of RBS a second time")
    func orderNumbers() async throws {
        let sandbox = try SandboxProcess()
        let merchant = try merchant("rbs")
        let message = try await merchant.message(sandbox)
        #expect(message.verdict(try await message.send(to: sandbox)) == .paid)
        let answer = try await message.send(to: sandbox)
        #expect(answer["error.code"] == "10" && answer["success"] == "false", "\(answer.text)")
        #expect(message.verdict(answer) == .open)
    }
}
