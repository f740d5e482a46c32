import Foundation
import TestVectors
import Testing

@Suite("The sandbox's server", .serialized, .timeLimit(.minutes(5)))
struct SandboxServerTests {
    @Test("prints its address first, and its help lists amounts and requests")
    func help() throws {
        let sandbox = try SandboxProcess()
        #expect(sandbox.origin.wholeMatch(of: /http:\/\/127\.0\.0\.1:[1-9][0-9]*/) != nil)
        let help = try SandboxProcess.run(["--help"])
        #expect(help.status == 0)
        let page = try String(
            contentsOf: TestVectors.directory.deletingLastPathComponent().appending(
                path: "Sources/Network/ApplePayHTTPS/Docs.docc/ApplePayHTTPS.md"),
            encoding: .utf8)
        let documented = page.matches(of: #/(?m)^\| (\d+) \| /#).map { String($0.output.1) }
        let listed = help.output.matches(of: #/(?m)^ +(\d{5})  /#).map { String($0.output.1) }
        #expect(listed == documented && listed.contains("40800") && listed.count == 14)
        for gateway in SandboxMerchant.all {
            #expect(help.output.contains("\n  \(gateway.gateway)"), "\(gateway.gateway)")
        }
        #expect(help.output.contains("POST /v3/consents/*"))
        let wrong = [
            ["--port"], ["--port", "65536"], ["--port", "-1"], ["--silence", "0"], ["x"],
        ]
        for arguments in wrong {
            #expect(try SandboxProcess.run(arguments).status == 2, "\(arguments)")
        }
        let port = try #require(sandbox.port)
        #expect(try SandboxProcess.run(["--port", String(port)]).status == 3)
    }

    @Test(
        "sends messages to this machine only",
        arguments: [
            "https://127.0.0.1:1/hook", "http://127.0.0.1:0/hook", "http://shop.example/hook",
            "http://127.0.0.1.shop.example/", "http://user@127.0.0.1/", "http://[::1]/hook",
            "http://127.0.0.1/hook?to=me", "http://127.0.0.1/hook\r\n", "127.0.0.1:1", "",
        ])
    func messagesElsewhere(_ address: String) throws {
        #expect(try SandboxProcess.run(["--notify", address]).status == 2)
    }

    @Test("listens only on 127.0.0.1")
    func address() async throws {
        let sandbox = try SandboxProcess()
        let port = try #require(sandbox.port)
        let hexadecimal = String(format: "%04X", port)
        var listening: [Substring] = []
        // The file is read in parts, between which other sockets are opened and closed, so that one can be left out.
        for _ in 0..<50 where listening.isEmpty {
            let sockets = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
            listening = sockets.split(separator: "\n").filter {
                $0.contains(":\(hexadecimal) 00000000:0000 0A")
            }
        }
        #expect(listening.count == 1)
        #expect(listening.allSatisfy { $0.contains("0100007F:\(hexadecimal)") })
        let sixth = try String(contentsOfFile: "/proc/net/tcp6", encoding: .utf8)
        #expect(!sixth.contains(":\(hexadecimal) 00000000000000000000000000000000:0000 0A"))
    }

    @Test("answers a request that is not HTTP with an error, and continues")
    func hostileInput() async throws {
        let sandbox = try SandboxProcess()
        let port = try #require(sandbox.port)
        let many = String(repeating: "a", count: 40_000)
        for (text, status) in [
            ("GARBAGE\r\n\r\n", 400), ("GET / HTTP/1.0\r\n\r\n", 505),
            ("GET  HTTP/1.1\r\n\r\n", 400),
            ("GET /\(many) HTTP/1.1\r\n", 431), (many, 431), ("\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
            ("POST /payments HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413),
            ("POST /payments HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("POST /payments HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST /payments HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST /payments HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("GET /payments/%zz HTTP/1.1\r\n\r\n", 404),
            ("GET /customer/a/b?%&= HTTP/1.1\r\n\r\n", 404),
            ("DELETE /payments HTTP/1.1\r\n\r\n", 405), ("GET /nothing HTTP/1.1\r\n\r\n", 404),
            ("POST /payments HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 401),
        ] {
            let answer = try Self.exchange(Array(text.utf8), port: port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(text.prefix(60)) \(answer)")
        }
        let binary: [UInt8] =
            Array("GET /".utf8) + [0xFF, 0xFE, 0] + Array(" HTTP/1.1\r\n\r\n".utf8)
        #expect(try Self.exchange(binary, port: port).hasPrefix("HTTP/1.1 400 "))
        let nested = String(repeating: "[", count: 5000)
        let deep = SandboxMessage("POST", "/payments", nested).withBearer()
        #expect(try await deep.send(to: sandbox).status == 422)
        #expect(sandbox.isRunning)
        let answer = try await SandboxMerchant.all[0].message(sandbox).send(to: sandbox)
        #expect(answer.status == 201)
    }

    @Test("lets a customer in a browser choose, and shows the way back to the shop")
    func customerInBrowser() throws {
        let sandbox = try SandboxProcess()
        let port = try #require(sandbox.port)
        func ask(_ text: String) throws -> String {
            try Self.exchange(Array(text.utf8), port: port)
        }
        let body = #"""
            {"request":{"amount":30300,"currency":"EUR","description":"x","return_url":\#
            "https://shop.example/order?a=1&b=<2","credit_card":{"token":"$begateway_apple_pay_1_0_0$x"}}}
            """#
        let login = Data("shop:sandbox-secret".utf8).base64EncodedString()
        let answer = try ask(
            "POST /transactions/payments HTTP/1.1\r\nContent-Type: application/json\r\n"
                + "Authorization: Basic \(login)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        let path = try #require(
            answer.firstMatch(of: #/redirect_url":"http:\/\/127\.0\.0\.1:\d+([^"]+)"/#)?.output.1)
        let browser = "HTTP/1.1\r\nAccept: text/html,*/*\r\n\r\n"
        let choices = try ask("GET \(path) \(browser)")
        #expect(choices.contains(#"href="?decision=decline""#) && !choices.contains("decision: "))
        let declined = try ask("GET \(path)?decision=decline \(browser)")
        #expect(declined.contains("decision: decline"))
        #expect(declined.contains(#"href="https://shop.example/order?a=1&b=_2""#))
        #expect(try !ask("GET \(path) \(browser)").contains("?decision"))
    }

    @Test("answers a client that waits for 100 Continue")
    func expectContinue() throws {
        let sandbox = try SandboxProcess()
        let head =
            "POST /payments HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
            + "Authorization: sandbox-secret\r\nContent-Type: application/json\r\n\r\n"
        let answer = try Self.exchange(
            Array(head.utf8), then: Array("{}".utf8), port: try #require(sandbox.port))
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 422 "), "\(answer)")
    }

    @Test("serves other clients while a request is not answered, and closes that connection later")
    func silence() async throws {
        let sandbox = try SandboxProcess(silence: 1)
        let merchant = try #require(SandboxMerchant.all.first { $0.gateway == "adyen" })
        let silent = try await merchant.message(sandbox, 40_801, "a")
        let other = try await merchant.message(sandbox, 3000, "b")
        let start = ContinuousClock.now
        async let lost = try? silent.send(to: sandbox)
        #expect(try await other.send(to: sandbox).status == 200)
        #expect(await lost == nil)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// Sends bytes with bash, and returns everything that the server sends back.
    private static func exchange(
        _ bytes: [UInt8],
        then rest: [UInt8] = [],
        port: Int
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        let wait = rest.isEmpty ? "" : "sleep 0.3; printf '%s' \"$BODY\" >&3;"
        process.arguments = [
            "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat >&3; \(wait) timeout 5 cat <&3",
        ]
        process.environment = [
            "BODY": String(decoding: rest, as: UTF8.self), "PATH": "/usr/bin:/bin",
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: answer, as: UTF8.self)
    }
}
