import ApplePayAcceptance
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayToken
import ApplePayWire
import Foundation
import Testing

@Suite("A text that is not a token")
struct WrongTokenTests {
    private static let token =
        #"{"version":"EC_v1","data":"AA==","signature":"AA==","header":{"publicKeyHash":"AA=="}}"#

    private static let plainAdvice = PaymentTokenError.Code.missingMember.advice

    /// Returns a text with a token in place of TOKEN, its JSON string of STRING, and its base64 of BASE64.
    private static func text(_ form: String) -> String {
        let string = "\"\(token.replacing("\"", with: #"\""#))\""
        let base64 = "\"\(Data(token.utf8).base64EncodedString())\""
        return form.replacing("TOKEN", with: token).replacing("STRING", with: string)
            .replacing("BASE64", with: base64)
    }

    /// Returns what is said of a text that the library refuses.
    private static func wrong(_ text: String) throws -> WrongToken? {
        let text = Array(text.utf8)
        let error = #expect(throws: PaymentTokenError.self) { try PaymentToken(parsing: text) }
        return WrongToken(text, path: nil, try #require(error))
    }

    @Test(
        "is searched for a token, whose place is named and which is not used",
        arguments: [
            (#"{"type":"applepay","token_data":TOKEN}"#, "token_data"),
            (#"{"applePayToken":STRING}"#, "applePayToken > string"),
            (#"{"payment_data":TOKEN}"#, "payment_data"),
            (#"{"body":BASE64,"isBase64Encoded":true}"#, "body > base64"),
            (#"{"paymentData":{"a":[1,{"b":TOKEN}]}}"#, "paymentData > a > [1] > b"),
            ("[TOKEN]", "[0]"),
        ])
    func found(_ form: String, _ path: String) throws {
        let wrong = try #require(try Self.wrong(Self.text(form)))
        #expect(wrong.message == "The text is another object, with a payment token in \(path).")
        #expect(wrong.advice.hasPrefix("Pass on that value alone"))
    }

    @Test("is searched in base64 and in a string, too, as a token is read")
    func encoded() throws {
        let object = Self.text(#"{"token_data":TOKEN}"#)
        let string = "\"\(object.replacing("\"", with: #"\""#))\""
        for (text, path) in [
            ("\(Data(object.utf8).base64EncodedString())\n", "token_data"),
            (string, "string > token_data"),
        ] {
            let wrong = try #require(try Self.wrong(text))
            #expect(wrong.message.hasSuffix("with a payment token in \(path)."))
        }
    }

    @Test("is named if it is another vendor's token, or bytes as numbers")
    func named() throws {
        let google = #"{"protocolVersion":"ECv2","signature":"MEQ","signedMessage":"{}"}"#
        for (text, sentence) in [
            (google, "The text has a Google Pay token, which is none of Apple Pay."),
            (#"{"token":\#(google)}"#, "The text has a Google Pay token in token, which is none"),
            (#"{"type":"Buffer","data":[123,34]}"#, "The text has bytes as numbers, as Node.js"),
            ("[123,34,118]", "The text has bytes as numbers, as Node.js writes a Buffer."),
        ] {
            let wrong = try #require(try Self.wrong(text))
            #expect(wrong.message.hasPrefix(sentence), "\(wrong.message)")
            #expect(!wrong.advice.contains("refuse"))
        }
    }

    @Test("is told by its names, at most 8 of them, if there is no token in it")
    func members() throws {
        let header = #"{"version":"EC_v1","data":"AA==","signature":"AA==","header":HEADER}"#
        let many = (0..<9).map { #""m\#($0)":1"# }.joined(separator: ",")
        for (text, message) in [
            (#"{"data":"AA==","a\u001b":1}"#, #"The text lacks version; it has data, a\1B."#),
            (#"{"4111111111111111":1}"#, "The text lacks version; it has …."),
            (
                "{\(many)}",
                "The text lacks version; it has m0, m1, m2, m3, m4, m5, m6, m7 and others."
            ),
            (
                header.replacing("HEADER", with: #"{"public_key_hash":"AA=="}"#),
                "The text lacks header.ephemeralPublicKey; it has public_key_hash."
            ),
        ] {
            let wrong = try #require(try Self.wrong(text))
            #expect(wrong.message == message && wrong.advice == Self.plainAdvice)
        }
        let encoded = try #require(
            try Self.wrong(header.replacing("HEADER", with: #""{\"publicKeyHash\":\"AA==\"}""#)))
        #expect(encoded.message == "The text has JSON in a string as header.")
        #expect(try Self.wrong("{}") == nil || Self.wrong("{}")?.message.contains("lacks") == true)
    }

    @Test("costs a time that grows with its length, whatever is nested in it")
    func cost() throws {
        var nested = Self.token
        for _ in 0..<8 {
            nested =
                "{\"a\":\"\(nested.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#))\"}"
        }
        let long = String(repeating: "n", count: 60_000)
        for text in [
            "{\"a\":[\(String(repeating: "{},", count: 80_000)){}]}",
            "{\"a\":[\(String(repeating: "\"e30=\",", count: 30_000))1]}",
            "{\"\(long)\":{\"\(long)\":[\(String(repeating: "[],", count: 30_000))1]}}",
            "{\(String(repeating: "\"a\":[", count: 1))\(String(repeating: "\"{}\",", count: 30_000))1]}",
            nested,
        ] {
            let start = ContinuousClock.now
            let wrong = try Self.wrong(text)
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(wrong?.message.utf8.count ?? 0 < 1_000)
        }
    }

    @Test("has the same sentences in the answer for programs")
    func answer() throws {
        let text = Array(Self.text(#"{"token_data":TOKEN}"#).utf8)
        let error = PaymentError.token(PaymentTokenError(.missingMember, member: "version"))
        let answer = JSONLine.refused(error, text).bytes.revealText()
        #expect(answer.contains("with a payment token in token_data"))
        #expect(answer.contains(#""advice":"Pass on that value alone"#))
        #expect(
            JSONLine.refused(error, Array("{}".utf8)).bytes.revealText().contains(Self.plainAdvice))
    }
}
