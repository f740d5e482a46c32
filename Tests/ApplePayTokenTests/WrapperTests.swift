import ApplePayToken
import Foundation
import Testing
import TokenMint

@Suite("Wrappers around a token")
struct WrapperTests {
    private let token = try? TokenMint(seed: "wrappers").token()

    @Test(
        "are looked through and reported",
        arguments: [
            ([], "TOKEN"),
            (["paymentData"], #"{"paymentData":TOKEN}"#),
            (["token", "paymentData"], #"{"token":{"paymentData":TOKEN}}"#),
            (["payment", "token", "paymentData"], #"{"payment":{"token":{"paymentData":TOKEN}}}"#),
            (["details", "token", "paymentData"], #"{"details":{"token":{"paymentData":TOKEN}}}"#),
        ]
    )
    func unwrapped(_ names: [String], _ shape: String) throws {
        let token = try #require(token)
        let text = shape.replacing("TOKEN", with: token.text)
        #expect(try PaymentToken(parsing: Array(text.utf8)).unwrapped == names)
    }

    @Test("are refused where only the token itself is wanted")
    func strictForm() throws {
        let token = try #require(token)
        #expect(throws: Never.self) { try PaymentToken(parsing: token.json, isWrapped: false) }
        let text = #"{"paymentData":\#(token.text)}"#
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8), isWrapped: false)
        }
        #expect(error?.stage == .field)
        #expect(error?.code == "missing-member")
    }

    @Test("deeper than four are not looked through")
    func depth() throws {
        let token = try #require(token)
        var text = token.text
        for name in ["paymentData", "token", "payment", "payment", "payment"] {
            text = #"{"\#(name)":\#(text)}"#
        }
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error?.stage == .field)
        #expect(error?.code == "missing-member")
    }

    @Test("may repeat the transaction identifier in capitals, but not another one")
    func transactionIdentifier() throws {
        let token = try #require(token)
        let identifier = try PaymentToken(parsing: token.json).transactionId
        func parse(_ identifier: String) throws(PaymentTokenError) -> PaymentToken {
            let text = #"{"transactionIdentifier":"\#(identifier)","paymentData":\#(token.text)}"#
            return try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(throws: Never.self) { try parse(identifier.uppercased()) }
        let error = #expect(throws: PaymentTokenError.self) {
            try parse(String(identifier.reversed()))
        }
        #expect(error?.stage == .field)
        #expect(error?.code == "transaction-identifier-mismatch")
    }

    @Test("of a simulator say that the token is empty")
    func emptyToken() throws {
        let text = #"{"paymentData":{"version":"","data":"","signature":"","header":{}}}"#
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error?.code == "empty-token")
    }
}
