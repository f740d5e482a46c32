import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("A configuration for curl")
struct CurlConfigurationTests {
    private static let end = """
        max-redirs = "0"
        retry = "0"
        connect-timeout = "10"
        max-time = "60"
        no-location
        no-location-trusted
        no-insecure
        no-proxy-insecure
        no-get
        no-netrc
        no-netrc-optional
        no-tcp-fastopen
        no-verbose
        no-fail
        no-remote-name
        no-http0.9
        no-ignore-content-length
        globoff
        suppress-connect-headers
        silent
        show-error

        """

    /// Returns the configuration for the request of an example, with other files.
    private func text(
        _ gateway: String, _ step: String, account: String? = nil, order: String? = nil
    ) throws -> String {
        let example = try #require(
            ExampleGateway.all.flatMap(\.commands)
                .first { $0.gateway == gateway && $0.step == step })
        return try RequestFolder.with { folder in
            try CurlConfiguration.text(
                ExampleAccounts(folder).request(example, account: account, order: order)
            ).revealText()
        }
    }

    @Test("has the address, the method, the headers, the body and the limits")
    func whole() throws {
        let secret = try #require(ProcessInfo.processInfo.environment["HOME"])
        #expect(
            try text("paypal", "status") == """
                url = "https://api-m.paypal.com/v2/checkout/orders/o1"
                request = "GET"
                header = "Authorization: Bearer \(secret)"
                proto = "=https"
                \(Self.end)
                """)
        let local =
            #"{"gateway":"dintero","origin":"http://127.0.0.1:1","account":{"accountId":"P00000000"},"#
            + #""credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}}"#
        #expect(
            try text("dintero", "cancel", account: local) == """
                url = "http://127.0.0.1:1/v1/transactions/T1/void"
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
        let order =
            #"{"reference":"o","amount":1,"currency":"NOK","returnURL":"a:b","#
            + #""items":[{"id":"i","lineId":"1","description":"\#(description)","amount":1}]}"#
        let configuration = try text("dintero", "session", order: order)
        return try #require(
            configuration.split(separator: "\n").first { $0.hasPrefix("data-raw = \"") })
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
