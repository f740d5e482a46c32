import ApplePayGateways
import ApplePayToken
import Foundation
import Testing

@Suite("The test server")
struct GatewayServerTests {
    private func capture() throws -> GatewayRequest {
        try PayPal.captureOrder(
            "5O190127TN364715T", accessToken: GatewayFixture.secret("A21+example"),
            requestID: "attempt 1".replacing(" ", with: "-"))
    }

    @Test("knows an answer for every vector, and has a vector for every answer")
    func complete() throws {
        let names = try GatewayAnswers.vectorNames()
        #expect(names.count > 60)
        var steps: Set<String> = []
        for name in names {
            let entry = try #require(GatewayAnswers.entry(ofVector: name), "\(name)")
            steps.insert(entry.step)
            let line = try GatewayVector(name).request.prefix { $0 != "\n" }.split(separator: " ")
            let target = try #require(URL(string: String(line[1]))).path(percentEncoded: true)
            let text = "\(line[0]) \(target) HTTP/1.1\r\n\r\n"
            let arrival = try #require(Arrival(Array(text.utf8)))
            #expect(GatewayAnswers.all.contains { $0.matches(arrival) }, "\(name)")
        }
        #expect(steps == Set(GatewayAnswers.all.map(\.step)))
    }

    @Test("hears a request to the byte, and answers by its method and path alone")
    func arrival() async throws {
        for outcome in GatewayServer.Outcome.allCases {
            let server = try GatewayServer(outcome)
            let response = try await ExampleClient.send(capture(), to: server.origin)
            #expect(response.status == (outcome == .success ? 201 : 422))
            let arrival = try #require(await server.arrival())
            #expect(arrival.method == "POST" && arrival.path == arrival.target)
            #expect(arrival.target == "/v2/checkout/orders/5O190127TN364715T/capture")
            #expect(arrival.values("authorization") == ["Bearer A21+example"])
            #expect(arrival.values("PAYPAL-REQUEST-ID") == ["attempt-1"])
            #expect(arrival.values("Host") == [String(server.origin.dropFirst(7))])
            #expect(arrival.body == Array((try capture().body?.revealText() ?? "").utf8))
        }
        let server = try GatewayServer(.success)
        let unknown = BePaid.validateMerchant(
            validationURL: "https://apple.example/x", checkoutToken: GatewayFixture.secret("t"))
        #expect(try await ExampleClient.send(unknown, to: server.origin + "/x").status == 404)
    }

    @Test("does not take one gateway's answer for another's")
    func control() async throws {
        let error = await #expect(throws: UnreadableJSONError.self) {
            try await Exchange(capture(), "dintero-pay", #_sourceLocation).run()
        }
        #expect(error?.field == "success")
    }
}
