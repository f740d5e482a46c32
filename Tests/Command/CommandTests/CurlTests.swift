import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTesting
import Foundation
import TestVectors
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

    /// Runs an example whose requests go to a test server.
    private func configuration(
        _ example: ExampleCommand, _ origin: String
    ) throws -> (body: String, configuration: String) {
        var account = try JSONDecoder().decode(JSONTree.self, from: Data(example.account.utf8))
            .with(.string(origin), at: ["origin"])
        // The prefix is of the live server's name.
        if example.gateway == "adyen" {
            account = account.with(.string("test"), at: ["environment"])
        }
        return try RequestFolder.with { folder in
            let body = try folder.run(example, account: account.text)
            var more = ["--curl"]
            let takesAccess = example.declaration?.takes.contains(.accessToken) == true
            if takesAccess, !example.options.contains("--access-token-env") {
                more += ["--access-token-env", "SECRET"]
            }
            let whole = try folder.run(example, account: account.text, more: more)
            #expect(whole.status == 0, "\(example.gateway) \(example.step) \(whole.error)")
            return (body.output, whole.output)
        }
    }

    @Test("send every request of every gateway as it was made, with its secrets in no argument")
    func requests() async throws {
        for example in ExampleGateway.all.flatMap(\.commands) {
            let server = try RecordingServer(answer: answer("{}"))
            let name: Comment = "\(example.gateway) \(example.step)"
            let (body, configuration) = try configuration(example, server.origin)
            let sent = try curl(configuration)
            // Nothing arrives if curl failed.
            try #require(sent.status == 0 && sent.output == "{}", "\(name) \(sent.error)")
            let arrival = try #require(await server.arrival())
            #expect(arrival.body == body, name)
            #expect(arrival.line.hasPrefix(example.line.prefix { $0 != " " } + " /"), name)
            #expect(arrival.headers["expect"] == nil)
            if body.isEmpty {
                #expect(arrival.headers["content-type"]?.contains("form") != true, name)
            } else {
                #expect(arrival.headers["content-length"] == "\(body.utf8.count)", name)
                #expect(arrival.headers["content-type"] != nil, name)
            }
        }
    }

    /// Writes gateway files for a test server and an order file, and runs `paytoken request`.
    private func made(
        _ words: String, _ more: [String] = [], origin: String? = nil, reference: String = "r",
        files: [String: String] = [:]
    ) throws -> Command {
        let server = origin.map { #""origin":"\#($0)""# } ?? #""environment":"live""#
        var all = [
            "bepaid.json":
                #"{"gateway":"bepaid",\#(server),"account":{"shopId":"1"},"credentials":{"secretKey":SECRET}}"#,
            "dintero.json":
                #"{"gateway":"dintero",\#(server),"account":{"accountId":"P00000000"},"#
                + #""credentials":{"clientId":"c","clientSecret":SECRET}}"#,
            "paypal.json":
                #"{"gateway":"paypal",\#(server),"credentials":{"clientId":"c","clientSecret":SECRET}}"#,
            "rbs.json":
                #"{"gateway":"rbs","origin":"\#(origin ?? "https://bank.example")","#
                + #""credentials":{"userName":"u","password":SECRET}}"#,
            "order.json":
                #"{"reference":\#(JSONTree.string(reference).text),"amount":1,"currency":"EUR"}"#,
        ]
        all.merge(files) { $1 }
        return try GatewayFiles.with(all) { folder in
            let words = words.split(separator: " ").map {
                String($0).replacing("FOLDER", with: folder)
            }
            return try Command(["request"] + words + ["--order", "\(folder)/order.json"] + more)
        }
    }

    @Test("carry every byte of a body and of an address")
    func escapes() async throws {
        let text = "a\"b\\c\nd\re\tf\u{0B}g'h$i%j@k{l}[m]é\u{1F}\\n"
        let server = try RecordingServer(answer: answer("{}"))
        let made = try made(
            "refund --gateway FOLDER/bepaid.json --payment-id @u --operation o --curl",
            ["--reason", text], origin: server.origin)
        #expect(made.status == 0)
        try #require(try curl(made.output).status == 0)
        let arrival = try #require(await server.arrival())
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(arrival.body.utf8))
                as? [String: [String: Any]])
        #expect(body["request"]?["reason"] as? String == text)
        let query = try RecordingServer(answer: answer("{}"))
        let search = try self.made(
            "search --gateway FOLDER/bepaid.json --curl", origin: query.origin,
            reference: "a/b {c} [1-3]?&#%")
        try #require(try curl(search.output).status == 0)
        let path = "/v2/transactions/tracking_id/a%2Fb%20%7Bc%7D%20%5B1-3%5D%3F%26%23%25"
        #expect(await query.arrival()?.line == "GET \(path) HTTP/1.1")
    }

    @Test("send an empty body without a form's type, and with its length")
    func emptyBody() async throws {
        let server = try RecordingServer(answer: answer("{}"))
        let made = try made(
            "cancel --gateway FOLDER/dintero.json --payment-id T1 --operation o "
                + "--access-token-env HOME --curl", origin: server.origin)
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
            let made = try made(
                "cancel --gateway FOLDER/rbs.json --payment-id o --operation o --curl",
                origin: server.origin)
            let sent = try curl(made.output, ["-i"], home: folder)
            try #require(sent.output.hasPrefix("HTTP/1.1 307"))
            let answer = try GatewayFiles.answer("rbs", "cancel", input: sent.output)
            #expect(answer.status == 5 && answer.output.contains(#""operation":"unknown""#))
        }
        let line = try #require(await server.arrival()).line
        #expect(line.hasPrefix("POST /payment/rest/reverse.do "))
    }

    @Test("are sent as they are, whatever the user's own configuration says")
    func configuration() async throws {
        let server = try RecordingServer(
            answer: answer("{}", "HTTP/1.1 503 Later\r\nRetry-After: 0\r\n"))
        let own = "retry = 2\ninsecure\nfail\nget\nverbose\nnetrc\nlocation-trusted\nhttp0.9\n"
        try KeyFolder.with([
            ".curlrc": own, ".netrc": "default login thief password secret\n",
        ]) { folder in
            let made = try made(
                "cancel --gateway FOLDER/rbs.json --payment-id o --operation o --curl",
                origin: server.origin)
            let sent = try curl(made.output, home: folder)
            // The answer of the first request, although it is an error; curl would wait for a second one.
            try #require(sent.status == 0, "\(sent.error)")
            #expect(sent.output == "{}" && sent.error.isEmpty, "\(sent.error)")
            for line in ["retry = \"0\"", "no-insecure", "no-proxy-insecure", "no-tcp-fastopen"] {
                #expect(made.output.contains("\n\(line)\n"))
            }
        }
        let arrival = try #require(await server.arrival())
        #expect(arrival.line == "POST /payment/rest/reverse.do HTTP/1.1")
        #expect(arrival.body.contains("password=") && arrival.headers["authorization"] == nil)
    }

    @Test("refuse another scheme than the address's, and end within the time limit")
    func limits() throws {
        let made = try made(
            "status --gateway FOLDER/paypal.json --payment-id o --access-token-env HOME --curl")
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
            let words =
                "status --gateway FOLDER/paypal.json --payment-id o --access-token-env HOME"
            let file = try made(words, ["--curl-file", "\(folder)/new"])
            #expect(file.status == 0 && file.output.isEmpty && file.error.isEmpty)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/new")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: "\(folder)/new", encoding: .utf8)
            #expect(try made(words, ["--curl"]).output == text)
            let refused = try made(words, ["--curl-file", "\(folder)/taken"])
            #expect(refused.status == 3 && refused.error.contains("exists already"))
            #expect(try String(contentsOfFile: "\(folder)/taken", encoding: .utf8) == "x")
        }
    }

    @Test("refuse a body that is longer than curl reads")
    func longBody() throws {
        let items = (0..<2000).map { number in
            #"{"id":"\#(number)","lineId":"\#(number)","description":"An article","amount":1}"#
        }
        let order =
            #"{"reference":"o","amount":2000,"currency":"NOK","returnURL":"a:b","#
            + #""items":[\#(items.joined(separator: ","))]}"#
        let words = "session --gateway FOLDER/dintero.json --access-token-env HOME"
        let body = try made(words, files: ["order.json": order])
        #expect(body.output.utf8.count > 100_000, "\(body.error)")
        let refused = try made(words, ["--curl"], files: ["order.json": order])
        #expect(refused.status == 3 && refused.output.isEmpty)
        #expect(refused.error.contains("too long for a configuration of curl"))
    }

    @Test("read what curl -i prints of a real server's answer")
    func pipeline() async throws {
        let body =
            #"{"transactions":[{"uid":"1","status":"successful","type":"payment","amount":3000,"#
            + #""currency":"EUR","tracking_id":"order-1"}]}"#
        let server = try RecordingServer(answer: answer(body))
        let made = try made(
            "search --gateway FOLDER/bepaid.json --curl", origin: server.origin,
            reference: "order-1")
        let sent = try curl(made.output, ["-i"])
        let read = try GatewayFiles.answer("bepaid", "search", input: sent.output)
        #expect(read.status == 0)
        #expect(
            read.output
                == #"{"outcome":"paid","gateway":"bepaid","step":"search","paymentId":"1","#
                + #""reference":"order-1","status":"successful","currency":"EUR","ordered":3000,"#
                + #""authorized":0,"captureRequested":0,"captured":3000,"refundRequested":0,"#
                + #""refunded":0,"httpStatus":201}"# + "\n")
    }
}
