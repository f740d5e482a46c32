import ApplePayGateways
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken answer")
struct AnswerCommandTests {
    private static let paid =
        #"{"payment":{"id":"1_0","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"amount":3000,"#
        + #""currencyCode":"EUR"},"references":{"merchantReference":"order-1"}}}}"#

    private static let order = [
        "--reference", "order-1", "--amount", "3000", "--currency", "EUR",
    ]

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
        let answer = try Command(
            ["answer", gateway] + Self.order,
            input: "HTTP/1.1 \(status) X\r\nA: b\r\n\r\n\(body)")
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
        let answer = try Command(
            ["answer", "worldline-direct"] + Self.order, input: head + Self.paid)
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
        "takes anything else for unknown",
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
        let answer = try Command(["answer", "worldline-direct"] + Self.order, input: input)
        #expect(answer.status == 5, "\(input.prefix(80)) \(answer.error)")
        #expect(answer.output.hasPrefix(#"{"outcome":"unknown","gateway":"worldline-direct""#))
    }

    @Test("compares reference, amount and currency, by options or by the order's file")
    func comparison() throws {
        let input = "HTTP/2 201\n\n\(Self.paid)"
        try KeyFolder.with([
            "order.json": #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#,
            "other.json": #"{"reference":"order-1","amount":2999,"currency":"EUR"}"#,
            "nothing.json": #"{"reference":"order-1","amount":0,"currency":"EUR"}"#,
            "unnamed.json": #"{"amount":3000,"currency":"EUR"}"#, "answer": input,
        ]) { folder in
            let unnamed = ["--order", "\(folder)/unnamed.json"]
            for (words, status) in [
                (["--amount", "3000", "--currency", "EUR", "--reference", "order-1"], 0),
                (["--amount", "3001", "--currency", "EUR", "--reference", "order-1"], 5),
                (["--amount", "3000", "--currency", "USD", "--reference", "order-1"], 5),
                (["--amount", "3000", "--currency", "EUR", "--reference", "order-2"], 5),
                // The payment of a later slot has another reference.
                (["--amount", "3000", "--currency", "EUR", "--reference", "order-1.r2"], 5),
                (["--order", "\(folder)/order.json"], 0),
                (["--order", "\(folder)/order.json", "--reference", "order-1"], 0),
                (["--order", "\(folder)/order.json", "--reference", "order-2"], 2),
                (["--order", "\(folder)/other.json"], 5),
                (["--order", "\(folder)/nothing.json"], 5), (unnamed, 2),
                (unnamed + ["--reference", "order-1"], 0),
                (unnamed + ["--reference", "order-2"], 5),
                (["--order", "\(folder)/answer"], 3), (["--amount", "3000"], 2),
                (["--currency", "EUR"], 2), (["--reference", "order-1"], 2), ([], 2),
                (["--amount", "3000", "--currency", "EUR", "--reference", ""], 2),
                (["--amount", "3000", "--currency", "EUR", "--reference", "order-1.r1"], 2),
                (["--order", "\(folder)/order.json", "--amount", "3000"], 2),
            ] as [([String], Int32)] {
                let answer = try Command(
                    ["answer", "worldline-direct", "\(folder)/answer"] + words)
                #expect(answer.status == status, "\(words) \(answer.output) \(answer.error)")
                #expect(answer.output.contains(#""outcome":"unknown""#) == (status == 5))
                #expect(answer.output.isEmpty == (status == 2 || status == 3))
            }
        }
    }

    @Test("reads the answer about a payment in a later slot")
    func slot() throws {
        let input = "HTTP/2 201\n\n\(Self.paid.replacing("order-1", with: "order-1.r2"))"
        let order = Self.order.map { $0 == "order-1" ? "order-1.r2" : $0 }
        #expect(try Command(["answer", "worldline-direct"] + order, input: input).status == 0)
        #expect(try Command(["answer", "worldline-direct"] + Self.order, input: input).status == 5)
    }

    @Test("takes a test for a payment only with --test")
    func test() throws {
        let body =
            #"{"transaction":{"uid":"u","status":"successful","type":"payment","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1","test":true}}"#
        for (body, isTest, status) in [
            (body, false, 5), (body, true, 4),
            (body.replacing("true", with: "false"), false, 4),
            (body.replacing("true", with: "false"), true, 5),
        ] as [(String, Bool, Int32)] {
            let answer = try Command(
                ["answer", "bepaid"] + Self.order + (isTest ? ["--test"] : []),
                input: "HTTP/2 200\n\n\(body)")
            #expect(answer.status == status, "\(answer.output) \(answer.error)")
        }
    }

    @Test(
        "tells what is reserved from what will be captured, as the request stated",
        arguments: [
            ("checkout", [], "captureRequested"),
            ("checkout", ["--capture", "true"], "captureRequested"),
            ("checkout", ["--capture", "false"], "authorized"), ("cybersource", [], "authorized"),
            ("cybersource", ["--capture", "false"], "authorized"),
            ("cybersource", ["--capture", "true"], "captureRequested"),
        ])
    func capture(_ gateway: String, _ words: [String], _ member: String) throws {
        let body =
            gateway == "checkout"
            ? #"{"id":"p","status":"Authorized","approved":true,"amount":3000,"currency":"EUR","#
                + #""reference":"order-1"}"#
            : #"{"id":"p","status":"AUTHORIZED","clientReferenceInformation":{"code":"order-1"},"#
                + #""orderInformation":{"amountDetails":{"authorizedAmount":"30.00","currency":"EUR"}}}"#
        let answer = try Command(
            ["answer", gateway] + Self.order + words, input: "HTTP/2 201\n\n\(body)")
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
            try Command(
                ["answer", "dintero", "--step", "capture"] + Self.order + words,
                input: "HTTP/2 200\n\n\(body)")
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
            let words = ["--operation", "capture-1", "--operation-amount", amount]
            #expect(try answer(words).status == status)
        }
        #expect(try answer(["--operation", "capture-1", "--operation-amount", "x"]).status == 2)
        let unnamed = try answer([])
        #expect(unnamed.status == 2)
        #expect(unnamed.error.contains("the answer to dintero capture needs --operation NAME."))
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
        let answer = try Command(
            ["answer", "intergiro", "--step", "consent"],
            input: "HTTP/2 200\n\n{\"method\":\(method)}")
        #expect(answer.status == status, "\(answer.output)")
        #expect(answer.output.hasPrefix(#"{"outcome":"\#(outcome)","gateway":"intergiro","#))
        #expect(answer.output.contains("https://c.example/1") == method.contains("https:"))
        // The app starts with the token.
        #expect(answer.output.contains(#""token":"secret""#) == (outcome == "launch"))
    }

    @Test("says what is wrong with the words and the files")
    func failures() throws {
        for (words, sentence) in [
            ([], "answer needs the name of a gateway"), (["nope"], "there is no gateway nope"),
            (["bepaid", "--step", "nope"], "bepaid has no step nope"),
            (
                ["bepaid", "--step", "validate-merchant"],
                "is for the page in the browser; pass it on unread."
            ),
            (["bepaid", "a", "b"] + Self.order, "one answer at a time: leave out b."),
            (
                ["bepaid", "--reference", "r", "--amount", "x", "--currency", "EUR"],
                "--amount takes a whole number"
            ),
            (["intergiro"], "intergiro has no step payment"),
            (
                ["bepaid"],
                "the answer is compared with the order: give --reference, --amount and --currency, or --order."
            ),
            (
                ["bepaid", "--amount", "1"],
                "the order needs --reference TEXT and --currency ALPHA3, or --order FILE."
            ),
            (["adyen", "--test"] + Self.order, "--test is for bepaid and dintero,"),
            (
                ["adyen", "--capture", "true"] + Self.order,
                "--capture is not an option for the answer to adyen payment; leave it out."
            ),
            (
                ["checkout", "--operation", "o"] + Self.order,
                "--operation is not an option for the answer to checkout payment; leave it out."
            ),
            (
                ["rbs", "--step", "refund", "--capture", "true"] + Self.order,
                "--capture is not an option for the answer to rbs refund; leave it out."
            ),
        ] {
            let answer = try Command(["answer"] + words)
            #expect(answer.status == 2 && answer.output.isEmpty, "\(words)")
            #expect(answer.error.contains(sentence), "\(answer.error)")
        }
        let missing = try Command(["answer", "bepaid", "/nonexistent"] + Self.order)
        #expect(missing.status == 3 && missing.output.isEmpty)
        let large = try Command(
            ["answer", "bepaid"] + Self.order, input: String(repeating: "x", count: 3_000_000))
        #expect(large.status == 3 && large.error.contains("is larger than"))
    }

    @Test("reads the answer to every step that has one", arguments: Gateway.allCases)
    func steps(_ gateway: Gateway) throws {
        for step in gateway.steps {
            guard let reader = step.answer else {
                #expect(step.name == "validate-merchant")
                continue
            }
            var words = ["answer", gateway.rawValue, "--step", step.name]
            if reader.isAboutPayment { words += Self.order }
            if case .listedOperation = reader { words += ["--operation", "o"] }
            for input in ["HTTP/2 502\n\n<html>", "no HTTP", ""] {
                let answer = try Command(words, input: input)
                // A step that prepares a payment moves no money, so it has failed.
                let isPreparation = if case .preparation = reader { true } else { false }
                #expect(answer.status == (isPreparation ? 3 : 5), "\(step.name) \(answer.error)")
                #expect(answer.output.contains(#""step":"\#(step.name)""#))
                let isOperation =
                    switch reader {
                    case .operation, .listedOperation: true
                    default: false
                    }
                let word = isPreparation ? "failed" : "unknown"
                let member = isOperation ? "operation" : "outcome"
                #expect(answer.output.hasPrefix(#"{"\#(member)":"\#(word)","#), "\(answer.output)")
            }
        }
    }

    @Test(
        "is pending after a step that prepares a payment, as long as the answer has what the next step needs",
        arguments: [
            ("dintero", "access-token", #"{"access_token":"t"}"#),
            ("dintero", "session", #"{"id":"s"}"#),
            (
                "dintero", "operations",
                #"{"operations":[{"href":"https://p.example/s?access_token=t","method":"POST","rel":"submit-dintero-psp-applepay"}]}"#
            ), ("dintero", "payment", #"{"transaction_id":"t"}"#),
            ("paypal", "access-token", #"{"access_token":"t"}"#),
            ("intergiro", "login", #"{"access_token":"t","refresh_token":"r"}"#),
            ("intergiro", "refresh", #"{"access_token":"t","refresh_token":"r"}"#),
        ])
    func preparations(_ gateway: String, _ step: String, _ body: String) throws {
        let words = ["answer", gateway, "--step", step]
        let answer = try Command(words, input: "HTTP/2 200\n\n\(body)")
        #expect(answer.status == 4, "\(answer.output) \(answer.error)")
        #expect(
            answer.output
                == #"{"outcome":"pending","gateway":"\#(gateway)","step":"\#(step)","httpStatus":200}"#
                + "\n")
        let empty = try Command(words, input: "HTTP/2 200\n\n{}")
        #expect(empty.status == 3 && empty.output.hasPrefix(#"{"outcome":"failed","#))
        let refused = try Command(words, input: "HTTP/2 401\n\n\(body)")
        #expect(refused.status == 3 && refused.output.contains(#""httpStatus":401"#))
    }
}
