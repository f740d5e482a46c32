import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayToken
import Foundation
import TestVectors
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The bodies of requests to the service")
struct ServiceBodyTests {
    /// The kinds of bodies.
    enum Kind: CaseIterable {
        case payment, cardPayment, page, card, verification, decryption, operation, decision,
            adoption, message

        var members: [MemberDescription] {
            switch self {
            case .payment, .cardPayment: ServiceBody.Payment.members
            case .page: ServiceBody.Payment.pageMembers
            case .card: ServiceBody.Card.members
            case .verification: ServiceBody.Token.verificationMembers
            case .decryption: ServiceBody.Token.members
            case .operation: ServiceBody.Operation.members
            case .decision: ServiceBody.Decision.members
            case .adoption: ServiceBody.Adoption.members
            case .message: ServiceBody.Message.members
            }
        }

        /// A body with all members; a decision is about an attempt, and so has no operation.
        var whole: [String: JSONTree] {
            let order = JSONTree.object([
                "reference": .string("r"), "amount": .number(1), "currency": .string("EUR"),
            ])
            let token = JSONTree.object(["version": .string("EC_v1")])
            return switch self {
            case .payment:
                [
                    "token": token, "order": order, "gateway": .string("bepaid"),
                    "again": .string("5e"), "session": .string("s"),
                ]
            case .cardPayment:
                [
                    "card": .object([
                        "gateway": .string("bepaid"), "account": .string("361"),
                        "isTest": .boolean(true), "identifier": .string("c-1"),
                    ]), "initiator": .string("recurring"), "order": order,
                    "gateway": .string("bepaid"), "again": .string("5e"),
                ]
            case .page:
                ["order": order, "gateway": .string("bepaid"), "again": .string("5e")]
            case .card:
                [
                    "card": .string("c"), "gateway": .string("intergiro"),
                    "returnURL": .string("https://a.example"),
                ]
            case .verification: ["token": token]
            case .decryption:
                [
                    "token": token, "order": order, "reveal": .boolean(true),
                    "claim": .boolean(false),
                ]
            case .operation:
                [
                    "amount": .number(1), "operation": .string("o"), "reason": .string("r"),
                    "final": .boolean(true),
                ]
            case .decision:
                [
                    "serial": .string("5e"), "paid": .string("p"), "refused": .boolean(false),
                    "returned": .boolean(false), "done": .boolean(false), "by": .string("Jane"),
                    "because": .string("b"), "confirmed": .boolean(true), "paymentId": .string("p"),
                ]
            case .adoption:
                [
                    "paymentId": .string("p"), "order": order, "gateway": .string("bepaid"),
                    "by": .string("Jane"), "because": .string("b"),
                ]
            case .message:
                [
                    "method": .string("PUT"), "target": .string("/hook?a"),
                    "headers": .array([
                        .object(["name": .string("A"), "value": .string("")]),
                        .object(["name": .string("A"), "value": .string("b")]),
                    ]), "body": .string("AAEC"),
                ]
            }
        }

        func read(_ tree: JSONTree) throws { try read(AnswerValue(Array(tree.text.utf8))) }

        /// Reads a body.
        func read(_ body: AnswerValue) throws {
            switch self {
            case .payment, .cardPayment: _ = try ServiceBody.Payment(body, isPage: false)
            case .page: _ = try ServiceBody.Payment(body, isPage: true)
            case .card: _ = try ServiceBody.Card(body)
            case .verification: _ = try ServiceBody.Token(body, isDecrypted: false)
            case .decryption: _ = try ServiceBody.Token(body, isDecrypted: true)
            case .operation: _ = try ServiceBody.Operation(body)
            case .decision: _ = try ServiceBody.Decision(body)
            case .adoption: _ = try ServiceBody.Adoption(body)
            case .message: _ = try ServiceBody.Message(body)
            }
        }

        /// Expects that a body is refused because of a member.
        func expectFault(_ tree: JSONTree, _ path: String, _ reason: String) {
            let error = #expect(throws: FileError.self, "\(self): \(tree.text)") { try read(tree) }
            #expect(
                error?.path == path && error?.reason == reason,
                "\(self): \(tree.text): \(String(describing: error))")
        }
    }

    @Test(
        "are accepted with all members, and each member is in the body with all",
        arguments: Kind.allCases)
    func whole(_ kind: Kind) throws {
        // What stands for another member.
        let others =
            switch kind {
            case .decision: ["operation", "order", "gateway"]
            case .payment: ["card", "initiator"]
            case .cardPayment: ["token", "session"]
            default: [] as [String]
            }
        let names = kind.members.map(\.name).filter { !others.contains($0) }
        #expect(names.sorted() == kind.whole.keys.sorted())
        try kind.read(.object(kind.whole))
    }

    @Test(
        "are accepted with the mandatory members, and refused without one of them",
        arguments: Kind.allCases)
    func missing(_ kind: Kind) throws {
        for member in kind.members {
            var body = kind.whole
            body[member.name] = nil
            // The only decision in the body.
            if kind == .decision, member.name == "paid" { continue }
            if kind == .decision, member.name == "serial" {
                kind.expectFault(
                    .object(body), "serial",
                    "is missing: the attempt, or give operation or order for a decision about one")
                continue
            }
            let reason: String? =
                switch (kind, member.name) {
                case (.payment, "token"), (.cardPayment, "card"):
                    "is missing: the payment token, or card and initiator"
                case (.cardPayment, "initiator"):
                    "is missing: who begins the payment with the card, customer, recurring, instalment or unscheduled"
                default: nil
                }
            if let reason {
                kind.expectFault(
                    .object(body), member.name == "card" ? "token" : member.name, reason)
            } else if member.isMandatory {
                kind.expectFault(.object(body), member.name, "is missing: \(member.help)")
            } else {
                try kind.read(.object(body))
            }
        }
    }

    @Test("have an example that is accepted", arguments: Kind.allCases)
    func example(_ kind: Kind) throws {
        let example = MemberJSON.example(kind.members)
        #expect(throws: Never.self, "\(example)") {
            try kind.read(AnswerValue(Array(example.utf8)))
        }
    }

    @Test("have an example that is accepted, also that for a merchant session")
    func sessionExample() throws {
        let example = MemberJSON.example(ServiceBody.Session.members)
        let session = try ServiceBody.Session(AnswerValue(Array(example.utf8)))
        guard case .page("shop.example", "Shop") = session.source else {
            Issue.record("another session: \(example)")
            return
        }
    }

    @Test("are refused with a value of another type, and with null", arguments: Kind.allCases)
    func wrongTypes(_ kind: Kind) {
        for member in kind.members {
            let (reason, wrong): (String, [JSONTree]) =
                switch (member.name, member.kind) {
                case ("body", _):
                    (
                        MemberLimitTests.reasons["body"] ?? "",
                        [.number(1), .null, .string("?"), .string("e30")]
                    )
                case (_, .text):
                    (
                        "must be a string",
                        [.number(1), .null, .boolean(true), .object([:]), .array([])]
                    )
                case (_, .boolean):
                    ("must be true or false", [.string("true"), .number(1), .null, .array([])])
                case (_, .integer):
                    (
                        "must be a whole number of minor units, such as 1099 for 10.99 EUR",
                        [.boolean(true), .null, .array([])]
                    )
                case (_, .token):
                    (
                        "must be the token as an object, or a string with its text",
                        [.number(1), .null, .array([]), .boolean(true)]
                    )
                case (_, .choice(let names)):
                    (
                        "must be \(names.alternatives)",
                        [.number(1), .null, .string("Recurring"), .object([:])]
                    )
                case (_, .objects):
                    ("must be an array of objects", [.object([:]), .string(""), .null])
                default: ("must be an object", [.string("{}"), .array([]), .null])
                }
            for value in wrong {
                var body = kind.whole
                body[member.name] = value
                kind.expectFault(.object(body), member.name, reason)
            }
        }
    }

    @Test("are refused with an unknown member, or if they are no objects", arguments: Kind.allCases)
    func unknown(_ kind: Kind) {
        var body = kind.whole
        body["x"] = .number(1)
        let names = kind.members.map(\.name).joined(separator: ", ")
        kind.expectFault(.object(body), "x", "is unknown; the body can have \(names)")
        for value: JSONTree in [.array([]), .string("{}"), .number(1), .null, .boolean(true)] {
            kind.expectFault(value, "", "must be an object")
        }
    }

    @Test(
        "are refused with a value outside its range, or a fault within a member",
        arguments: [
            (Kind.payment, "gateway", #""""#, "gateway", "must not be empty"),
            (.payment, "again", #""""#, "again", "must not be empty"),
            (.payment, "session", #""""#, "session", "must not be empty"),
            (.card, "card", #""""#, "card", "must not be empty"),
            (.card, "returnURL", #""""#, "returnURL", "must not be empty"),
            (
                .page, "order", #"{"amount":1,"currency":"EUR"}"#, "order.reference",
                "is missing: what the merchant calls the order"
            ),
            (
                .payment, "order", #"{"amount":1,"currency":"EUR"}"#, "order.reference",
                "is missing: what the merchant calls the order"
            ),
            (
                .payment, "order", #"{"amount":1}"#, "order.currency",
                "is missing: the currency, a code of ISO 4217"
            ),
            (
                .payment, "order", #"{"reference":"r","amount":"1","currency":"EUR"}"#,
                "order.amount",
                "must be a whole number of minor units, such as 1099 for 10.99 EUR, without quotation marks"
            ),
            (
                .decryption, "order", #"{"amount":-1,"currency":"EUR"}"#, "order.amount",
                "must be at least 0"
            ),
            (.operation, "amount", "0", "amount", "must be at least 1"),
            (
                .operation, "amount", "1099.5", "amount",
                "must be a whole number of minor units, such as 1099 for 10.99 EUR, without a decimal point or an exponent"
            ),
            (
                .operation, "amount", #""1099""#, "amount",
                "must be a whole number of minor units, such as 1099 for 10.99 EUR, without quotation marks"
            ),
            (.operation, "operation", #""""#, "operation", "must not be empty"),
            (.operation, "reason", #""""#, "reason", "must not be empty"),
            (.decision, "serial", #""""#, "serial", "must not be empty"),
            (.decision, "paid", #""""#, "paid", "must not be empty"),
            (.decision, "operation", #""""#, "operation", "must not be empty"),
            (
                .decision, "operation", #""o""#, "serial",
                "is about an attempt; leave it out with operation"
            ),
            (
                .decision, "done", "true", "paid",
                "is a decision; give one of paid, refused and returned"
            ),
            (.adoption, "paymentId", #""""#, "paymentId", "must not be empty"),
            (
                .adoption, "order", #"{"amount":1,"currency":"EUR"}"#, "order.reference",
                "is missing: what the merchant calls the order"
            ),
            (.decision, "by", #""""#, "by", "must not be empty"),
            (.decision, "because", #""""#, "because", "must not be empty"),
            (.message, "method", #""""#, "method", "must not be empty"),
            (
                .message, "method", #""ABCDEFGHIJKLMNOPQ""#, "method",
                "must have at most 16 characters; it has 17"
            ),
            (.message, "target", #""""#, "target", "must not be empty"),
            (.message, "headers", "[1]", "headers[0]", "must be an object"),
            (
                .message, "headers", #"[{"name":"a"}]"#, "headers[0].value",
                "is missing: the header's value"
            ),
            (
                .message, "headers", #"[{"value":"a"}]"#, "headers[0].name",
                "is missing: the header's name"
            ),
            (
                .message, "headers", #"[{"name":"a","value":"b"},{"name":1,"value":""}]"#,
                "headers[1].name",
                "must be a string"
            ),
        ])
    func values(_ kind: Kind, _ name: String, _ value: String, _ path: String, _ reason: String)
        throws
    {
        var body = kind.whole
        body[name] = try JSONDecoder().decode(JSONTree.self, from: Data(value.utf8))
        kind.expectFault(.object(body), path, reason)
    }

    @Test("contain exactly one decision")
    func decisions() throws {
        let choices: [(String, JSONTree)] = [
            ("paid", .string("p")), ("refused", .boolean(true)), ("returned", .boolean(true)),
        ]
        for chosen in 0..<8 {
            var body = Kind.decision.whole
            body["paid"] = nil
            for (index, choice) in choices.enumerated() where chosen >> index & 1 == 1 {
                body[choice.0] = choice.1
            }
            if [1, 2, 4].contains(chosen) {
                let decision = try ServiceBody.Decision(
                    AnswerValue(Array(JSONTree.object(body).text.utf8)))
                #expect((decision.paid == "p") == (chosen == 1))
                #expect(decision.isRefused == (chosen == 2) && decision.isReturned == (chosen == 4))
            } else {
                Kind.decision.expectFault(
                    .object(body), "paid", "is a decision; give one of paid, refused and returned")
            }
        }
    }

    @Test("contain one of done and refused about an operation, and nothing about an attempt")
    func operationDecisions() throws {
        let bare: [String: JSONTree] = [
            "operation": .string("o"), "by": .string("Jane"), "because": .string("b"),
        ]
        func tree(_ names: String...) -> JSONTree {
            .object(names.reduce(into: bare) { $0[$1] = .boolean(true) })
        }
        for name in ["done", "refused"] {
            let decision = try ServiceBody.Decision(AnswerValue(Array(tree(name).text.utf8)))
            #expect(decision.operation == "o" && decision.serial.isEmpty)
            #expect(decision.isDone == (name == "done"))
            #expect(decision.isRefused == (name == "refused"))
        }
        for wrong in [tree(), tree("done", "refused")] {
            Kind.decision.expectFault(wrong, "done", "is a decision; give one of done and refused")
        }
        for name in ["returned", "confirmed"] {
            Kind.decision.expectFault(
                tree("done", name), name, "is about an attempt; leave it out with operation")
        }
        for name in ["serial", "paid", "paymentId"] {
            var body = bare
            body[name] = .string("p")
            Kind.decision.expectFault(
                .object(body), name, "is about an attempt; leave it out with operation")
        }
    }

    @Test("contain the decision that an order has no payment, and nothing about an attempt")
    func orderDecisions() throws {
        let bare: [String: JSONTree] = [
            "order": Kind.adoption.whole["order"] ?? .null, "gateway": .string("bepaid"),
            "refused": .boolean(true), "by": .string("Jane"), "because": .string("b"),
            "confirmed": .boolean(true),
        ]
        let decision = try ServiceBody.Decision(
            AnswerValue(Array(JSONTree.object(bare).text.utf8)))
        #expect(decision.order?.reference == "r" && decision.gateway == "bepaid")
        #expect(decision.isRefused && decision.isConfirmed && decision.serial.isEmpty)
        for (name, value) in [
            ("serial", JSONTree.string("5e")), ("paid", .string("p")),
            ("returned", .boolean(true)),
            ("paymentId", .string("p")), ("done", .boolean(true)),
        ] {
            Kind.decision.expectFault(
                .object(bare.merging([name: value]) { $1 }), name,
                "is not about a whole order; leave it out with order")
        }
        Kind.decision.expectFault(
            .object(Kind.decision.whole.merging(["gateway": .string("bepaid")]) { $1 }), "gateway",
            "is that of the attempt; leave it out without order")
        var none = bare
        none["refused"] = nil
        Kind.decision.expectFault(
            .object(none), "refused", "is missing: the decision about the order")
        Kind.decision.expectFault(
            .object(
                bare.merging(["operation": .string("o"), "confirmed": .boolean(false)]) { $1 }),
            "order", "is about an attempt; leave it out with operation")
    }

    @Test("contain a token or a stored card, and nothing of the other")
    func means() {
        let (token, card) = (Kind.payment.whole, Kind.cardPayment.whole)
        for (body, name, value) in [
            (token, "card", card["card"]), (token, "initiator", card["initiator"]),
            (card, "token", token["token"]), (card, "session", token["session"]),
        ] {
            var both = body
            both[name] = value
            let member = name == "token" ? "card" : name
            let reason =
                name == "session"
                ? "is for a token; leave it out"
                : "is for a payment without a token; leave it out"
            Kind.payment.expectFault(.object(both), member, reason)
        }
    }

    /// Returns the text of a kind's body with all members.
    private func body(_ kind: Kind, _ changes: [String: JSONTree] = [:]) throws -> AnswerValue {
        let members = kind.whole.merging(changes) { _, new in new }
        return try AnswerValue(Array(JSONTree.object(members).text.utf8))
    }

    @Test("have each member in its place")
    func places() throws {
        let payment = try ServiceBody.Payment(body(.payment), isPage: false)
        guard case .token(let text, let session) = payment.means else {
            Issue.record("no token")
            return
        }
        #expect(text == Array(#"{"version":"EC_v1"}"#.utf8))
        #expect(payment.order.reference == "r" && payment.order.amount == 1)
        #expect(payment.gateway == "bepaid" && payment.again == "5e" && session == "s")
        let other = try ServiceBody.Payment(body(.cardPayment), isPage: false)
        guard case .card(let stored, .recurring) = other.means else {
            Issue.record("no card")
            return
        }
        #expect((stored.gateway, stored.account, stored.isTest) == ("bepaid", "361", true))
        #expect(stored.details.identifier == "c-1")
        let page = try ServiceBody.Payment(body(.page), isPage: true)
        #expect(
            orderMembers(page.order) == orderMembers(payment.order) && page.gateway == "bepaid"
                && page.again == "5e")
        let card = try ServiceBody.Card(body(.card))
        #expect(card.card == "c" && card.gateway == "intergiro")
        #expect(card.returnURL == "https://a.example")
        let token = try ServiceBody.Token(body(.decryption), isDecrypted: true)
        #expect(
            token.token == text
                && token.order.map(orderMembers) == orderMembers(payment.order) && token.reveal)
        let verified = try ServiceBody.Token(body(.verification), isDecrypted: false)
        #expect(verified.token == text && verified.order == nil && !verified.reveal)
        let operation = try ServiceBody.Operation(body(.operation))
        #expect(operation.amount == 1 && operation.operation == "o")
        #expect(operation.reason == "r" && operation.isFinal == true)
        let decision = try ServiceBody.Decision(body(.decision))
        #expect(decision.serial == "5e" && decision.person == "Jane")
        #expect(decision.reason == "b" && decision.isConfirmed)
        let adoption = try ServiceBody.Adoption(body(.adoption))
        #expect(
            adoption.paymentID == "p" && orderMembers(adoption.order) == orderMembers(payment.order)
        )
        #expect(adoption.gateway == "bepaid" && adoption.person == "Jane")
        #expect(adoption.reason == "b")
        let message = try ServiceBody.Message(body(.message)).message
        #expect(
            message.method == "PUT" && message.target == "/hook?a" && message.body == [0, 1, 2])
        #expect(
            message.headers.map(\.name) == ["A", "A"] && message.headers.map(\.value) == ["", "b"])
    }

    @Test("have at most 512 headers of a message")
    func headers() throws {
        var members = Kind.message.whole
        let header = JSONTree.object(["name": .string("A"), "value": .string("b")])
        members["headers"] = .array(Array(repeating: header, count: 512))
        try Kind.message.read(.object(members))
        members["headers"] = .array(Array(repeating: header, count: 513))
        Kind.message.expectFault(.object(members), "headers", "must be at most 512")
    }

    @Test("claim only with an order")
    func claims() throws {
        let claimed = try ServiceBody.Token(
            body(.decryption, ["claim": .boolean(true)]), isDecrypted: true)
        #expect(claimed.claim)
        Kind.decryption.expectFault(
            .object(["token": .object([:]), "claim": .boolean(true)]), "order",
            "is missing: a claim needs the order")
    }

    /// Returns what the body of a request for a session names, or why it is refused.
    private func session(_ members: String) -> String {
        do {
            let body = try AnswerValue(Array("{\(members)}".utf8))
            return switch try ServiceBody.Session(body).source {
            case .page(let domain, let name): "page \(domain) \(name)"
            case .messages(let gateway, let name): "messages \(gateway) \(name)"
            case .gateway(let name, let url, let session): "\(name) \(url) \(session ?? "-")"
            }
        } catch let error as FileError {
            return error.path.isEmpty ? "refused" : error.path
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "ask for a session of Apple's or of a gateway's, and for nothing between",
        arguments: [
            (#""domain":"d","displayName":"n""#, "page d n"),
            (#""messagesGateway":"g","displayName":"n""#, "messages g n"),
            (#""gateway":"g","validationURL":"u""#, "g u -"),
            (#""gateway":"g","validationURL":"u","session":"s""#, "g u s"),
            ("", "refused"), (#""domain":"d""#, "refused"), (#""displayName":"n""#, "refused"),
            (#""gateway":"g""#, "refused"), (#""validationURL":"u""#, "refused"),
            (#""domain":"d","messagesGateway":"g","displayName":"n""#, "refused"),
            (#""domain":"d","displayName":"n","session":"s""#, "refused"),
            (#""domain":"d","displayName":"n","validationURL":"u""#, "refused"),
            (#""gateway":"g","validationURL":"u","domain":"d""#, "refused"),
            (#""gateway":"g","validationURL":"u","displayName":"n""#, "refused"),
            (#""domain":1"#, "domain"), (#""url":"u""#, "url"),
        ])
    func sessions(_ members: String, _ expected: String) {
        #expect(session(members) == expected)
    }

    @Test("contain a token as an object or as the text of one")
    func tokenTexts() throws {
        for (value, text) in [
            (JSONTree.string(#"{"a":"\n"}"#), #"{"a":"\n"}"#), (.string(""), ""),
            (.object([:]), "{}"),
        ] {
            let token = try ServiceBody.Token(
                body(.verification, ["token": value]), isDecrypted: false)
            #expect(token.token == Array(text.utf8))
        }
    }

    @Test("need no order for a comparison, no reference in it, and reveal nothing unless asked")
    func defaults() throws {
        let plain = try ServiceBody.Token(
            AnswerValue(Array(#"{"token":{}}"#.utf8)), isDecrypted: true)
        #expect(plain.order == nil && !plain.reveal)
        let order = JSONTree.object(["amount": .number(1), "currency": .string("EUR")])
        let compared = try ServiceBody.Token(body(.decryption, ["order": order]), isDecrypted: true)
        #expect(compared.order?.amount == 1)
        let operation = try ServiceBody.Operation(AnswerValue(Array("{}".utf8)))
        #expect(operation.amount == nil && operation.operation == nil)
        #expect(operation.reason == nil && operation.isFinal == nil)
        let message = #"{"target":"/","headers":[],"body":""}"#
        #expect(try ServiceBody.Message(AnswerValue(Array(message.utf8))).message.method == "POST")
    }
}
