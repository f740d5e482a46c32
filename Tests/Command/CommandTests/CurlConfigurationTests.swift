import ApplePayGateways
import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("A configuration for curl")
struct CurlConfigurationTests {
    private static let end = """
        max-redirs = "0"
        connect-timeout = "10"
        max-time = "60"
        no-location
        globoff
        suppress-connect-headers
        silent
        show-error

        """

    private func text(_ gateway: Gateway, _ name: String, _ words: [String]) throws -> String {
        let step = try #require(gateway.steps.first { $0.name == name && $0.input == .none })
        let request = try step.make(
            Arguments(words, step.options + [.origin]),
            StepInput(payment: nil, token: nil, order: nil))
        return try CurlConfiguration.text(request).revealText()
    }

    @Test("has the address, the method, the headers, the body and the limits")
    func whole() throws {
        let secret = try #require(ProcessInfo.processInfo.environment["HOME"])
        let get = try text(.payPal, "get", ["--order-id", "o", "--access-token-env", "HOME"])
        #expect(
            get == """
                url = "https://api-m.paypal.com/v2/checkout/orders/o"
                request = "GET"
                header = "Authorization: Bearer \(secret)"
                proto = "=https"
                \(Self.end)
                """)
        let void = [
            "--transaction-id", "T", "--reference", "r", "--operation", "o", "--authorized-amount",
            "1", "--currency", "NOK", "--access-token-env", "HOME", "--origin",
            "http://127.0.0.1:1",
        ]
        #expect(
            try text(.dintero, "void", void) == """
                url = "http://127.0.0.1:1/v1/transactions/T/void"
                request = "POST"
                header = "Authorization: Bearer \(secret)"
                header = "Content-Type:"
                data-raw = ""
                proto = "=http"
                \(Self.end)
                """)
    }

    /// Returns the body's line for an order line whose description has a length and bytes that need escapes.
    private func body(_ length: Int) throws -> Substring {
        let description = #"\"\t\u000b"# + String(repeating: "d", count: length)
        let items = #"[{"id":"i","line_id":"1","description":"\#(description)","amount":1}]"#
        return try KeyFolder.with(["items.json": items]) { folder in
            let configuration = try text(
                .dintero, "session",
                [
                    "--amount", "1", "--currency", "NOK", "--return-url", "a:b",
                    "--merchant-reference", "o", "--items", "\(folder)/items.json",
                    "--access-token-env", "HOME",
                ])
            return try #require(
                configuration.split(separator: "\n").first { $0.hasPrefix("data-raw = \"") })
        }
    }

    @Test("has a body in a line of at most 100,000 bytes")
    func limit() throws {
        let short = try body(1)
        #expect(short.contains(##""description\":\"\\\"\\t\\u000bd\""##), "\(short)")
        let rest = 100_000 - short.utf8.count
        #expect(try body(1 + rest).utf8.count == 100_000)
        let failure = #expect(throws: CommandFailure.self) { try body(2 + rest) }
        #expect(failure?.status == .means)
        #expect(
            failure?.message
                == "the body is too long for a configuration of curl; write the body without --curl, and send it "
                + "with curl --data-binary @-.")
    }
}
