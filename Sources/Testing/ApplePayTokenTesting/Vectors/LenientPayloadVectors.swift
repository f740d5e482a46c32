/// Oddities in a payload that Apple signed and encrypted, which do not affect the payment.
extension VectorBook {
    /// Adds optional members that are missing in one of three ways.
    func addAbsentMembers() throws {
        for name in [
            "cardholderName", "merchantTokenIdentifier", "merchantTokenMetadata",
            "authenticationResponses", "deviceManufacturerIdentifier",
        ] {
            try accept("payload/null-\(name)", "\(name) is null") {
                $0.payload[name] = .raw("null")
            }
        }
        for name in ["eciIndicator", "emvData", "encryptedPINData"] {
            try accept("payload/null-\(name)", "\(name) of a 3-D Secure payment is null") {
                $0.payload.members["paymentData", name] = .raw("null")
            }
        }
        for name in ["encryptedPINData", "eciIndicator"] {
            try accept("payload/null-\(name)-emv", "\(name) of an EMV payment is null") {
                $0.payload.useEMV([0x82, 0x02, 0x19, 0x80])
                $0.payload.members["paymentData", name] = .raw("null")
            }
        }
        try accept("payload/eci-empty", "an empty eciIndicator") { $0.payload.eciIndicator = "" }
        try accept("payload/device-missing", "no deviceManufacturerIdentifier") {
            $0.payload["deviceManufacturerIdentifier"] = nil
        }
        try accept("payload/device-empty", "an empty deviceManufacturerIdentifier") {
            $0.payload["deviceManufacturerIdentifier"] = ""
        }
    }

    /// Adds members of a merchant token's metadata that are null or not of the documented type.
    func addOddMetadata() throws {
        let card: JSONObject = [
            "cardCountry": "US", "expirationDate": "20301231", "fpanSuffix": "4321",
            "shortDescription": "Mint Card", "longDescription": "Mint Bank Mint Card",
        ]
        let art: JSONObject = [
            "name": "cardArt", "type": "image/png", "url": "https://art.mint.example/card.png",
        ]
        func accept(
            _ name: String,
            _ comment: String,
            card: JSONValue,
            art: JSONValue
        ) throws {
            try self.accept("payload/metadata-\(name)", "metadata: \(comment)") {
                $0.payload["merchantTokenIdentifier"] = "MINTED000000000000000005"
                $0.payload["merchantTokenMetadata"] = .object([
                    "cardMetadata": card, "cardArt": art,
                ])
            }
        }
        let arts = JSONValue.array([.object(art)])
        try accept("null", "both members are null", card: .raw("null"), art: .raw("null"))
        try accept("card-array", "cardMetadata is an array", card: .array([]), art: arts)
        try accept("art-object", "cardArt is an object", card: .object(card), art: .object(art))
        for member in card.members {
            for (kind, value) in [("null", JSONValue.raw("null")), ("number", .raw("1234"))] {
                var card = card
                card[member.name] = value
                try accept(
                    "\(member.name)-\(kind)", "\(member.name) is \(kind)", card: .object(card),
                    art: arts)
            }
        }
        try accept(
            "art-elements", "elements of cardArt that are no objects", card: .object(card),
            art: .array(["art", .raw("null"), .object(art)]))
        var odd = art
        odd["name"] = .raw("null")
        odd["url"] = .array([])
        try accept(
            "art-members", "members of cardArt's element that are no strings", card: .object(card),
            art: .array([.object(odd)]))
    }
}
