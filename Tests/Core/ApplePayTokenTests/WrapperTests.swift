import ApplePayToken
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import Testing

@Suite("Wrappers around a token")
struct WrapperTests {
    private let token = try? TestPKI(seed: "wrappers").token()

    @Test(
        "are removed and reported",
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

    @Test(
        "are not removed from an object that is itself a token",
        arguments: ["payment", "details", "token", "paymentData"])
    func ofToken(name: String) throws {
        let token = try #require(token)
        let text = #"{"\#(name)":{"version":"EC_v1"},\#(token.text.dropFirst())"#
        let parsed = try PaymentToken(parsing: Array(text.utf8))
        #expect(parsed.unwrapped == [])
        #expect(try parsed.transactionId == PaymentToken(parsing: token.json).transactionId)
    }

    @Test("are refused if the form allows only the token itself")
    func strictForm() throws {
        let token = try #require(token)
        #expect(throws: Never.self) { try PaymentToken(parsing: token.json, form: .paymentData) }
        let text = #"{"paymentData":\#(token.text)}"#
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8), form: .paymentData)
        }
        #expect(error?.code == .missingMember)
    }

    /// Returns the text in which a client library sends a token.
    private static func wrapped(_ token: String, _ shape: [String]) -> String {
        shape.reduce(token) { inner, wrapper in
            switch wrapper {
            case "string":
                String(decoding: (try? JSONEncoder().encode(inner)) ?? Data(), as: UTF8.self)
            case "base64": Data(inner.utf8).base64EncodedString()
            case "begateway": "$begateway_apple_pay_1_0_0$\(Data(inner.utf8).base64EncodedString())"
            default: #"{"\#(wrapper)":\#(inner)}"#
            }
        }
    }

    @Test(
        "of text are removed and reported, in any order",
        arguments: [
            ["string"], ["base64"], ["paymentData", "begateway"], ["paymentData", "string"],
            ["string", "paymentData"], ["string", "paymentData", "token", "payment"],
            ["paymentData", "token", "base64"], ["string", "string"],
        ]
    )
    func ofText(_ shape: [String]) throws {
        let token = try #require(token)
        let text = "\r\n \(Self.wrapped(token.text, shape)) \n"
        let parsed = try PaymentToken(parsing: Array(text.utf8))
        #expect(parsed.unwrapped == shape.reversed())
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8), form: .paymentData)
        }
        #expect(error?.stage == .json || error?.stage == .field)
    }

    @Test("of base64 in a string count as one")
    func base64InString() throws {
        let token = try #require(token)
        let text = #"{"token":"\#(Data(token.text.utf8).base64EncodedString())"}"#
        let parsed = try PaymentToken(parsing: Array(text.utf8))
        #expect(parsed.unwrapped == ["token", "base64"])
    }

    @Test("in hexadecimal are read only if the form states it")
    func hexadecimal() throws {
        let token = try #require(token)
        let text = Self.wrapped(token.text, ["paymentData"])
        let digits = text.utf8.map { String(format: "%02X", $0) }.joined()
        let parsed = try PaymentToken(parsing: Array(digits.utf8), form: .hexadecimal)
        #expect(parsed.unwrapped == ["paymentData"])
        #expect(throws: PaymentTokenError.self) { try PaymentToken(parsing: Array(digits.utf8)) }
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(digits.dropLast().utf8), form: .hexadecimal)
        }
        #expect(error?.code == .invalidHexadecimal)
    }

    @Test("in hexadecimal over the limit are not decoded")
    func longHexadecimal() {
        let limit = 256 * 1024
        let text = [UInt8](repeating: UInt8(ascii: "2"), count: 2 * (limit + 1))
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: text, form: .hexadecimal)
        }
        #expect(error?.code == .textTooLong)
        #expect(error?.offset == 2 * limit)
    }

    @Test("over the limit are not examined")
    func tooLong() throws {
        let text = [UInt8](repeating: UInt8(ascii: "0"), count: 4 * 256 * 1024)
        for form in [TokenForm.any, .hexadecimal, .paymentData] {
            let error = #expect(throws: PaymentTokenError.self) {
                try PaymentToken(parsing: text, form: form)
            }
            #expect(error?.code == .textTooLong)
        }
    }

    @Test("provide their unsigned members for display")
    func unsignedMembers() throws {
        let token = try #require(token)
        let text = """
            {"token":{"paymentMethod":{"displayName":"Visa 0492","network":"Visa","type":"debit"},
            "paymentData":\(token.text)}}
            """
        let members = try #require(PaymentToken(parsing: Array(text.utf8)).unsignedMembers)
        #expect(members.displayName == "Visa 0492")
        #expect(members.network == "Visa")
        #expect(members.type == "debit")
        #expect(members.transactionIdentifier == nil)
        #expect(try PaymentToken(parsing: token.json).unsignedMembers == nil)
    }

    @Test(
        "that are not a token are refused with a code that names their kind",
        arguments: [
            (#"{"paymentData":""}"#, "field/empty-token"),
            (#"{"paymentData":{}}"#, "field/empty-token"),
            (#"{"token":{"transactionIdentifier":"Simulated Identifier"}}"#, "field/empty-token"),
            (#"{"paymentData":{"version":"","data":"","signature":""}}"#, "field/empty-token"),
            ("PaymentData(version=EC_v1, data=AA)", "json/printed-object"),
            ("{version=EC_v1, data=AA}", "json/printed-object"),
            (String(repeating: "qrvM", count: 100), "json/lone-base64"),
            ("\"\(String(repeating: "qrvM", count: 100))\"", "json/lone-base64"),
            ("$begateway_apple_pay_decrypted_1_0_0$e30=", "field/already-decrypted"),
            ("$begateway_apple_pay_1_0_0$e30", "json/unexpected-character"),
            ("$begateway_apple_pay_1_0_0$e30=", "field/empty-token"),
            ("token", "json/unexpected-character"), ("null", "field/not-a-token"),
        ]
    )
    func notTokens(_ text: String, _ refusal: String) {
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error.map { $0.code.rawValue } == refusal)
    }

    @Test(
        "that are malformed are refused with the code of their fault",
        arguments: [
            ("{version=EC_v1, data=AA==}", PaymentTokenError.Code.printedObject),
            (#"{"data":"version="#, .unexpectedEnd),
            ("$begateway_apple_pay_1_0_0$", .unexpectedCharacter),
        ]
    )
    func noWrapper(_ text: String, _ code: PaymentTokenError.Code) throws {
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error?.code == code)
    }

    @Test(
        "that a program, a browser, a framework or an editor changed are refused with what changed them",
        arguments: [
            (
                "[object Object]", PaymentTokenError.Code.printedObject,
                "JavaScript made a string of an object; use JSON.stringify"
            ),
            (
                "undefined", .printedObject,
                "JavaScript sent a variable without a value; send the object"
            ),
            (
                "Array\n(\n    [version] => EC_v1\n)", .printedObject,
                "PHP's print_r wrote it; use json_encode"
            ),
            (
                "array(4) {\n  [\"version\"]=>\n", .printedObject,
                "PHP's var_dump wrote it; use json_encode"
            ),
            (
                #"a:4:{s:7:"version";s:5:"EC_v1";}"#, .printedObject,
                "PHP's serialize wrote it; use json_encode"
            ),
            (
                #"{"version"=>"EC_v1"}"#, .printedObject,
                "Ruby printed it; use to_json"
            ),
            (
                #"<ActionController::Parameters {"version" => "EC_v1"}>"#, .printedObject,
                "Ruby printed it; use to_json"
            ),
            (
                "<Buffer 7b 22 76>", .printedObject,
                "Node.js printed a Buffer; use its toString"
            ),
            (
                "{length = 3, bytes = 0x7b2276}", .printedObject,
                "Foundation printed Data; make a String of the bytes as UTF-8"
            ),
            (
                "<PKPaymentToken: 0x600>", .printedObject,
                "PassKit's object was printed; send its paymentData as UTF-8"
            ),
            (
                #"{     version = "EC_v1"; }"#, .printedObject,
                "Foundation printed a dictionary; use JSONSerialization"
            ),
            (
                #"["version": "EC_v1"]"#, .printedObject,
                "Swift printed a dictionary; use JSONEncoder"
            ),
            (
                "map[version:EC_v1 data:AA==]", .printedObject,
                "Go's fmt printed it; use json.Marshal"
            ),
            (
                "{EC_v1 AA== MIAG {}}", .printedObject,
                "Go's fmt printed it; use json.Marshal"
            ),
            (
                "{version: EC_v1, data: AA==}", .printedObject,
                "its texts have no quotation marks, as Dart prints them; use jsonEncode"
            ),
            (
                #"b'{"version":"EC_v1"}'"#, .printedObject,
                "Python printed bytes; decode them as UTF-8"
            ),
            (
                "{version=EC_v1, data=AA==}", .printedObject,
                "toString wrote it, as in Java or Kotlin; use a library for JSON"
            ),
            (
                "UGF5bWVudERhdGEodmVyc2lvbj1FQ192MSk=", .printedObject,
                "toString wrote it, as in Java or Kotlin; use a library for JSON"
            ),
            (
                "{'version': 'EC_v1'}", .unexpectedCharacter,
                "its quotation marks are single ones, as Python prints them; use json.dumps"
            ),
            (
                #"'{"version":"EC_v1"}'"#, .unexpectedCharacter,
                "it is in single quotation marks; leave them out"
            ),
            (
                #""{"version":"EC_v1"}""#, .trailingText,
                "quotation marks were put around it without escaping those in it; leave them out"
            ),
            (
                #"{\"version\":\"EC_v1\"}"#, .unexpectedCharacter,
                "its quotation marks are preceded by backslashes, as in a string of a program; decode the string once"
            ),
            (
                "{\n  version: 'EC_v1'\n}", .unexpectedCharacter,
                "JavaScript's console.log wrote it; use JSON.stringify"
            ),
            (
                "{ version: 'EC_v1' }", .unexpectedCharacter,
                "JavaScript's console.log wrote it; use JSON.stringify"
            ),
            (
                #"{version: "EC_v1"}"#, .unexpectedCharacter,
                "its names have no quotation marks, as in a program's source; use JSON.stringify"
            ),
            (
                "%7B%22version%22%3A%22EC_v1%22%7D", .unexpectedCharacter,
                "it is URL-encoded; decode it once"
            ),
            (
                " %7b%22version%22%7d\n", .unexpectedCharacter,
                "it is URL-encoded; decode it once"
            ),
            (
                "%22{}%22", .unexpectedCharacter,
                "it is URL-encoded; decode it once"
            ),
            (
                "%257B%2522version%2522", .unexpectedCharacter,
                "it is URL-encoded twice; decode it twice"
            ),
            (
                "{\u{201C}version\u{201D}:1}", .unexpectedCharacter,
                "it has typographic quotation marks, as text editors make them; send the text that the client received"
            ),
            (
                "{&quot;version&quot;:1}", .unexpectedCharacter,
                "it is escaped for HTML; send it without escaping"
            ),
            (
                "{&#34;version&#34;:1}", .unexpectedCharacter,
                "it is escaped for HTML; send it without escaping"
            ),
            (
                "token=%7B%22version%22", .unexpectedCharacter,
                "it is a form; send the value of its field alone, URL-decoded once"
            ),
            (
                "paymentData%5Bversion%5D=EC_v1&paymentData%5Bdata%5D=AA", .unexpectedCharacter,
                "it is a form with a field for each member; send the object as JSON in one field"
            ),
            (
                "version=EC_v1&data=AA", .unexpectedCharacter,
                "it is a form with a field for each member; send the object as JSON in one field"
            ),
            (
                "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n{}", .invalidNumber,
                "it is a multipart form; send the value of its field alone"
            ),
            (
                "POST /pay HTTP/1.1\r\n\r\n{}", .unexpectedCharacter,
                "it is a whole HTTP message; send its body alone"
            ),
            (
                "<!DOCTYPE html>", .unexpectedCharacter,
                "it is a page in HTML, such as an error page; look for what wrote it"
            ),
            (
                "<token/>", .unexpectedCharacter,
                "it is XML, or a text in angle brackets; send the token as JSON"
            ),
            (
                "data:application/json;base64,e30=", .unexpectedCharacter,
                "it is a data URL; send what follows its comma"
            ),
            (
                "123,34,118", .trailingText,
                "it is a list of bytes in decimal; send the text that they encode"
            ),
            (
                "7b2276657273696f6e223a31", .trailingText,
                "it is hexadecimal; decode it"
            ),
            (
                "eyJ2ZXJzaW9uIjoxfQ", .unexpectedCharacter,
                "it is base64 without padding, or its end is missing; add =, or send the whole text"
            ),
            (
                "eyJ2ZXJzaW9uIjoiPz8_In0", .unexpectedCharacter,
                "it is base64url; send base64, with + and / and padding"
            ),
            (
                "eyJhbGciOiJub25lIn0.e30.AA", .unexpectedCharacter,
                "it is a JWT or JWE, in which somebody wrapped something; send the token itself"
            ),
        ])
    func changed(_ text: String, _ code: PaymentTokenError.Code, _ reason: String) {
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error?.code == code)
        #expect(error?.reason == reason)
    }

    @Test(
        "with base64 that was changed are refused with what changed it",
        arguments: [
            (" ", "it has a blank, so + was probably read as in a URL or a form"),
            ("%2B", "it has %, so it is probably URL-encoded"), (#"\n"#, "it has a line break"),
            ("_", "it has - or _, so it is probably base64url instead of base64"),
        ] as [(String, String?)] + [("*", nil)])
    func changedBase64(_ character: String, _ reason: String?) throws {
        let text = try #require(token).text
        let name = try #require(text.firstRange(of: #""signature":""#))
        for offset in [0, 1, 4] {
            var changed = text
            let start = changed.index(name.upperBound, offsetBy: offset)
            changed.replaceSubrange(start...start, with: character)
            let error = #expect(throws: PaymentTokenError.self) {
                _ = try PaymentTokenVerifier().verify(PaymentToken(parsing: Array(changed.utf8)))
            }
            #expect(error?.code == .invalidBase64)
            #expect(error?.members == ["signature"])
            #expect(error?.reason == reason)
        }
    }

    @Test("are not removed beyond the fourth")
    func depth() throws {
        let token = try #require(token)
        var text = token.text
        for name in ["paymentData", "token", "payment", "payment", "payment"] {
            text = #"{"\#(name)":\#(text)}"#
        }
        let error = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(text.utf8))
        }
        #expect(error?.code == .missingMember)
    }

    @Test(
        "are refused if any of them names another transaction",
        arguments: [
            #"{"transactionIdentifier":"ID","paymentData":{"paymentData":TOKEN}}"#,
            #"{"paymentData":{"transactionIdentifier":"ID","paymentData":TOKEN}}"#,
            #"{"transactionIdentifier":"ID","token":TOKEN}"#,
            #"{"transactionIdentifier":"ID","token":{"paymentData":TOKEN}}"#,
            #"{"details":{"transactionIdentifier":"ID","payment":{"token":TOKEN}}}"#,
            #"{"transactionIdentifier":"ID","paymentData":"{\"paymentData\":STRING}"}"#,
            #"{"transactionIdentifier":"ID","token":"{\"transactionIdentifier\":\"RIGHT\",\"paymentData\":STRING}"}"#,
            #"{"transactionIdentifier":"RIGHT","token":"{\"transactionIdentifier\":\"ID\",\"paymentData\":STRING}"}"#,
            #"{"transactionIdentifier":"ID","token":{"transactionIdentifier":"RIGHT","paymentData":TOKEN}}"#,
        ]
    )
    func nestedIdentifiers(_ shape: String) throws {
        let token = try #require(token)
        let right = try PaymentToken(parsing: token.json).transactionId
        func parse(_ identifier: String) throws(PaymentTokenError) -> PaymentToken {
            let quoted = token.text.replacing("\"", with: "\\\"")
            let text = shape.replacing("ID", with: identifier).replacing("RIGHT", with: right)
                .replacing("TOKEN", with: token.text).replacing("STRING", with: quoted)
            return try PaymentToken(parsing: Array(text.utf8))
        }
        for identifier in [right, right.uppercased()] {
            let members = try parse(identifier).unsignedMembers
            #expect(members?.transactionIdentifier?.lowercasedASCII == ExactText(right))
        }
        for identifier in ["", "0A", String(right.reversed())] {
            let error = #expect(throws: PaymentTokenError.self) { try parse(identifier) }
            #expect(error?.code == .transactionIdentifierMismatch)
        }
    }

    @Test("are refused if the token itself names another transaction", arguments: [false, true])
    func innermostIdentifier(isWrapped: Bool) throws {
        let token = try #require(token)
        let right = try PaymentToken(parsing: token.json).transactionId
        func parse(_ identifier: String) throws(PaymentTokenError) {
            let inner = #"{"transactionIdentifier":\#(identifier),"# + token.text.dropFirst()
            let text = isWrapped ? #"{"paymentData":\#(inner)}"# : inner
            _ = try PaymentToken(parsing: Array(text.utf8))
        }
        try parse(#""\#(right)""#)
        try parse(#""\#(right.uppercased())""#)
        for (identifier, code) in [
            (#""0A""#, PaymentTokenError.Code.transactionIdentifierMismatch),
            (#""""#, .transactionIdentifierMismatch), ("1", .wrongType),
        ] {
            let error = #expect(throws: PaymentTokenError.self) { try parse(identifier) }
            #expect(error?.code == code)
        }
    }

    @Test("provide the innermost value of each member")
    func members() throws {
        let token = try #require(token)
        let text = """
            {"paymentMethod":{"displayName":"Visa 0492","network":"Visa"},
            "paymentData":{"paymentMethod":{"network":"MasterCard"},"paymentData":\(token.text)}}
            """
        let members = try #require(PaymentToken(parsing: Array(text.utf8)).unsignedMembers)
        #expect(members.displayName == "Visa 0492")
        #expect(members.network == "MasterCard")
        #expect(members.type == nil)
        let number = #"{"paymentMethod":{"network":5},"paymentData":\#(token.text)}"#
        let parsed = try PaymentToken(parsing: Array(number.utf8))
        #expect(parsed.unwrapped == ["paymentData"] && parsed.unsignedMembers?.network == nil)
    }

    @Test("can repeat the transaction identifier in capitals")
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
        #expect(error?.code == .transactionIdentifierMismatch)
        let number = #"{"transactionIdentifier":5,"paymentData":\#(token.text)}"#
        let wrong = #expect(throws: PaymentTokenError.self) {
            try PaymentToken(parsing: Array(number.utf8))
        }
        #expect(wrong?.code == .wrongType && wrong?.members == ["transactionIdentifier"])
    }
}
