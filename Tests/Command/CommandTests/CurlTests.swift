import ApplePayGatewaysTesting
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("Requests and answers with curl", .serialized)
struct CurlTests {
    private static let json = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"

    /// Returns an answer with a body, as a server sends it.
    private func answer(_ body: String, _ head: String = json) -> String {
        "\(head)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    /// Runs the real curl with a configuration on standard input.
    private func curl(
        _ configuration: String,
        _ options: [String] = [],
        home: String = "/nonexistent"
    ) throws -> Command {
        try Command(
            options + ["--config", "-"], program: "/usr/bin/curl", input: configuration,
            environment: ["HOME": home, "CURL_HOME": home])
    }

    /// Returns a row's words for a test server, with the options that are needed to send the request.
    private func words(_ row: ExampleCommand, _ origin: String) -> [String] {
        var words = RequestCommandTests.completed(row.words)
        if let index = words.firstIndex(of: "--origin") { words.removeSubrange(index...index + 1) }
        let hosts = ["--preproduction", "--sandbox"]
        if words[0] == "worldline-connect" { words.removeAll(where: hosts.contains) }
        return words + ["--origin", origin]
    }

    @Test("send every request of every gateway as it was made, with its secrets in no argument")
    func requests() async throws {
        for row in ExampleGateway.all.flatMap(\.commands) {
            let server = try RecordingServer(answer: answer("{}"))
            let isEncrypted = row.words.contains("--encrypted")
            let order = isEncrypted ? ["--amount", "3000", "--currency", "EUR"] : []
            let words = words(row, server.origin)
            let (body, configuration) = try RequestCommandTests.withRequestFolder { folder in
                let body = try RequestCommandTests.run(
                    words, folder, more: order, keys: !isEncrypted)
                let whole = try RequestCommandTests.run(
                    words, folder, more: order + ["--curl"], keys: !isEncrypted)
                #expect(whole.status == 0, "\(words) \(whole.error)")
                return (body.output, whole.output)
            }
            let sent = try curl(configuration)
            // Nothing arrives if curl failed.
            try #require(sent.status == 0 && sent.output == "{}", "\(words) \(sent.error)")
            let arrival = try #require(await server.arrival())
            #expect(arrival.body == body, "\(words)")
            #expect(arrival.line.hasPrefix(row.line.prefix { $0 != " " } + " /"), "\(words)")
            #expect(arrival.headers["expect"] == nil)
            if body.isEmpty {
                #expect(arrival.headers["content-type"]?.contains("form") != true, "\(words)")
            } else {
                #expect(arrival.headers["content-length"] == "\(body.utf8.count)", "\(words)")
                #expect(arrival.headers["content-type"] != nil, "\(words)")
            }
            #expect(!configuration.contains("top-secret") || !words.contains("top-secret"))
        }
    }

    @Test("carry every byte of a body and of an address")
    func escapes() async throws {
        let text = "a\"b\\c\nd\re\tf\u{0B}g'h$i%j@k{l}[m]é\u{1F}\\n"
        let server = try RecordingServer(answer: answer("{}"))
        let made = try Command([
            "request", "bepaid", "--step", "refund", "--uid", "@u", "--reference", "r",
            "--operation", "o", "--authorized-amount", "1", "--currency", "EUR", "--reason", text,
            "--shop-id", "1", "--secret-key-env", "HOME",
            "--origin", server.origin, "--curl",
        ])
        #expect(made.status == 0)
        try #require(try curl(made.output).status == 0)
        let arrival = try #require(await server.arrival())
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(arrival.body.utf8))
                as? [String: [String: Any]])
        #expect(body["request"]?["reason"] as? String == text)
        let query = try RecordingServer(answer: answer("{}"))
        let status = try Command([
            "request", "bepaid", "--step", "status", "--tracking-id", "a/b {c} [1-3]?&#%",
            "--shop-id", "1", "--secret-key-env", "HOME", "--origin", query.origin, "--curl",
        ])
        try #require(try curl(status.output).status == 0)
        let path = "/v2/transactions/tracking_id/a%2Fb%20%7Bc%7D%20%5B1-3%5D%3F%26%23%25"
        #expect(await query.arrival()?.line == "GET \(path) HTTP/1.1")
    }

    @Test("send an empty body without a form's type, and with its length")
    func emptyBody() async throws {
        let server = try RecordingServer(answer: answer("{}"))
        let made = try Command([
            "request", "dintero", "--step", "void", "--transaction-id", "T1", "--reference", "r",
            "--operation", "o", "--authorized-amount", "1", "--currency", "NOK",
            "--access-token-env", "HOME", "--origin", server.origin,
            "--curl",
        ])
        try #require(try curl(made.output).status == 0)
        let arrival = try #require(await server.arrival())
        #expect(arrival.line == "POST /v1/transactions/T1/void HTTP/1.1")
        #expect(arrival.headers["content-length"] == "0" && arrival.body.isEmpty)
        #expect(arrival.headers["content-type"] == nil)
    }

    @Test("follow no redirect, whatever the user's own configuration says")
    func redirects() async throws {
        let other = try RecordingServer(answer: answer("{}"))
        let server = try RecordingServer(
            answer: answer("", "HTTP/1.1 307 Elsewhere\r\nLocation: \(other.origin)/\r\n"))
        try KeyFolder.with([".curlrc": "location\nmax-redirs = 9\n"]) { folder in
            let made = try Command([
                "request", "rbs", "--step", "reverse", "--order-id", "o", "--reference", "r",
                "--operation", "o", "--authorized-amount", "1", "--currency", "EUR", "--token-env",
                "HOME", "--origin", server.origin, "--curl",
            ])
            let sent = try curl(made.output, ["-i"], home: folder)
            try #require(sent.output.hasPrefix("HTTP/1.1 307"))
            let words = ["--reference", "r", "--amount", "1", "--currency", "EUR"]
            let answer = try Command(
                ["answer", "rbs", "--step", "reverse"] + words, input: sent.output)
            #expect(answer.status == 5 && answer.output.contains(#""operation":"unknown""#))
        }
        let line = try #require(await server.arrival()).line
        #expect(line.hasPrefix("POST /payment/rest/reverse.do "))
    }

    @Test("refuse another scheme than the address's, and end in time")
    func limits() throws {
        let made = try Command([
            "request", "paypal", "--step", "get", "--order-id", "o", "--access-token-env", "HOME",
            "--curl",
        ])
        let lines = made.output.split(separator: "\n").map(String.init)
        #expect(lines.first == #"url = "https://api-m.paypal.com/v2/checkout/orders/o""#)
        for line in [
            #"request = "GET""#, #"proto = "=https""#, #"max-redirs = "0""#, #"max-time = "60""#,
            #"connect-timeout = "10""#, "no-location", "globoff",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(!made.output.contains("data"))
        let plain = made.output.replacing("https://api-m.paypal.com", with: "http://127.0.0.1:9")
        #expect(try curl(plain).status == 1)
    }

    @Test("write a file that only its owner can read, and that did not exist")
    func file() throws {
        try KeyFolder.with(["taken": "x"]) { folder in
            let words = [
                "request", "paypal", "--step", "get", "--order-id", "o", "--access-token-env",
                "HOME",
            ]
            let made = try Command(words + ["--curl-file", "\(folder)/new"])
            #expect(made.status == 0 && made.output.isEmpty && made.error.isEmpty)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/new")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: "\(folder)/new", encoding: .utf8)
            #expect(try Command(words + ["--curl"]).output == text)
            let refused = try Command(words + ["--curl-file", "\(folder)/taken"])
            #expect(refused.status == 3 && refused.error.contains("exists already"))
            #expect(try String(contentsOfFile: "\(folder)/taken", encoding: .utf8) == "x")
        }
    }

    @Test("refuse a body that is longer than curl reads")
    func longBody() throws {
        let words = [
            "request", "bepaid", "--step", "refund", "--uid", "u", "--reference", "r",
            "--operation", "o", "--authorized-amount", "1", "--currency", "EUR", "--reason", "r",
            "--shop-id", "1", "--secret-key-env", "HOME",
        ]
        #expect(try Command(words + ["--curl"]).status == 0)
        let items = (0..<2000).map { number in
            #"{"id":"\#(number)","line_id":"\#(number)","description":"An article","amount":1}"#
        }
        try KeyFolder.with(["items.json": "[\(items.joined(separator: ","))]"]) { folder in
            let session = [
                "request", "dintero", "--step", "session", "--amount", "2000", "--currency", "NOK",
                "--return-url", "a:b", "--merchant-reference", "o", "--items",
                "\(folder)/items.json", "--access-token-env", "HOME",
            ]
            #expect(try Command(session).output.utf8.count > 100_000)
            let refused = try Command(session + ["--curl"])
            #expect(refused.status == 3 && refused.output.isEmpty)
            #expect(refused.error.contains("too long for a configuration of curl"))
        }
    }

    @Test("read what curl -i prints of a real server's answer")
    func pipeline() async throws {
        let body =
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1"}]}"#
        let server = try RecordingServer(answer: answer(body))
        let made = try Command([
            "request", "bepaid", "--step", "status", "--tracking-id", "order-1", "--shop-id", "1",
            "--secret-key-env", "HOME", "--origin", server.origin, "--curl",
        ])
        let sent = try curl(made.output, ["-i"])
        let read = try Command(
            [
                "answer", "bepaid", "--step", "status", "--reference", "order-1", "--amount",
                "3000", "--currency", "EUR",
            ], input: sent.output)
        #expect(read.status == 0)
        #expect(
            read.output
                == #"{"outcome":"paid","gateway":"bepaid","step":"status","paymentId":"1","#
                + #""reference":"order-1","status":"successful","currency":"EUR","ordered":3000,"#
                + #""authorized":0,"captureRequested":0,"captured":3000,"refundRequested":0,"#
                + #""refunded":0,"httpStatus":201}"# + "\n")
    }
}
