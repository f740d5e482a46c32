import Testing

@testable import ApplePayWire

@Suite("A JSON index")
struct JSONIndexTests {
    @Test(
        "accepts what RFC 8259 allows",
        arguments: [
            "null", "true", "false", "0", "-0", "1", "\"\"", "[]", "{}", " \t\r\n[ ] \t\r\n",
            "{ \"a\" : [ 1 , { } , \"\" ] , \"b\" : null }", "-0.0", "1.5e+300", "1E-9", "1e400",
            "0.000", "[0,0.5,0e1]", "\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\"",
            "\"\u{10000}\u{10FFFF}\"", "\"\u{FEFF}\"", "\"\\ud7ff\\ue000\\uffff\\u0000\"",
            "{\"a\":{\"a\":{\"a\":1}},\"A\":1}", "{\"e\u{301}\":1,\"\u{E9}\":2}",
            String(repeating: "[", count: 16) + String(repeating: "]", count: 16),
            String(repeating: "[],", count: 16).dropLast().description.wrapped,
            String(repeating: "7", count: 100_000),
            "\"\(String(repeating: "a", count: 262_142))\"",
        ]
    )
    func accepted(_ text: String) {
        #expect(throws: Never.self) { try JSONIndex(Array(text.utf8).span) }
    }

    @Test("has the position of every value")
    func positions() throws {
        let text = Array(" {\"a\": [1, -2.5, []], \"b\\n\": {\"c\": true}, \"d\": null} ".utf8)
        let index = try JSONIndex(text.span)
        func source(_ value: JSONValue) -> String {
            String(decoding: text[value.range], as: UTF8.self)
        }
        #expect(index.root.kind == .object)
        #expect(index.root.range == 1..<text.count - 1)
        let members = Array(index.members(of: index.root))
        #expect(members.map { source($0.name) } == ["\"a\"", "\"b\\n\"", "\"d\""])
        #expect(members.map { source($0.value) } == ["[1, -2.5, []]", "{\"c\": true}", "null"])
        #expect(members.map(\.name.hasEscapes) == [false, true, false])
        #expect(members.map(\.value.kind) == [.array, .object, .null])
        let name = members[1].name
        #expect(String(decoding: text[name.contentRange], as: UTF8.self) == "b\\n")
        let elements = Array(index.elements(of: members[0].value))
        #expect(elements.map(source) == ["1", "-2.5", "[]"])
        #expect(elements.map(\.kind) == [.number, .number, .array])
        #expect(elements[1].contentRange == elements[1].range)
    }

    @Test("returns no members of an array and no elements of an object")
    func mismatchedKinds() throws {
        let text = Array("[{\"a\":1},\"a\",[2,3,4]]".utf8)
        let index = try JSONIndex(text.span)
        let elements = Array(index.elements(of: index.root))
        #expect(Array(index.members(of: index.root)).isEmpty)
        #expect(Array(index.elements(of: elements[0])).isEmpty)
        #expect(Array(index.members(of: elements[1])).isEmpty)
        #expect(Array(index.elements(of: elements[1])).isEmpty)
        #expect(index.member("a", of: elements[2], in: text.span) == nil)
        #expect(Array(index.members(of: elements[0])).count == 1)
        #expect(Array(index.elements(of: elements[2])).count == 3)
    }

    @Test(
        "finds a member by its unescaped name",
        arguments: [
            ("plain", Int64(1)), ("with/slash", 2), ("é", 3), ("", 4), ("a\0", 5), ("\u{1F600}", 6),
            ("missing", nil), ("plai", nil), ("plainer", nil), ("a", nil),
            ("a\0b", nil), ("b\0", nil), ("with/slashes", nil), ("with\\/slash", nil),
        ]
    )
    func member(name: String, expected: Int64?) throws {
        let json =
            "{\"plain\":1,\"with\\/slash\":2,\"\\u00e9\":3,\"\":4,\"a\\u0000\":5,\"\\uD83D\\uDE00\":6}"
        let text = Array(json.utf8)
        let index = try JSONIndex(text.span)
        let value = index.member(name, of: index.root, in: text.span)
        #expect(value.flatMap { index.integer($0, in: text.span) } == expected)
    }

    @Test("compares only strings with a name")
    func equality() throws {
        let text = Array("[\"EC_v1\",\"EC\\u005fv1\",\"EC_v\",\"EC_v11\",true,1]".utf8)
        let index = try JSONIndex(text.span)
        let elements = Array(index.elements(of: index.root))
        let equal = elements.map { index.equals($0, "EC_v1", in: text.span) }
        let equalsTrue = index.equals(elements[4], "true", in: text.span)
        #expect(equal == [true, true, false, false, false, false])
        #expect(!equalsTrue)
    }

    @Test("reads an object of 40,000 names in seconds")
    func manyNames() throws {
        let members = (0..<40_000).map { "\"\($0)\":1" }.joined(separator: ",")
        let distinct = Array("{\(members)}".utf8)
        let repeated = Array("{\(members),\"\\u0037\":1,\"7\":1}".utf8)
        let limits = JSONIndex.Limits(textLength: 1 << 20)
        let duration = try ContinuousClock().measure {
            let index = try JSONIndex(distinct.span, limits: limits)
            #expect(Array(index.members(of: index.root)).count == 40_000)
        }
        // Comparing every pair of names would take minutes in a debug build.
        #expect(duration < .seconds(20))
        #expect(throws: JSONError(.duplicateKey, at: distinct.count)) {
            try JSONIndex(repeated.span, limits: limits)
        }
    }

    @Test("reports the repeated name that comes first in the text", arguments: [5, 40])
    func firstRepeated(count: Int) {
        let names = (0..<count).map { "\"n\($0)\":{}" }.joined(separator: ",")
        for (first, second) in [("n4", "n1"), ("n1", "n4")] {
            let text = Array("{\(names),\"\(first)\":0,\"\(second)\":0}".utf8)
            #expect(throws: JSONError(.duplicateKey, at: names.utf8.count + 2)) {
                try JSONIndex(text.span)
            }
        }
    }

    @Test(
        "finds repeated names below and above the number that is compared in pairs",
        arguments: 1...40)
    func thresholds(count: Int) throws {
        let names = (0..<count).map { "\"n\($0)\":{}" }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONIndex(Array("{\(names)}".utf8).span) }
        let text = Array("{\(names),\"\\u006e0\":{},\"n0\":0}".utf8)
        #expect(throws: JSONError(.duplicateKey, at: names.utf8.count + 2)) {
            try JSONIndex(text.span)
        }
    }

    @Test(
        "reads only whole numbers, exactly",
        arguments: [
            ("0", Int64(0)), ("-0", 0), ("100", 100), ("100.0", 100), ("100.00", 100),
            ("-7.000", -7),
            ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("-9223372036854775808", .min), ("-9223372036854775809", nil),
            ("9223372036854775807.0", .max), ("92233720368547758070", nil),
            ("100.01", nil), ("0.5", nil), ("1e2", nil), ("1E0", nil), ("1.0e0", nil),
            (String(repeating: "9", count: 1000), nil), ("\"1\"", nil), ("true", nil), ("[1]", nil),
            ("{\"1\":1}", nil), ("null", nil), ("\"-1\"", nil),
        ]
    )
    func integers(text: String, expected: Int64?) throws {
        let text = Array(text.utf8)
        let index = try JSONIndex(text.span)
        #expect(index.integer(index.root, in: text.span) == expected)
    }
}

extension String {
    fileprivate var wrapped: String { "[\(self)]" }
}
