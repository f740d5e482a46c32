import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("paytoken answer")
struct AnswerCommandTests {
    private static let paid =
        #"{"payment":{"id":"1_0","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"amount":3000,"#
        + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1"}}}}"#

    @Test(
        "writes one outcome, and exits with its status",
        arguments: [
            (
                "worldline-direct", "201", paid,
                #"{"outcome":"paid","gateway":"worldline-direct","step":"payment","paymentId":"1_0","#
                    + #""reference":"order-1","status":"CAPTURED","currency":"EUR","ordered":3000,"#
                    + #""captured":3000,"httpStatus":201}"#, 0
            ),
            (
                "adyen", "200",
                #"{"resultCode":"Authorised","merchantReference":"order-1","pspReference":"p","#
                    + #""amount":{"value":3000,"currency":"EUR"}}"#,
                #""outcome":"authorized","gateway":"adyen","step":"payment","paymentId":"p","#
                    + #""reference":"order-1","status":"Authorised","currency":"EUR","authorized":3000"#,
                6
            ),
            (
                "adyen", "200", #"{"resultCode":"Pending"}"#,
                #""outcome":"pending","gateway":"adyen","step":"payment","paymentId":null,"#
                    + #""reference":null,"status":"Pending""#, 4
            ),
            (
                "bepaid", "200",
                #"{"transaction":{"status":"incomplete","redirect_url":"https://r.example/?a=\"b"}}"#,
                #""outcome":"action-required","gateway":"bepaid","step":"payment","paymentId":null,"#
                    + #""reference":null,"status":"incomplete","url":"https://r.example/"#, 4
            ),
            (
                "bepaid", "200",
                #"{"transaction":{"uid":"u","status":"failed","code":"P.1","message":"no\u001b[2J"}}"#,
                #""status":"failed","code":"P.1","text":"no\u001b[2J","origin":"issuer","#
                    + #""httpStatus":200}"#, 1
            ),
            (
                "bepaid", "401", #"{"response":{"status":"error","message":"no access"}}"#,
                #""outcome":"refused","gateway":"bepaid","step":"payment","paymentId":null,"#
                    + #""reference":null,"status":"error","code":"401","text":"no access","#
                    + #""origin":"operator","httpStatus":401}"#, 3
            ),
            (
                "paypal", "500", #"{"name":"x"}"#,
                #""outcome":"unknown","gateway":"paypal","step":"payment","paymentId":null,"#
                    + #""reference":null,"status":null,"#, 5
            ),
            ("paypal", "500", #"{"name":"x"}"#, #","httpStatus":500,"reason":""#, 5),
            ("checkout", "502", "<html>", #""outcome":"unknown""#, 5),
            ("rbs", "200", "", #""outcome":"unknown""#, 5),
        ])
    func outcomes(
        _ gateway: String,
        _ status: String,
        _ body: String,
        _ fragment: String,
        _ exit: Int32
    ) throws {
        let answer = try GatewayFiles.answer(
            gateway, input: "HTTP/1.1 \(status) X\r\nA: b\r\n\r\n\(body)")
        #expect(answer.status == exit, "\(answer.error)")
        #expect(answer.output.contains(fragment), "\(answer.output)")
        #expect(answer.output.hasSuffix("}\n") && answer.error.isEmpty)
        #expect(!answer.output.contains("\u{1B}"))
        #expect(
            try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) is [String: Any])
    }

    @Test(
        "reads heads with CRLF or LF, of any version, after interim ones",
        arguments: [
            "HTTP/1.1 201 Created\r\nA: b\r\n\r\n", "HTTP/1.1 201 Created\nA: b\n\n",
            "HTTP/2 201 \r\ncontent-type: application/json\r\n\r\n", "HTTP/2 201\r\n\r\n",
            "HTTP/1.0 201 Created\r\n\r\n", "HTTP/3 201\n\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nA: b\r\n\r\n",
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/2 201\n\n",
            "HTTP/1.1 201 Created\r\nno colon\r\n: no name\r\nA:\r\n\r\n",
        ])
    func heads(_ head: String) throws {
        let response = try #require(HTTPText.response(Array("\(head)\(Self.paid)".utf8)))
        #expect(response.status == 201)
        let answer = try GatewayFiles.answer("worldline-direct", input: head + Self.paid)
        #expect(answer.status == 0, "\(answer.output)")
    }

    @Test("keeps the headers of the final answer")
    func headers() throws {
        let text =
            "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/2 429\r\nRetry-After:  5 \r\nB:c:d\r\n\r\nx"
        let response = try #require(HTTPText.response(Array(text.utf8)))
        #expect(response.header("A") == nil && response.header("retry-after") == "5")
        #expect(response.header("b") == "c:d" && response.status == 429)
    }

    @Test(
        "concludes unknown from anything else",
        arguments: [
            "", "\n", "{}", paid, "HTTP/1.1", "HTTP/1.1 20 X\n\n", "HTTP/1.1 2000 X\n\n",
            "HTTP/1.1 abc\n\n", "HTTP/1.1 099 X\n\n{}", "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n\(paid)", "FTP/1.1 200 OK\n\n\(paid)",
            "\nHTTP/1.1 200 OK\n\n\(paid)", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\nA: b",
            String(repeating: "HTTP/1.1 100 C\n\n", count: 20) + "HTTP/1.1 200 OK\n\n\(paid)",
            "HTTP/1.1 200 OK\n" + String(repeating: "A: b\n", count: 600) + "\n\(paid)",
            "HTTP/1.1 200 OK\nA: " + String(repeating: "b", count: 70_000) + "\n\n\(paid)",
            "HTTP/1.1 200 OK\n\n[" + paid + "]", "HTTP/1.1 200 OK\n\n\(paid)x",
            "HTTP/1.1 200 OK\n\n" + String(repeating: "[", count: 100_000),
            "HTTP/1.1 200 OK\n\n{\"a\":\"" + String(repeating: "b", count: 1_100_000) + "\"}",
        ])
    func unknown(_ input: String) throws {
        let answer = try GatewayFiles.answer("worldline-direct", input: input)
        #expect(answer.status == 5, "\(input.prefix(80)) \(answer.error)")
        #expect(answer.output.hasPrefix(#"{"outcome":"unknown","gateway":"worldline-direct""#))
    }

    @Test(
        "compares reference, amount and currency with the order",
        arguments: [
            ("order-1", "3000", "EUR", 0), ("order-1", "3001", "EUR", 5),
            ("order-1", "2999", "EUR", 5), ("order-1", "0", "EUR", 5),
            ("order-1", "3000", "USD", 5), ("order-2", "3000", "EUR", 5),
            // The payment of a later slot has another reference.
            ("order-1.r2", "3000", "EUR", 5),
            // Neither of these is a reference.
            ("order-1.r1", "3000", "EUR", 2), ("\u{1}", "3000", "EUR", 2),
        ] as [(String, String, String, Int32)])
    func comparison(
        _ reference: String, _ amount: String, _ currency: String, _ status: Int32
    ) throws {
        let name = JSONTree.string(reference).text
        let order = #"{"reference":\#(name),"amount":\#(amount),"currency":"\#(currency)"}"#
        let answer = try GatewayFiles.answer(
            "worldline-direct", order: "other.json", files: ["other.json": order],
            input: "HTTP/2 201\n\n\(Self.paid)")
        #expect(answer.status == status, "\(answer.output) \(answer.error)")
        #expect(answer.output.contains(#""outcome":"unknown""#) == (status == 5))
        #expect(answer.output.isEmpty == (status == 2))
    }

    @Test("reads the answer from a file, and refuses an order without a reference")
    func files() throws {
        let files = [
            "answer": "HTTP/2 201\n\n\(Self.paid)",
            "unnamed.json": #"{"amount":3000,"currency":"EUR"}"#,
        ]
        let read = try GatewayFiles.answer(
            "worldline-direct", words: ["FOLDER/answer"], files: files)
        #expect(read.status == 0, "\(read.error)")
        for order in ["unnamed.json", "answer", "nothing.json"] {
            let refused = try GatewayFiles.answer(
                "worldline-direct", order: order, words: ["FOLDER/answer"], files: files)
            #expect(refused.status == (order == "nothing.json" ? 3 : 2))
            #expect(refused.output.isEmpty)
        }
    }

    @Test("compares the payment's identifier with --payment-id")
    func identifier() throws {
        let body =
            #"{"transaction":{"uid":"u1","status":"successful","type":"payment","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1"}}"#
        for (id, status) in [("u1", 4), ("u2", 5)] as [(String, Int32)] {
            let answer = try GatewayFiles.answer(
                "bepaid", "status", words: ["--payment-id", id], input: "HTTP/2 200\n\n\(body)")
            #expect(answer.status == status, "\(id) \(answer.output)\(answer.error)")
        }
    }

    @Test("reads the answer about a payment in a later slot")
    func slot() throws {
        let input = "HTTP/2 201\n\n\(Self.paid.replacing("order-1", with: "order-1.r2"))"
        let order = #"{"reference":"order-1.r2","amount":3000,"currency":"EUR"}"#
        let later = try GatewayFiles.answer(
            "worldline-direct", order: "later.json", files: ["later.json": order], input: input)
        #expect(later.status == 0, "\(later.output)\(later.error)")
        #expect(try GatewayFiles.answer("worldline-direct", input: input).status == 5)
    }

    @Test("concludes unknown from a test's answer for a live account, and the reverse")
    func test() throws {
        let body =
            #"{"transaction":{"uid":"u","status":"successful","type":"payment","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1","test":true}}"#
        for (body, isTest, status) in [
            (body, false, 5), (body, true, 4),
            (body.replacing("true", with: "false"), false, 4),
            (body.replacing("true", with: "false"), true, 5),
        ] as [(String, Bool, Int32)] {
            let answer = try GatewayFiles.answer(
                isTest ? "bepaid-test" : "bepaid", input: "HTTP/2 200\n\n\(body)")
            #expect(answer.status == status, "\(answer.output) \(answer.error)")
        }
    }

    @Test(
        "distinguishes reserved amounts from those that will be captured, as the file states",
        arguments: [
            ("checkout", nil, "captureRequested"), ("checkout", true, "captureRequested"),
            ("checkout", false, "authorized"), ("cybersource", nil, "authorized"),
            ("cybersource", false, "authorized"), ("cybersource", true, "captureRequested"),
        ] as [(String, Bool?, String)])
    func capture(_ gateway: String, _ capture: Bool?, _ member: String) throws {
        let payment = capture.map { #","payment":{"capture":\#($0)}"# } ?? ""
        let account =
            gateway == "checkout"
            ? GatewayFiles.checkout(payment) : GatewayFiles.cyberSource(payment)
        let body =
            gateway == "checkout"
            ? #"{"id":"p","status":"Authorized","approved":true,"amount":3000,"currency":"EUR","#
                + #""reference":"order-1"}"#
            : #"{"id":"p","status":"AUTHORIZED","clientReferenceInformation":{"code":"order-1"},"#
                + #""orderInformation":{"amountDetails":{"authorizedAmount":"30.00","currency":"EUR"}}}"#
        let answer = try GatewayFiles.answer(
            "shop", files: ["shop.json": account], input: "HTTP/2 201\n\n\(body)")
        #expect(answer.status == 6, "\(answer.output) \(answer.error)")
        for other in ["captureRequested", "authorized"] {
            #expect(
                answer.output.contains(#""\#(other)":3000"#) == (other == member),
                "\(answer.output)")
        }
    }

    @Test("finds the operation of Dintero that was asked for by its name")
    func operation() throws {
        let attempt = try PaymentAttempt(
            Order(
                reference: "order-1", amount: 3000,
                currency: try #require(Currency(alphabetic: "EUR"))))
        let key = try PaymentOperation(.capture, name: "capture-1").key(of: attempt)
        let body =
            #"{"id":"P1","merchant_reference":"order-1","amount":3000,"currency":"EUR","#
            + #""status":"PARTIALLY_CAPTURED","events":[{"event":"CAPTURE","success":true,"#
            + #""amount":1000,"event_reference":"\#(key)"}]}"#
        func answer(_ words: [String]) throws -> Command {
            try GatewayFiles.answer(
                "dintero", "capture", words: words, input: "HTTP/2 200\n\n\(body)")
        }
        let done = try answer(["--operation", "capture-1"])
        #expect(done.status == 0, "\(done.output)")
        #expect(
            done.output.hasPrefix(
                #"{"operation":"done","gateway":"dintero","step":"capture","paymentId":"P1","#))
        #expect(done.output.contains(#""operationAmount":1000"#))
        #expect(try answer(["--operation", "capture-2"]).status == 4)
        // Another amount than that of the request is not done.
        for (amount, status) in [("1000", 0), ("999", 5), ("1", 5)] as [(String, Int32)] {
            let words = ["--operation", "capture-1", "--amount", amount]
            #expect(try answer(words).status == status)
        }
        #expect(try answer(["--operation", "capture-1", "--amount", "x"]).status == 2)
        let unnamed = try answer([])
        #expect(unnamed.status == 2)
        #expect(
            unnamed.error.contains(
                "the answer to the step capture of dintero needs --operation NAME."))
    }

    @Test(
        "reads a consent of Intergiro in the app's flow, in the browser's, and in neither",
        arguments: [
            (#"{"token":"secret","redirect_url":"https://c.example/1"}"#, "launch", 4),
            (#"{"token":"secret"}"#, "launch", 4),
            (#"{"redirect_url":"https://c.example/1"}"#, "browser", 4),
            (#"{"redirect_url":"app://c"}"#, "unknown", 5), ("{}", "unknown", 5),
        ])
    func consents(_ method: String, _ outcome: String, _ status: Int32) throws {
        let answer = try GatewayFiles.answer(
            "intergiro", "consent", order: nil, input: "HTTP/2 200\n\n{\"method\":\(method)}")
        #expect(answer.status == status, "\(answer.output)")
        #expect(answer.output.hasPrefix(#"{"outcome":"\#(outcome)","gateway":"intergiro","#))
        #expect(answer.output.contains("https://c.example/1") == method.contains("https:"))
        // The app starts with the token.
        #expect(answer.output.contains(#""token":"secret""#) == (outcome == "launch"))
    }

    @Test("reports faults of the command line and the files")
    func failures() throws {
        try GatewayFiles.with { folder in
            for (words, sentence) in [
                (
                    "--gateway FOLDER/adyen.json",
                    "answer needs the name of a step, or message; `paytoken gateway steps adyen` lists them."
                ),
                ("payment", "answer needs --gateway FILE."),
                (
                    "nope --gateway FOLDER/adyen.json",
                    "adyen has no step nope; its steps are payment."
                ),
                (
                    "validate-merchant --gateway FOLDER/bepaid.json",
                    "the answer to the step validate-merchant of bepaid is for the page in the browser; pass it on unread."
                ),
                (
                    "payment a b --gateway FOLDER/bepaid.json --order FOLDER/order.json",
                    "one answer at a time: leave out b."
                ),
                (
                    "refund --gateway FOLDER/bepaid.json --order FOLDER/order.json --amount x",
                    "--amount takes a whole number"
                ),
                (
                    "payment --gateway FOLDER/intergiro.json",
                    "intergiro has no step payment; its steps are "
                ),
                (
                    "payment --gateway FOLDER/bepaid.json",
                    "the answer to the step payment of bepaid is compared with the order; give it with --order FILE."
                ),
                (
                    "capture --gateway FOLDER/bepaid.json",
                    "the answer to the step capture of bepaid is compared with the order; give it with --order FILE."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --order FOLDER/order.json --operation o",
                    "--operation is not an option for the answer to the step payment of checkout; leave it out."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --order FOLDER/order.json --amount 1",
                    "--amount is not an option for the answer to the step payment of checkout; leave it out."
                ),
                (
                    "login --gateway FOLDER/paypal.json --payment-id p",
                    "--payment-id is not an option for the answer to the step login of paypal; leave it out."
                ),
                (
                    "refund --gateway FOLDER/rbs.json --order FOLDER/order.json --at 2026-03-01T12:00:00Z",
                    "--at is not an option for the answer to the step refund of rbs; leave it out."
                ),
                (
                    "payment --gateway FOLDER/rbs.json --order FOLDER/order.json --reference r",
                    "--reference is not an option here"
                ),
            ] {
                let words = words.split(separator: " ").map {
                    String($0).replacing("FOLDER", with: folder)
                }
                let answer = try Command(["answer"] + words)
                #expect(answer.status == 2 && answer.output.isEmpty, "\(words)")
                #expect(answer.error.contains(sentence), "\(answer.error)")
            }
        }
        let missing = try GatewayFiles.answer("bepaid", words: ["/nonexistent"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        let large = try GatewayFiles.answer(
            "bepaid", input: String(repeating: "x", count: 3_000_000))
        #expect(large.status == 3 && large.error.contains("is larger than"))
    }

    @Test(
        "reads the answer to every step that has one", arguments: DeclaredGateway.all.map(\.name))
    func steps(_ name: String) throws {
        try GatewayFiles.with { folder in
            let file = "\(folder)/\(name).json"
            for step in try GatewayFile.account(file).steps {
                var words = ["answer", step.description.name, "--gateway", file]
                let order = ["--order", "\(folder)/order.json"]
                var (isPreparation, isOperation) = (false, false)
                switch step.reader {
                case .payment: words += order
                case .operation(_, _, let needsName):
                    isOperation = true
                    words += order + (needsName ? ["--operation", "o"] : [])
                case .preparation: isPreparation = true
                case .card: break
                case .browser:
                    #expect(step.description.name == "validate-merchant")
                    continue
                }
                for input in ["HTTP/2 502\n\n<html>", "no HTTP", ""] {
                    let answer = try Command(words, input: input)
                    // A step that prepares a payment moves no money, so it has failed.
                    #expect(
                        answer.status == (isPreparation ? 3 : 5),
                        "\(step.description.name) \(answer.error)")
                    #expect(answer.output.contains(#""step":"\#(step.description.name)""#))
                    let word = isPreparation ? "failed" : "unknown"
                    let member = isOperation ? "operation" : "outcome"
                    #expect(
                        answer.output.hasPrefix(#"{"\#(member)":"\#(word)","#), "\(answer.output)")
                }
            }
        }
    }

    @Test(
        "is pending after a step that prepares a payment, as long as the answer has what the next step needs",
        arguments: [
            ("dintero", "login", #"{"access_token":"t"}"#),
            ("dintero", "session", #"{"id":"s"}"#),
            (
                "dintero", "operations",
                #"{"operations":[{"href":"https://p.example/s?access_token=t","method":"POST","rel":"submit-dintero-psp-applepay"}]}"#
            ), ("dintero", "payment", #"{"transaction_id":"t"}"#),
            ("paypal", "login", #"{"access_token":"t"}"#),
            ("intergiro", "login", #"{"access_token":"t","refresh_token":"r"}"#),
            ("intergiro", "refresh", #"{"access_token":"t","refresh_token":"r"}"#),
        ])
    func preparations(_ gateway: String, _ step: String, _ body: String) throws {
        func answer(_ input: String) throws -> Command {
            try GatewayFiles.answer(gateway, step, order: nil, input: input)
        }
        let pending = try answer("HTTP/2 200\n\n\(body)")
        #expect(pending.status == 4, "\(pending.output) \(pending.error)")
        #expect(
            pending.output
                == #"{"outcome":"pending","gateway":"\#(gateway)","step":"\#(step)","httpStatus":200}"#
                + "\n")
        let empty = try answer("HTTP/2 200\n\n{}")
        #expect(empty.status == 3 && empty.output.hasPrefix(#"{"outcome":"failed","#))
        let refused = try answer("HTTP/2 401\n\n\(body)")
        #expect(refused.status == 3 && refused.output.contains(#""httpStatus":401"#))
    }
}
