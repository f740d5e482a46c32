extension VectorBook {
    /// Adds texts that are not a JSON object, or that two parsers would read differently.
    func addJSON() throws {
        let texts: [(String, String, @Sendable (String) -> String)] = [
            ("empty", "no bytes at all", { _ in "" }),
            ("blank", "white space only", { _ in " \n" }),
            ("word", "a word", { _ in "token" }),
            ("cut-first", "the first character alone", { String($0.prefix(1)) }),
            ("cut-middle", "cut in the middle", { String($0.prefix($0.count / 2)) }),
            ("cut-last", "without its last character", { String($0.dropLast()) }),
            ("trailing-comma", "a comma after the last member", { "\($0.dropLast()),}" }),
            ("trailing-text", "text after the object", { $0 + "x" }),
            ("trailing-object", "a second object", { $0 + "{}" }),
            ("trailing-nul", "a NUL after the object", { $0 + "\0" }),
            ("line-comment", "a comment", { "// a token\n" + $0 }),
            ("single-quotes", "single quotes", { $0.replacing("\"", with: "'") }),
            ("bare-name", "a name without quotes", { "{x:1,\($0.dropFirst())" }),
            (
                "control-character", "a raw control character",
                { "{\"x\":\"\u{1}\",\($0.dropFirst())" }
            ),
            ("raw-line-feed", "a raw line feed in a string", { "{\"x\":\"\n\",\($0.dropFirst())" }),
            ("unknown-escape", "the escape \\x", { "{\"x\":\"\\x41\",\($0.dropFirst())" }),
            ("short-escape", "\\u with three digits", { "{\"x\":\"\\u004\",\($0.dropFirst())" }),
            ("leading-zero", "the number 01", { "{\"x\":01,\($0.dropFirst())" }),
            ("bare-point", "the number 1.", { "{\"x\":1.,\($0.dropFirst())" }),
            ("nan", "the word NaN", { "{\"x\":NaN,\($0.dropFirst())" }),
            ("upper-case-literal", "the literal True", { "{\"x\":True,\($0.dropFirst())" }),
            ("to-string", "a dump that is no JSON", { _ in "PaymentData(version=EC_v1)" }),
        ]
        for (name, comment, change) in texts {
            try reject("json/\(name)", comment, at: .json, severity: .form) {
                $0.editText { $0 = Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
            }
        }
        let others: [(String, String, @Sendable (String) -> String)] = [
            ("null", "the literal null", { _ in "null" }),
            ("number", "a number", { _ in "1" }),
            ("array", "an array around the token", { "[\($0)]" }),
        ]
        for (name, comment, change) in others {
            try reject("json/\(name)", comment, at: .field, severity: .form) {
                $0.editText { $0 = Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
            }
        }
        try addDuplicates()
        try addEncodings()
    }

    private func addDuplicates() throws {
        for name in ["version", "data", "signature", "header"] {
            try reject("json/duplicate-\(name)", "member \(name) twice", at: .json) {
                $0.editJSON { $0.append(name, $0[name] ?? .raw("null")) }
            }
        }
        for name in ["ephemeralPublicKey", "publicKeyHash", "transactionId"] {
            try reject("json/duplicate-\(name)", "header member \(name) twice", at: .json) {
                $0.editJSON {
                    guard case .object(var header) = $0["header"] else { return }
                    header.append(name, header[name] ?? .raw("null"))
                    $0["header"] = .object(header)
                }
            }
        }
        try reject("json/duplicate-differs", "member data twice, the second empty", at: .json) {
            $0.editJSON { $0.append("data", "") }
        }
        try reject("json/duplicate-escaped", "member data again, written d\\u0061ta", at: .json) {
            $0.editText { $0 = Array("{\"d\\u0061ta\":\"\",".utf8) + $0.dropFirst() }
        }
        try either("json/duplicate-unknown", "an unknown member twice", at: .json) {
            $0.editText { $0 = Array("{\"x\":1,\"x\":1,".utf8) + $0.dropFirst() }
        }
    }

    private func addEncodings() throws {
        try reject("json/bad-utf8", "the byte FF in a string", at: .json, severity: .form) {
            $0.editText { $0 = Array("{\"x\":\"".utf8) + [0xFF, 0x22, 0x2C] + $0.dropFirst() }
        }
        try reject("json/overlong-utf8", "a slash in two bytes", at: .json, severity: .form) {
            $0.editText {
                $0 = Array("{\"x\":\"".utf8) + [0xC0, 0xAF, 0x22, 0x2C] + $0.dropFirst()
            }
        }
        try either("json/byte-order-mark", "a byte order mark before the object", at: .json) {
            $0.editText { $0 = [0xEF, 0xBB, 0xBF] + $0 }
        }
        try either("json/lone-surrogate", "the escape of half a character", at: .json) {
            $0.editText { $0 = Array("{\"x\":\"\\ud800\",".utf8) + $0.dropFirst() }
        }
        try either("json/deep", "an unknown member of 1000 nested arrays", at: .json) {
            let nested = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
            $0.editText { $0 = Array("{\"x\":\(nested),".utf8) + $0.dropFirst() }
        }
        try reject("json/deep-unclosed", "30000 arrays that never end", at: .json) {
            $0.editText { $0 = [UInt8](repeating: 0x5B, count: 30_000) }
        }
    }
}
