import ApplePayGateways
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken answer")
struct AnswerCommandTests {
    private static let paid =
        #"{"payment":{"id":"1","status":"CAPTURED","paymentOutput":{"amountOfMoney":{"amount":3000,"#
        + #""currencyCode":"EUR"}}}}"#

    @Test(
        "writes one outcome, and exits with its status",
        arguments: [
            ("worldline-direct", "201", paid, #""outcome":"paid""#, 0),
            (
                "adyen", "200", #"{"resultCode":"Authorised"}"#,
                #""outcome":"authorized","gateway":"adyen","step":"payment","status":"Authorised""#,
                0
            ),
            (
                "adyen", "200", #"{"resultCode":"Pending"}"#,
                #""outcome":"pending","gateway":"adyen","step":"payment","status":"Pending""#, 4
            ),
            (
                "bepaid", "200",
                #"{"transaction":{"status":"incomplete","redirect_url":"https://r.example/?a=\"b"}}"#,
                #""outcome":"action-required","gateway":"bepaid","step":"payment","#
                    + #""status":"incomplete","httpStatus":200,"url":"https://r.example/"#, 4
            ),
            (
                "bepaid", "200",
                #"{"transaction":{"status":"failed","code":"P.1","message":"no\u001b[2J"}}"#,
                #""status":"failed","httpStatus":200,"code":"P.1","text":"no\u001b[2J"}"#, 1
            ),
            (
                "paypal", "500", #"{"name":"x"}"#,
                #""outcome":"unknown","gateway":"paypal","step":"payment","status":null,"#
                    + #""httpStatus":500,"reason":""#, 5
            ),
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
            ["answer", gateway], input: "HTTP/1.1 \(status) X\r\nA: b\r\n\r\n\(body)")
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
        let answer = try Command(["answer", "worldline-direct"], input: head + Self.paid)
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
        let answer = try Command(["answer", "worldline-direct"], input: input)
        #expect(answer.status == 5, "\(input.prefix(80)) \(answer.error)")
        #expect(answer.output.hasPrefix(#"{"outcome":"unknown","gateway":"worldline-direct""#))
    }

    @Test("compares amount and currency, by options or by the order's file")
    func comparison() throws {
        let input = "HTTP/2 201\n\n\(Self.paid)"
        try KeyFolder.with([
            "order.json": #"{"amount":3000,"currency":"EUR"}"#,
            "other.json": #"{"amount":2999,"currency":"EUR"}"#,
            "nothing.json": #"{"amount":0,"currency":"EUR"}"#, "answer": input,
        ]) { folder in
            for (words, status) in [
                (["--amount", "3000", "--currency", "EUR"], 0),
                (["--amount", "3001", "--currency", "EUR"], 5),
                (["--amount", "3000", "--currency", "USD"], 5),
                (["--order", "\(folder)/order.json"], 0),
                (["--order", "\(folder)/other.json"], 5),
                (["--order", "\(folder)/nothing.json"], 5),
                (["--order", "\(folder)/answer"], 3), (["--amount", "3000"], 2),
                (["--currency", "EUR"], 2),
                (["--order", "\(folder)/order.json", "--amount", "3000"], 2),
            ] as [([String], Int32)] {
                let answer = try Command(
                    ["answer", "worldline-direct", "\(folder)/answer"] + words)
                #expect(answer.status == status, "\(words) \(answer.output) \(answer.error)")
                #expect(answer.output.contains(#""outcome":"unknown""#) == (status == 5))
            }
        }
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
            (["bepaid", "a", "b"], "one answer at a time: leave out b."),
            (["bepaid", "--amount", "x", "--currency", "EUR"], "--amount takes a whole number"),
            (["intergiro"], "intergiro has no step payment"),
        ] {
            let answer = try Command(["answer"] + words)
            #expect(answer.status == 2 && answer.output.isEmpty, "\(words)")
            #expect(answer.error.contains(sentence), "\(answer.error)")
        }
        let missing = try Command(["answer", "bepaid", "/nonexistent"])
        #expect(missing.status == 3 && missing.output.isEmpty)
        let large = try Command(
            ["answer", "bepaid"], input: String(repeating: "x", count: 3_000_000))
        #expect(large.status == 3 && large.error.contains("is larger than"))
    }

    @Test("reads the answer to every step that has one", arguments: Gateway.allCases)
    func steps(_ gateway: Gateway) throws {
        for name in gateway.stepNames where name != "validate-merchant" {
            let answer = try Command(
                ["answer", gateway.rawValue, "--step", name], input: "HTTP/2 502\n\n<html>")
            #expect(answer.status == 5, "\(name) \(answer.error)")
            #expect(answer.output.contains(#""step":"\#(name)""#))
        }
    }
}
