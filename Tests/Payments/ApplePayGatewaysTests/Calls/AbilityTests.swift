import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOtherGateways
import Foundation
import TestVectors
import Testing

/// The abilities that each gateway states, compared with what it does.
@Suite("An ability of a gateway")
struct AbilityTests {
    /// Returns the code with which a function refuses; nil if it does not.
    private func refusal(_ body: () throws -> Void) throws -> PaymentError.Code? {
        do {
            try body()
            return nil
        } catch let error as PaymentError {
            return error.code
        }
    }

    @Test("to be asked by identifier or by reference is the stated one")
    func status() throws {
        for gateway in try ExampleMerchant.example.gateways() {
            let abilities = gateway.abilities.status
            let known = try GatewayFixture.attempt(paymentID: "1")
            let unknown = try GatewayFixture.attempt(GatewayFixture.order())
            let byIdentifier = try refusal { _ = try gateway.status(of: known) }
            let byReference = try refusal { _ = try gateway.status(of: unknown) }
            #expect(
                byIdentifier == (abilities.isEmpty ? .unsupportedOperation : nil), "\(gateway)")
            #expect(
                byReference == (abilities.contains(.reference) ? nil : .unsupportedOperation),
                "\(gateway)")
        }
    }

    @Test(
        "to capture, cancel and refund a part or the whole is the stated one",
        arguments: PaymentOperation.Kind.allCases)
    func operations(_ kind: PaymentOperation.Kind) throws {
        for gateway in try ExampleMerchant.example.gateways() {
            // CyberSource cancels only what it never answered.
            let attempt = try GatewayFixture.attempt(
                paymentID: gateway.name == "cybersource" ? nil : "1")
            var report = PaymentReport(gateway: gateway.name)
            report.meaning = .booked
            if kind == .refund { report.captured = 3000 } else { report.authorized = 3000 }
            func refusal(_ amount: Int64?) throws -> PaymentError.Code? {
                var operation = PaymentOperation(kind, amount: amount, name: "o-1")
                operation.reason = "Returned"
                return try self.refusal {
                    _ = try gateway.perform(operation, on: report, of: attempt)
                }
            }
            let extent = gateway.abilities[kind]
            let none = PaymentError.Code.unsupportedOperation
            #expect(try refusal(nil) == (extent == .none ? none : nil), "\(gateway)")
            #expect(try refusal(3000) == (extent == .none ? none : nil), "\(gateway)")
            let ofPart: PaymentError.Code? =
                switch extent {
                case .none: none
                case .whole: .unsupportedAmount
                case .part: nil
                }
            #expect(try refusal(1000) == ofPart, "\(gateway)")
            #expect(
                try refusal(3001) == (extent == .none ? none : .unsupportedAmount), "\(gateway)")
        }
    }

    @Test("to be asked moves no money, and to capture, cancel and refund does")
    func money() throws {
        for gateway in try ExampleMerchant.example.gateways() {
            let attempt = try GatewayFixture.attempt(
                paymentID: gateway.name == "cybersource" ? nil : "1")
            if !gateway.abilities.status.isEmpty {
                let query = try gateway.status(of: attempt)
                #expect(!query.canMoveMoney, "\(gateway)")
            }
            for kind in PaymentOperation.Kind.allCases where gateway.abilities[kind] != .none {
                var report = PaymentReport(gateway: gateway.name)
                report.meaning = .booked
                (report.authorized, report.captured) = (3000, 3000)
                let operation = with(PaymentOperation(kind, name: "o-1")) { $0.reason = "r" }
                let call = try gateway.perform(operation, on: report, of: attempt)
                // bePaid's refund asks first which transaction it must name.
                let asksFirst = gateway.name == "bepaid" && kind == .refund
                #expect(call.canMoveMoney != asksFirst, "\(gateway) \(kind)")
            }
        }
    }

    @Test("to log in needs a client's credentials")
    func login() throws {
        let merchant = ExampleMerchant.example
        for request in [merchant.payPal.loginRequest, merchant.dintero.loginRequest] {
            GatewayFixture.expectRefusal(.unsupportedOperation, "login") { try request() }
        }
    }

    @Test("to have pages and sessions is the stated one")
    func pagesAndSessions() throws {
        for gateway in try ExampleMerchant.example.gateways() {
            let order = try GatewayFixture.order {
                $0.description = "d"
                $0.returnURL = "https://shop.example/r"
            }
            let page = try refusal {
                _ = try gateway.page(for: order, attempt: GatewayFixture.attempt(order))
            }
            #expect(
                page == (gateway.abilities.hasPages ? nil : .unsupportedOperation), "\(gateway)")
            // In a session, the gateway is asked before anything can move money.
            guard gateway.abilities.takesSessions, gateway.name != "dintero" else { continue }
            let call = try gateway.payment(
                GatewayFixture.accepted(session: "s-1") {
                    $0.description = "d"
                    $0.returnURL = "https://shop.example/r"
                })
            #expect(!call.canMoveMoney, "\(gateway)")
        }
    }

    @Test("to keep a key lasts as long as each gateway documents at least")
    func keyHours() throws {
        let hours = ["paypal": 6, "adyen": 168]
        for gateway in try ExampleMerchant.example.gateways() {
            #expect(gateway.abilities.keyHours == hours[String(gateway.name)] ?? 24, "\(gateway)")
        }
    }

    @Test("to send messages is missing where none can be verified")
    func messages() throws {
        for gateway in try ExampleMerchant.example.gateways() where !gateway.abilities.messages {
            let error = #expect(throws: PaymentError.self, "\(gateway)") {
                try gateway.read(
                    GatewayMessage(method: "POST", target: "/", headers: [], body: []),
                    receivedAt: Date())
            }
            #expect(error?.code == .unsupportedMessages, "\(gateway)")
        }
    }
}
