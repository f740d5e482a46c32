import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// The signs by which a payment of this shop is told from another one with the order's reference.
@Suite("The mark of a payment")
struct MarkTests {
    private static let mark: ExactText = "0123456789abcdef0123"

    /// The sign of each gateway.
    private static let signs: [String: GatewayAbilities.Mark] = [
        "worldline-direct": .field, "rbs": .field, "dintero": .session,
        "bepaid": .reference, "worldline-connect": .reference, "checkout": .reference,
    ]

    private static let marked: [any TestedGateway] =
        [WorldlineFixture.direct()] + RBS.Kind.allCases.map(ExampleMerchant.example.rbs)

    private func input(_ mark: ExactText?) throws -> PaymentInput {
        let input = try GatewayFixture.input {
            $0.description = "d"
            $0.returnURL = "https://shop.example/r"
        }
        let attempt = with(input.attempt) { $0.mark = mark }
        return PaymentInput(input.order, attempt, input.token, input.payment)
    }

    @Test("is what each gateway can return")
    func abilities() throws {
        for gateway in try ExampleMerchant.example.gateways() {
            #expect(gateway.abilities.mark == Self.signs[String(gateway.name)], "\(gateway)")
            let ignores = gateway.name == "worldline-direct"
            #expect(gateway.abilities.ignoresRepeatedBody == ignores, "\(gateway)")
        }
    }

    @Test("is sent once in its field, and only if there is one")
    func sent() throws {
        let members: [ExactText: String] = [
            "worldline-direct": #""merchantParameters":"\#(Self.mark)""#,
            "rbs": #""orderMark":"\#(Self.mark)""#,
        ]
        for gateway in Self.marked {
            let body = GatewayFixture.body(try gateway.paymentRequest(input(Self.mark)))
            let member = try #require(members[gateway.name])
            #expect(body.contains(member) && body.split(separator: String(Self.mark)).count == 2)
            let unmarked = GatewayFixture.body(try gateway.paymentRequest(input(nil)))
            #expect(!unmarked.contains("orderMark") && !unmarked.contains("merchantParameters"))
        }
    }

    @Test("is not sent to a gateway that has no field for it")
    func notSent() throws {
        for gateway in try ExampleMerchant.example.gateways() {
            guard gateway.abilities.mark != .field, !gateway.abilities.forms.isEmpty,
                gateway.name != "dintero"
            else { continue }
            let body = GatewayFixture.body(try gateway.paymentRequest(input(Self.mark)))
            #expect(!body.contains(String(Self.mark)), "\(gateway)")
        }
    }

    @Test("is sent with a page of Worldline Direct, and not with one of Connect")
    func pages() throws {
        let order = try WorldlineFixture.pageOrder()
        let attempt = try with(GatewayFixture.attempt(order)) { $0.mark = Self.mark }
        for gateway in [WorldlineFixture.direct(), WorldlineFixture.connect()]
            as [any TestedGateway]
        {
            let request = try gateway.page(for: order, attempt: attempt).request(
                at: Date(timeIntervalSince1970: 0))
            let isSent = GatewayFixture.body(request).contains(String(Self.mark))
            #expect(isSent == (gateway.name == "worldline-direct"))
        }
    }

    @Test("cannot be a parameter of the shop's")
    func reserved() throws {
        for kind in RBS.Kind.allCases {
            let gateway = with(ExampleMerchant.example.rbs(kind)) {
                $0.options.additionalParameters = ["orderMark": "1"]
            }
            let order = try with(GatewayFixture.order()) {
                $0.returnURL = "https://shop.example/r"
            }
            gateway.expectRefusal(.unsupportedValue, "orderMark", of: order)
        }
    }

    @Test("is sent beside the parameters of the shop")
    func others() throws {
        let gateway = with(ExampleMerchant.example.rbs(.encrypted)) {
            $0.options.additionalParameters = ["a": "1", "z": "2"]
        }
        let body = GatewayFixture.body(try gateway.paymentRequest(input(Self.mark)))
        let parameters = #""additionalParameters":{"a":"1","orderMark":"\#(Self.mark)","z":"2"}"#
        #expect(body.contains(parameters))
    }

    /// The members of a payment of Worldline's, by what they state as its mark; `unreadable` for a wrong type.
    private static let outputs: [(members: String, mark: String?)] = [
        ("", nil), (#","merchantParameters":null"#, nil),
        (#","merchantParameters":"m-1""#, "m-1"),
        (#","references":{"merchantParameters":"m-1"}"#, "m-1"),
        (#","merchantParameters":"m-1","references":{"merchantParameters":"m-1"}"#, "m-1"),
        (#","merchantParameters":"m-1","references":{"merchantParameters":"m-2"}"#, "unreadable"),
        // Equal to Unicode, but not as bytes: KELVIN SIGN.
        (#","merchantParameters":"K","references":{"merchantParameters":"\u212a"}"#, "unreadable"),
        (#","merchantParameters":{"a":1}"#, "unreadable"),
        (#","references":{"merchantParameters":["m-1"]}"#, "unreadable"),
        (#","references":"m-1""#, "unreadable"),
    ]

    @Test("is read in both places of Worldline Direct's answers, and unreadable with a wrong type")
    func worldline() throws {
        for (members, mark) in Self.outputs {
            let payment =
                #"{"id":"1_0","status":"CAPTURED","statusOutput":{"statusCode":9},"paymentOutput":"#
                + #"{"amountOfMoney":{"amount":1,"currencyCode":"EUR"}\#(members)}}"#
            let answers: [(String, (GatewayResponse) -> PaymentReport)] = [
                (#"{"payment":\#(payment)}"#, { Worldline.paymentReport($0, .direct) }),
                (payment, Worldline.detailsReport),
                (
                    #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"payment":\#(payment)}}"#,
                    { Worldline.pageStatusReport($0, .direct) }
                ),
            ]
            for (text, read) in answers {
                let report = read(GatewayResponse(status: 200, body: Array(text.utf8)))
                #expect((report.fault != nil) == (mark == "unreadable"), "\(text)")
                if report.fault == nil { #expect(report.mark == mark, "\(text)") }
            }
        }
    }

    @Test("is read in the capture and the refund of Worldline Direct")
    func operations() {
        for (kind, output) in [(PaymentOperation.Kind.capture, "capture"), (.refund, "refund")] {
            let text =
                #"{"id":"1_1","status":"CAPTURED","\#(output)Output":{"merchantParameters":"m-1"}}"#
            let response = GatewayResponse(status: 201, body: Array(text.utf8))
            #expect(Worldline.operationReport(response, of: kind, .direct).mark == "m-1")
        }
    }

    /// `merchantOrderParams` by the mark in it.
    private static let parameters: [(list: String, mark: String?)] = [
        ("[]", nil), ("null", nil), (#"[{"name":"a","value":"m-1"}]"#, nil),
        (#"[{"name":"a","value":"1"},{"name":"orderMark","value":"m-1"}]"#, "m-1"),
        (
            #"[{"name":"orderMark","value":"m-1"},{"name":"orderMark","value":"m-1"}]"#,
            "unreadable"
        ),
        (#"[{"name":"orderMark"}]"#, "unreadable"),
        (#"[{"name":"orderMark","value":{}}]"#, "unreadable"),
        (#"{"orderMark":"m-1"}"#, "unreadable"), (#"["orderMark"]"#, "unreadable"),
    ]

    @Test("is read in the order's state at RBS, and unreadable with a wrong type")
    func rbs() throws {
        for (list, mark) in Self.parameters {
            let order =
                #"{"errorCode":"0","orderStatus":2,"amount":1,"merchantOrderParams":\#(list)}"#
            let payment = #"{"success":true,"orderStatus":\#(order)}"#
            for report in [
                RBS.statusReport(GatewayResponse(status: 200, body: Array(order.utf8))),
                RBS.paymentReport(
                    GatewayResponse(status: 200, body: Array(payment.utf8)), canBeAsked: true),
            ] {
                #expect((report.fault != nil) == (mark == "unreadable"), "\(list)")
                if report.fault == nil { #expect(report.mark == mark, "\(list)") }
            }
        }
    }

    @Test(
        "comes back from the sandbox's answers and queries",
        arguments: SandboxAccount.all.filter { ["worldline-direct", "rbs"].contains($0.name) })
    func sandbox(_ account: SandboxAccount) async throws {
        let shop = try SandboxShop(account)
        let paid = try shop.accepted(SandboxShop.order(3000))
        var attempt = with(paid.attempt) { $0.mark = Self.mark }
        let marked = AcceptedPayment(paid.order, attempt, paid.token, paid.payment)
        let outcome = try await shop.transport.outcome(of: shop.gateway.payment(marked))
        #expect(outcome.report?.mark == Self.mark)
        attempt.paymentID = try #require(outcome.report?.paymentID)
        let asked = try await shop.transport.outcome(of: shop.gateway.status(of: attempt))
        #expect(asked.report?.mark == Self.mark && asked.state == .paid)
    }
}
