extension VectorBook {
    /// Adds data that decrypts but is not payment data.
    func addPaymentData() throws {
        try addPlaintexts()
        try addMemberFaults()
        try addNumbers()
        try addAmounts()
        try addInnerData()
        try addOptionalMembers()
    }

    private func addPlaintexts() throws {
        let texts: [(String, String, @Sendable (String) -> String)] = [
            ("empty", "nothing", { _ in "" }), ("word", "a word", { _ in "payment" }),
            ("null", "null", { _ in "null" }), ("array", "an array", { "[\($0)]" }),
            ("empty-object", "an object without members", { _ in "{}" }),
            ("inner", "the payment data one level too deep", { "{\"paymentData\":\($0)}" }),
            ("cut", "its last character cut off", { String($0.dropLast()) }),
            ("trailing", "text after the object", { $0 + "x" }),
            (
                "duplicate-equal", "the amount twice",
                {
                    "{\"transactionAmount\":1,\($0.dropFirst())"
                }
            ),
            (
                "duplicate-escaped", "the currency again, with an escape",
                {
                    "{\"currency\\u0043ode\":\"978\",\($0.dropFirst())"
                }
            ),
        ]
        for (name, comment, change) in texts {
            try reject("payment-data/text-\(name)", "plaintext: \(comment)", at: .paymentData) {
                let text = String(decoding: $0.payload.plaintext, as: UTF8.self)
                $0.payload.text = Array(change(text).utf8)
            }
        }
        try reject("payment-data/rsa-text-word", "a word", at: .paymentData, version: .rsa) {
            $0.payload.text = Array("payment".utf8)
        }
        try reject("payment-data/text-bad-utf8", "a name with the byte FF", at: .paymentData) {
            let rest = $0.payload.plaintext.dropFirst()
            $0.payload.text = Array("{\"cardholderName\":\"".utf8) + [0xFF, 0x22, 0x2C] + rest
        }
    }

    private func addMemberFaults() throws {
        let names = [
            "applicationPrimaryAccountNumber", "applicationExpirationDate", "currencyCode",
            "transactionAmount", "paymentDataType", "paymentData",
        ]
        for name in names {
            try reject("payment-data/\(name)-missing", "no \(name)", at: .paymentData) {
                $0.payload[name] = nil
            }
            for (kind, value) in [("null", JSONValue.raw("null")), ("array", .array([]))] {
                try reject("payment-data/\(name)-\(kind)", "\(name) is \(kind)", at: .paymentData) {
                    $0.payload[name] = value
                }
            }
        }
        for (name, value) in [
            ("array", JSONValue.array([])), ("number", .raw("40010030273")), ("odd", "04001003027"),
            ("letters", "SAMSUNG00001"),
        ] {
            try reject(
                "payment-data/deviceManufacturerIdentifier-\(name)",
                "deviceManufacturerIdentifier is \(name)", at: .paymentData
            ) {
                $0.payload["deviceManufacturerIdentifier"] = value
            }
        }
        for (name, type) in [("unknown", "5DSecure"), ("empty", ""), ("lower-case", "emv")] {
            try reject("payment-data/type-\(name)", "paymentDataType '\(type)'", at: .paymentData) {
                $0.payload["paymentDataType"] = .string(type)
            }
        }
    }

    private func addNumbers() throws {
        for (name, number) in [
            ("empty", ""), ("letter", "40000012345678AB"), ("blank", "4000 0012 3456 7890"),
            ("masked", "400000******7890"), ("sign", "+400000123456789"),
            ("nul", "4000001234567890\0"), ("full-width", "\u{FF14}00000123456789"),
            ("long", String(repeating: "4", count: 30)), ("short", "4000001"),
        ] {
            try reject("payment-data/account-number-\(name)", "no account number", at: .paymentData)
            {
                $0.payload.accountNumber = number
            }
        }
        try reject("payment-data/account-number-number", "a JSON number", at: .paymentData) {
            $0.payload["applicationPrimaryAccountNumber"] = .raw("4000001234567890")
        }
        for (name, date) in [
            ("month-00", "300031"), ("month-13", "301331"), ("month-99", "309931"),
            ("four-digits", "3012"), ("eight-digits", "20301231"), ("letter", "30I231"),
            ("empty", ""), ("dashes", "30-12-31"),
        ] {
            try reject("payment-data/expiration-\(name)", "no expiration date", at: .paymentData) {
                $0.payload.expirationDate = date
            }
        }
        try either("payment-data/expiration-day-00", "a day that is none", at: .paymentData) {
            $0.payload.expirationDate = "301200"
        }
        for (name, currency) in [
            ("letters", "USD"), ("long", "0840"), ("empty", ""), ("blank", " 84"), ("sign", "-84"),
        ] {
            try reject("payment-data/currency-\(name)", "no currency code", at: .paymentData) {
                $0.payload.currencyCode = currency
            }
        }
        try either("payment-data/currency-number", "a JSON number", at: .paymentData) {
            $0.payload["currencyCode"] = .raw("840")
        }
    }

    private func addAmounts() throws {
        for (name, amount) in [
            ("fraction", "1.5"), ("negative", "-1"), ("negative-exponent", "15e-1"),
            ("beyond-64-bits", "99999999999999999999"), ("huge-exponent", "1e400"),
            ("true", "true"), ("object", "{}"),
        ] {
            try reject("payment-data/amount-\(name)", "amount \(amount)", at: .paymentData) {
                $0.payload["transactionAmount"] = .raw(amount)
            }
        }
        for (name, amount) in [("exponent", "1e2"), ("string", "\"100\"")] {
            try reject(
                "payment-data/amount-\(name)", "amount \(amount)", at: .paymentData, severity: .form
            ) {
                $0.payload["transactionAmount"] = .raw(amount)
            }
        }
        for (name, amount) in [
            ("leading-zero", "0100"), ("plus", "+100"), ("hexadecimal", "0x64"), ("point", "100."),
            ("separator", "1,000"),
        ] {
            try reject("payment-data/amount-\(name)", "amount \(amount): no JSON", at: .paymentData)
            {
                $0.payload["transactionAmount"] = .raw(amount)
            }
        }
        for (name, amount) in [("point-zero", "100.0"), ("minus-zero", "-0")] {
            try either("payment-data/amount-\(name)", "amount \(amount)", at: .paymentData) {
                $0.payload["transactionAmount"] = .raw(amount)
            }
        }
    }

    private func addInnerData() throws {
        try reject("payment-data/no-cryptogram", "3DSecure without a cryptogram", at: .paymentData)
        {
            $0.payload.cryptogram = nil
        }
        for (name, value) in [
            ("empty", JSONValue.string("")), ("number", .raw("1")), ("no-base64", "!!!!"),
            ("cut", "AAAAA"), ("null", .raw("null")),
        ] {
            try reject("payment-data/cryptogram-\(name)", "no cryptogram", at: .paymentData) {
                $0.payload.members["paymentData", "onlinePaymentCryptogram"] = value
            }
        }
        try reject("payment-data/eci-number", "eciIndicator is a number", at: .paymentData) {
            $0.payload.members["paymentData", "eciIndicator"] = .raw("7")
        }
        for (name, eci) in [("letters", "A7"), ("below-digits", "/7")] {
            try reject("payment-data/eci-\(name)", "eciIndicator '\(eci)'", at: .paymentData) {
                $0.payload.eciIndicator = eci
            }
        }
        try reject("payment-data/no-emv-data", "EMV without emvData", at: .paymentData) {
            $0.payload["paymentDataType"] = "EMV"
        }
        for (name, value) in [
            ("empty", JSONValue.string("")), ("number", .raw("1")), ("no-base64", "!!!!"),
            ("null", .raw("null")),
        ] {
            try reject("payment-data/emv-data-\(name)", "no emvData", at: .paymentData) {
                $0.payload.useEMV([])
                $0.payload.members["paymentData", "emvData"] = value
            }
        }
        try reject("payment-data/emv-as-secure", "EMV data called 3DSecure", at: .paymentData) {
            $0.payload.useEMV([0x82, 0x02, 0x19, 0x80])
            $0.payload["paymentDataType"] = "3DSecure"
        }
    }

    private func addOptionalMembers() throws {
        for name in ["cardholderName", "merchantTokenIdentifier"] {
            try reject("payment-data/\(name)-number", "\(name) is a number", at: .paymentData) {
                $0.payload[name] = .raw("1")
            }
        }
        try reject("payment-data/metadata-string", "metadata is a string", at: .paymentData) {
            $0.payload["merchantTokenIdentifier"] = "MINTED000000000000000004"
            $0.payload["merchantTokenMetadata"] = "metadata"
        }
        try reject("payment-data/responses-object", "responses are an object", at: .paymentData) {
            $0.payload["authenticationResponses"] = .object([:])
        }
        try reject("payment-data/responses-string", "a response is a string", at: .paymentData) {
            $0.payload["authenticationResponses"] = .array(["response"])
        }
        try reject("payment-data/responses-empty-alone", "no cryptogram at all", at: .paymentData) {
            $0.payload.cryptogram = nil
            $0.payload["authenticationResponses"] = .array([])
        }
        try reject("payment-data/responses-null-alone", "no cryptogram at all", at: .paymentData) {
            $0.payload.cryptogram = nil
            $0.payload["authenticationResponses"] = .raw("null")
        }
        try addResponses()
    }

    /// Adds responses with one invalid member.
    private func addResponses() throws {
        func reject(_ name: String, _ member: String, _ value: JSONValue) throws {
            let response: JSONObject = [
                "merchantIdentifier": .string(Hexadecimal.text(try pki.bytes("first", 32))),
                "authenticationData": Payload.base64(try pki.bytes("data first", 20)),
                "transactionAmount": "250",
            ]
            try self.reject(
                "payment-data/response-\(name)", "\(member) of a response is \(value.text())",
                at: .paymentData
            ) {
                var response = response
                response[member] = value
                $0.payload["authenticationResponses"] = .array([.object(response)])
            }
        }
        for member in ["merchantIdentifier", "authenticationData", "transactionAmount"] {
            try reject("\(member)-null", member, .raw("null"))
        }
        for (name, amount) in [
            ("fraction", JSONValue.raw("2.5")), ("exponent", .raw("25e1")),
            ("negative", .raw("-250")), ("minus-zero", .raw("-0")),
            ("beyond-64-bits", .raw("9223372036854775808")),
            ("true", .raw("true")), ("string-point", "250.0"), ("string-empty", ""),
            ("string-sign", "+250"), ("string-beyond-64-bits", "9223372036854775808"),
        ] {
            try reject("amount-\(name)", "transactionAmount", amount)
        }
        try self.reject("payment-data/responses-null-inside", "a null response", at: .paymentData) {
            $0.payload["authenticationResponses"] = .array([.raw("null")])
        }
        try self.reject(
            "payment-data/cryptogram-null-with-responses", "the cryptogram is null, with responses",
            at: .paymentData
        ) {
            $0.payload.members["paymentData", "onlinePaymentCryptogram"] = .raw("null")
            $0.payload["authenticationResponses"] = .array([
                .object([
                    "merchantIdentifier": "a", "authenticationData": "AAAA",
                    "transactionAmount": "250",
                ])
            ])
        }
    }
}
