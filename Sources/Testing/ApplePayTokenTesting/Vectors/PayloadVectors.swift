extension VectorBook {
    /// Adds valid payment data of every kind.
    func addPayloads() throws {
        let emvData: [UInt8] = [
            0x9F, 0x26, 0x08, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x9F, 0x36, 0x02,
            0x00, 0x07, 0x9F, 0x27, 0x01, 0x80, 0x82, 0x02, 0x19, 0x80,
        ]
        for version in TokenVersion.allCases {
            let kind = version == .ec ? "ec" : "rsa"
            try accept("payload/\(kind)-emv", "EMV", version) { $0.payload.useEMV(emvData) }
            try accept("payload/\(kind)-emv-pin", "EMV with encryptedPINData", version) {
                $0.payload.useEMV(emvData, encryptedPINData: "0a1b2c3d4e5f6071")
            }
        }
        try addThreeDSecure()
        try addMerchantTokens()
        try addPayloadTexts()
        try addAbsentMembers()
        try addOddMetadata()
    }

    private func addThreeDSecure() throws {
        for count in [19, 20, 40] {
            try accept("payload/cryptogram-\(count)", "a cryptogram of \(count) bytes") {
                $0.payload.cryptogram = try pki.bytes("cryptogram", count)
            }
        }
        try accept("payload/no-eci", "no eciIndicator") { $0.payload.eciIndicator = nil }
        try accept("payload/eci-two-digits", "eciIndicator 05") {
            $0.payload.eciIndicator = "05"
        }
        for currency in ["36", "036", "8"] {
            try accept("payload/currency-\(currency)", "currencyCode \(currency)") {
                $0.payload.currencyCode = currency
            }
        }
        try accept("payload/amount-0", "transactionAmount 0") { $0.payload.amount = 0 }
        try accept("payload/amount-1", "transactionAmount 1") { $0.payload.amount = 1 }
        try accept("payload/amount-large", "an amount a binary64 cannot hold") {
            $0.payload.amount = 9_007_199_254_740_993
        }
        for (count, digits) in [
            (12, "400000123456"), (15, "400000123456789"), (19, "4000001234567890123"),
        ] {
            try accept("payload/account-number-\(count)", "an account number of \(count) digits") {
                $0.payload.accountNumber = digits
            }
        }
        try accept("payload/expiration-day", "an expiration date on the first of a month") {
            $0.payload.expirationDate = "300101"
        }
    }

    private func addMerchantTokens() throws {
        try accept("payload/merchant-token", "merchantTokenIdentifier and its metadata") {
            $0.payload["merchantTokenIdentifier"] = "MINTED000000000000000001"
            $0.payload["merchantTokenMetadata"] = .object([
                "cardMetadata": .object([
                    "cardCountry": "US", "expirationDate": "20301231", "fpanSuffix": "4321",
                    "shortDescription": "Mint Card", "longDescription": "Mint Bank Mint Card",
                ]),
                "cardArt": .array([
                    .object([
                        "name": "cardArt", "type": "image/png",
                        "url": "https://art.mint.example/card.png",
                    ])
                ]),
            ])
        }
        try accept("payload/merchant-token-alone", "merchantTokenIdentifier without metadata") {
            $0.payload["merchantTokenIdentifier"] = "MINTED000000000000000002"
        }
        let responses = JSONValue.array(
            try ["first", "second"].map { name in
                .object([
                    "merchantIdentifier": .string(Hexadecimal.text(try pki.bytes(name, 32))),
                    "authenticationData": Payload.base64(try pki.bytes("data \(name)", 20)),
                    "transactionAmount": "250",
                ])
            }
        )
        try accept("payload/responses", "authenticationResponses beside the cryptogram") {
            $0.payload.amount = 500
            $0.payload["authenticationResponses"] = responses
        }
        try accept("payload/responses-alone", "authenticationResponses and no cryptogram") {
            $0.payload.amount = 500
            $0.payload.cryptogram = nil
            $0.payload["authenticationResponses"] = responses
        }
        for (name, amount) in [("number", "250"), ("number-point-zero", "250.0")] {
            try accept(
                "payload/responses-amount-\(name)", "a merchant's amount is the number \(amount)"
            ) {
                $0.payload.amount = 500
                $0.payload["authenticationResponses"] = .array([
                    .object([
                        "merchantIdentifier": .string(
                            Hexadecimal.text(try pki.bytes("first", 32))),
                        "authenticationData": Payload.base64(try pki.bytes("data first", 20)),
                        "transactionAmount": .raw(amount),
                    ])
                ])
            }
        }
        try accept("payload/responses-empty", "no authenticationResponses in the array") {
            $0.payload["authenticationResponses"] = .array([])
        }
    }

    private func addPayloadTexts() throws {
        try accept("payload/cardholder", "a cardholder's name") {
            $0.payload["cardholderName"] = "DOE/JANE"
        }
        try accept("payload/cardholder-unicode", "a name beyond ASCII and the first plane") {
            $0.payload["cardholderName"] = "Zoë 𝒥 北"
        }
        try accept("payload/unknown-members", "members of a later edition") {
            $0.payload["futureMember"] = .object(["inner": .array([.raw("1500"), .raw("null")])])
        }
        try accept("payload/member-order", "members in reverse order") {
            $0.payload.members.members.reverse()
        }
        try accept("payload/escapes", "\\/ and \\u escapes, white space") {
            $0.payload["cardholderName"] = "DOE/😀"
            let text = JSONValue.object($0.payload.members).text(escapingSlashes: true)
                .replacing("😀", with: #"\ud83d\uDE00"#)
                .replacing("\"currencyCode\"", with: "\r\n \"currency\\u0043ode\"")
            $0.payload.text = Array(text.utf8)
        }
        try accept("payload/large", "20 KB of card art") {
            let art = JSONValue.object([
                "name": "cardArt", "type": "image/png",
                "url": .string("https://art.mint.example/" + String(repeating: "a", count: 100)),
            ])
            $0.payload["merchantTokenIdentifier"] = "MINTED000000000000000003"
            $0.payload["merchantTokenMetadata"] = .object([
                "cardMetadata": .object([:]),
                "cardArt": .array(Array(repeating: art, count: 110)),
            ])
        }
    }
}
