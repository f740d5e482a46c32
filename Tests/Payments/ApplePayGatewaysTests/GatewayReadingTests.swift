import ApplePayAcceptance
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayGateways

@Suite("Reading what gateways send")
struct GatewayReadingTests {
    private func value(_ text: String) throws -> AnswerValue {
        try AnswerValue(Array(text.utf8))
    }

    /// Returns the code and the field of the error that a function throws; nil if it does not throw.
    private func error<Value>(_ body: () throws -> Value) -> String? {
        do {
            _ = try body()
            return nil
        } catch let error as PaymentError {
            #expect("\(error)".hasSuffix("."))
            let code = error.name.split(separator: "/").last ?? ""
            return "\(code) \(error.members.first ?? "")"
        } catch {
            return "\(error)"
        }
    }

    @Test("refuses answers over 1 MiB or deeper than 32 levels")
    func limits() throws {
        let count = 1 << 20
        let text = #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"#
        #expect(text.utf8.count == count)
        #expect(try value(text).isObject)
        #expect(throws: (any Error).self) { try value(text + " ") }
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try value(nested(32)).isArray)
        #expect(throws: (any Error).self) { try value(nested(33)) }
        #expect(error { try AnswerValue(object: Array("{".utf8)) } == "not-json ")
        #expect(error { try AnswerValue(object: Array("[]".utf8)) } == "malformed ")
    }

    @Test("refuses a text of more than 64 KiB, and ignores one that it does not read")
    func longTexts() throws {
        for (part, count) in [("x", 65_536), (#"\u00e9"#, 32_768)] {
            let text = String(repeating: part, count: count)
            let fits = try value(#"{"a":"\#(text)"}"#)
            #expect(fits["a"]?.string?.utf8.count == 65_536 && fits["a"]?.secret?.count == 65_536)
            let long = try value(#"{"a":"\#(text)x","b":"c"}"#)
            #expect(long["a"]?.string == nil && long["a"]?.secret == nil)
            #expect(try long.text("b") == "c")
            for read in [
                { _ = try long.text("a") }, { _ = try long.mandatoryText("a") },
                { _ = try long.mandatorySecret("a") },
            ] {
                let error = #expect(throws: PaymentError.self) { try read() }
                #expect(error?.code == .malformed && error?.members == ["a"])
                #expect(error?.reason == "it has more than 65536 bytes")
            }
        }
        let number = try value(#"{"a":1\#(String(repeating: "0", count: 65_536))}"#)
        #expect(error { try number.text("a") } == "malformed a")
        #expect(error { try number.integer("a") } == "malformed a")
    }

    private static let members =
        #"{"text":"t","digits":"12","number":-7,"decimal":1.50,"yes":true,"no":false,"#
        + #""word":"true","other":"no","none":null,"array":[1,"2"],"object":{"a":{"b":"c"}}}"#
    private static let names = [
        "text", "digits", "number", "decimal", "yes", "no", "word", "other", "none", "array",
        "object",
    ]

    @Test("treats null as missing, and accepts numbers as strings and strings as numbers")
    func values() throws {
        let root = try value(Self.members)
        let names = Self.names
        #expect(
            names.map { root[$0]?.string }
                == ["t", "12", "-7", "1.50", nil, nil, "true", "no", nil, nil, nil])
        #expect(
            names.map { name in try? root.integer(name) }
                == [nil, 12, -7, nil, nil, nil, nil, nil, nil, nil, nil])
        #expect(
            names.map { name in try? root.boolean(name) }
                == [nil, nil, nil, nil, true, false, true, nil, nil, nil, nil])
        #expect(
            names.map { root[$0]?.secret?.revealText() }
                == ["t", "12", nil, nil, nil, nil, "true", "no", nil, nil, nil])
        #expect(names.filter { root[$0]?.isObject == true } == ["object"])
        #expect(names.filter { root[$0]?.isArray == true } == ["array"])
        #expect(names.filter { root[$0]?.isString == true } == ["text", "digits", "word", "other"])
        #expect(names.filter { root[$0] == nil } == ["none"])
        #expect(root["array"]?.elements.map(\.string) == ["1", "2"])
        #expect(root["object"]?.elements.isEmpty == true && root["text"]?.elements.isEmpty == true)
        #expect(root["object", "a", "b"]?.string == "c" && root["object", "x", "b"] == nil)
        #expect(root["text", "a"] == nil)
    }

    @Test("refuses a member of another type that decides about money")
    func otherTypes() throws {
        let root = try value(Self.members)
        func wrong(_ names: String) -> [String] {
            names.split(separator: " ").map { "malformed \($0)" }
        }
        let names = Self.names
        #expect(
            names.compactMap { name in error { try root.text(name) } }
                == wrong("yes no array object"))
        #expect(
            names.compactMap { name in error { try root.integer(name) } }
                == wrong("text decimal yes no word other array object"))
        #expect(
            names.compactMap { name in error { try root.boolean(name) } }
                == wrong("text digits number decimal other array object"))
        #expect(
            names.compactMap { name in error { try root.object(name) } }
                == wrong("text digits number decimal yes no word other array"))
        #expect(
            names.compactMap { name in error { try root.objects(name) } }
                == wrong("text digits number decimal yes no word other array object"))
        #expect(
            names.compactMap { name in error { try root.mandatoryText(name) } }
                == wrong("yes no") + ["missing-member none"] + wrong("array object"))
        #expect(
            names.compactMap { name in error { try root.mandatorySecret(name) } }
                == wrong("number decimal yes no") + ["missing-member none"]
                + wrong("array object"))
        #expect(try root.text("none") == nil && root.integer("none") == nil)
        #expect(try root.boolean("none") == nil && root.object("none") == nil)
        #expect(try root.objects("none").isEmpty)
        #expect(try root.text("object", "a", "b") == "c" && root.text("object", "x", "b") == nil)
        // A value on the way that is not an object.
        #expect(error { try root.text("object", "a", "b", "c") } == "malformed object.a.b")
        #expect(error { try root.integer("text", "a") } == "malformed text")
        #expect(error { try root.mandatoryText("b", "c") } == "missing-member b.c")
        let lists = try value(#"{"good":[{"a":1},{}],"mixed":[{},1],"empty":[]}"#)
        #expect(try lists.objects("good").map { try $0.integer("a") } == [1, nil])
        #expect(try lists.objects("empty").isEmpty)
        #expect(error { try lists.objects("mixed") } == "malformed mixed")
        #expect(try root.mandatorySecret("text").revealText() == "t")
        #expect(try root.mandatoryText("number") == "-7")
    }

    @Test("reads integers of 64 bits")
    func integers() throws {
        let root = try value(
            #"{"max":9223372036854775807,"min":"-9223372036854775808","more":9223372036854775808,"#
                + #""exponent":1e3,"space":" 1","plus":"+1","zero":"00"}"#)
        #expect(try root.integer("max") == .max && root.integer("min") == .min)
        #expect(try root.integer("zero") == 0)
        for name in ["more", "exponent", "space"] {
            #expect(error { try root.integer(name) } == "malformed \(name)")
        }
    }

    @Test("finds the objects of an answer that is an array or contains one")
    func lists() throws {
        func count(_ body: String) throws -> Int {
            try GatewayResponse(body).objects("list").count
        }
        #expect(try count(#"[{},{}]"#) == 2 && count(#"{"list":[{}]}"#) == 1)
        #expect(try count("[]") == 0 && count(#"{"list":[]}"#) == 0)
        #expect(error { try count("{}") } == "missing-member list")
        #expect(error { try count(#"{"list":null}"#) } == "missing-member list")
        #expect(error { try count(#"{"list":{}}"#) } == "malformed list")
        #expect(error { try count("[1]") } == "malformed ")
        #expect(error { try count("x") } == "not-json ")
    }

    @Test("finds headers in any capitalization, and trims those of messages")
    func headers() throws {
        let headers = [("X-A", "1"), ("x-a", "2"), ("X-B", "  3 4  "), ("X-C", " ")]
        let response = GatewayResponse(status: 200, headers: headers, body: [])
        #expect(response.header("x-A") == "1" && response.header("X-D") == nil)
        #expect("\(response)" == "GatewayResponse(200, 0 bytes)")
        #expect(Mirror(reflecting: response).children.isEmpty)
        let message = GatewayMessage(method: "POST", target: "/", headers: headers, body: [])
        #expect(try message.header("x-b") == "3 4" && message.header("X-C") == "")
        for (name, code) in [("x-a", .malformed), ("X-D", .missingMember)]
            as [(String, PaymentError.Code)]
        {
            let error = #expect(throws: PaymentError.self) { try message.header(ExactText(name)) }
            #expect(error?.code == code && error?.members == [name])
        }
    }

    @Test("refuses headers that are too long")
    func longHeaders() throws {
        let headers = [16_384, 16_385, 65_536, 65_537].map {
            ("X-\($0)", String(repeating: "a", count: $0))
        }
        let message = GatewayMessage(method: "POST", target: "/", headers: headers, body: [])
        #expect(try message.header("X-16384").utf8.count == 16_384)
        let error = #expect(throws: PaymentError.self) { try message.header("X-16385") }
        #expect(error?.code == .malformed && error?.members == ["X-16385"])
        #expect(error?.reason == "it has more than 16384 bytes")
        let response = GatewayResponse(status: 200, headers: headers, body: [])
        #expect(response.header("X-65536") != nil && response.header("X-65537") == nil)
    }

    @Test("refuses to decode signatures that are too long")
    func signatures() {
        for (count, expected) in [(0, nil), (4, 3), (1024, 768), (1028, nil), (5, nil)]
            as [(Int, Int?)]
        {
            let bytes = MessageCode.bytes(base64: ExactText(String(repeating: "A", count: count)))
            #expect(bytes?.count == expected, "\(count)")
        }
        #expect(MessageCode.bytes(base64: "AQID") == [1, 2, 3])
        #expect(MessageCode.bytes(base64: "AQ!D") == nil)
        let bytes = (0..<32).map { UInt8($0 * 8 + 1) }
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        #expect(MessageCode.bytes(hexadecimal: ExactText(digits)) == bytes)
        #expect(MessageCode.bytes(hexadecimal: ExactText(digits.uppercased())) == bytes)
        for text in [
            "", digits + "0", digits + "g", String(digits.dropLast()), digits.dropLast() + "g",
        ] {
            #expect(MessageCode.bytes(hexadecimal: ExactText(text)) == nil)
        }
    }

    @Test("signs headers with the same name in their order")
    func signedHeaders() {
        let text = Worldline.textToSign(
            method: "GET", contentType: nil, date: "d",
            headers: [("x-gcs-b", "3"), ("X-GCS-A", "1"), ("x-gcs-a", "2"), ("Date", "d")],
            target: "/t")
        #expect(text == "GET\n\nd\nx-gcs-a:1\nx-gcs-a:2\nx-gcs-b:3\n/t\n")
    }

    @Test("sorts and encodes a query as a browser does, and has a limit")
    func queries() throws {
        let query = try URLQuery(ofTarget: "/p?b=2&a=%2B+~*&c&a=1&%zz=1&d=%ff#x=1")
        #expect(query.parameters.map(\.name) == ["b", "a", "c", "a"])
        #expect(query.sorted == "a=%2B+%7E*&a=1&b=2&c=")
        #expect(try query.value("b") == "2")
        for (name, code) in [
            ("a", .malformed), ("c", .missingMember), ("x", .missingMember),
        ] as [(String, PaymentError.Code)] {
            let error = #expect(throws: PaymentError.self) { try query.value(ExactText(name)) }
            #expect(error?.code == code && error?.members == [name])
        }
        // Names are compared by their UTF-16 code units: U+FF5E follows U+1F600.
        let other = try URLQuery(ofTarget: "/?%EF%BD%9E=1&%F0%9F%98%80=2&ab=3&a=4")
        #expect(other.parameters.map(\.value) == ["1", "2", "3", "4"])
        #expect(other.sorted == "a=4&ab=3&%F0%9F%98%80=2&%EF%BD%9E=1")
        func accepts(_ target: String) -> Bool { (try? URLQuery(ofTarget: target)) != nil }
        let most = "/?" + Array(repeating: "a=1", count: 64).joined(separator: "&")
        #expect(accepts(most) && !accepts(most + "&a=1"))
        let longest = "/?a=" + String(repeating: "x", count: 8192 - 4)
        #expect(accepts(longest) && !accepts(longest + "x"))
    }
}
