import ApplePayTransport
import Testing

@testable import ApplePaySession

@Suite("An error of the Apple Pay server")
struct ApplePayServerErrorTests {
    @Test(
        "describes what happened and what to do, unlike any other",
        arguments: ApplePayServerError.Code.allCases)
    func sentences(_ code: ApplePayServerError.Code) {
        let text = ApplePayServerError(code).description
        #expect(text.hasSuffix(".") && text.contains(". "))
        let others = ApplePayServerError.Code.allCases.filter { $0 != code }
        #expect(!others.contains { ApplePayServerError($0).description == text })
    }

    @Test(
        "is about the connection if nothing was sent, and never a refusal by Apple",
        arguments: GatewayTransportError.Code.allCases)
    func transport(_ code: GatewayTransportError.Code) {
        let unsent = ApplePayServerError(
            GatewayTransportError(code, requestMayHaveReachedGateway: false))
        let sent = ApplePayServerError(
            GatewayTransportError(code, requestMayHaveReachedGateway: true))
        #expect(unsent.code != .refused && sent.code != .refused)
        #expect(unsent.status == nil && unsent.appleMessage == nil)
        if code == .connectionFailed {
            #expect(unsent.code == .notConnected && sent.code == .connectionFailed)
        }
    }

    @Test(
        "repeats at most 500 characters of Apple's sentence, without controls",
        arguments: ["statusMessage", "errorMessage"])
    func message(_ member: String) {
        let text = "\\u001b[2J\\u0085" + String(repeating: "é", count: 600)
        let response = GatewayResponse(
            status: 400, body: Array(#"{"\#(member)":"\#(text)"}"#.utf8))
        let error = ApplePayServerError(response, merchantIdentifier: "merchant.example")
        #expect(error.code == .refused && error.status == 400)
        #expect(error.appleMessage == "[2J" + String(repeating: "é", count: 497))
    }

    @Test("has no sentence of Apple's if the answer is not JSON or has another type")
    func withoutMessage() {
        for body in ["", "<html>", "[]", #"{"statusMessage":{}}"#] {
            let error = ApplePayServerError(
                GatewayResponse(status: 503, body: Array(body.utf8)),
                merchantIdentifier: "merchant.example")
            #expect(error.appleMessage == nil && error.description.contains("HTTP status 503"))
        }
    }
}
