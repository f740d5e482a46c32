import ApplePayWire
import Foundation
import Testing

@testable import ApplePayDecryption
@testable import ApplePayPrimitives

@Suite("Payment data")
struct PaymentDataTests {
    private static let authentication =
        #"{"onlinePaymentCryptogram":"AAECAw==","eciIndicator":"7"}"#

    /// A payload with some of its members otherwise, as JSON texts; nil leaves a member out.
    private static func payload(_ changes: [String: String?] = [:]) throws -> PaymentData {
        var members: [String: String] = [
            "applicationPrimaryAccountNumber": #""4761120010000492""#,
            "applicationExpirationDate": #""251231""#,
            "currencyCode": #""978""#,
            "transactionAmount": "3000",
            "deviceManufacturerIdentifier": #""040010030273""#,
            "paymentDataType": #""3DSecure""#,
            "paymentData": authentication,
        ]
        for (name, value) in changes { members[name] = value }
        let text = members.map { #""\#($0)":\#($1)"# }.joined(separator: ",")
        let bytes = Array("{\(text)}".utf8)
        return try PaymentData(SensitiveBytes(SecretBytes(copying: bytes.span)))
    }

    @Test("are read from the payload into typed members")
    func typed() throws {
        let data = try Self.payload(["cardholderName": #""DOE\/JANE""#])
        #expect(data.accountNumber.reveal() == "4761120010000492")
        #expect(data.accountNumber.masked == "4761••••••••0492")
        #expect(data.expiration.year == 2025)
        #expect(data.expiration.month == 12)
        #expect(data.expiration.description == "2025-12")
        #expect(data.currencyCode == "978")
        #expect(data.amount == 3000)
        #expect(data.cardholderName?.revealText() == "DOE/JANE")
        #expect(data.type == .threeDSecure)
        #expect(data.cryptogram?.reveal() == "AAECAw==")
        #expect(data.cryptogram?.byteCount == 4)
        let decoded = data.cryptogram?.decoded().withRevealedBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
        #expect(decoded == [0, 1, 2, 3])
        #expect(data.eciIndicator?.text == "7")
        #expect(data.eciIndicator?.twoDigits == "07")
        #expect(data.eciIndicator?.integer == 7)
        #expect(data.authenticationResponses.isEmpty)
    }

    @Test(
        "mask at least half of an account number's digits",
        arguments: [
            ("123456789012", "12••••••9012"), ("370212345678901", "370••••••••8901"),
            ("6258123456789012345", "62581••••••••••2345"),
        ]
    )
    func masks(_ number: String, _ mask: String) throws {
        let data = try Self.payload(["applicationPrimaryAccountNumber": "\"\(number)\""])
        #expect(data.accountNumber.masked == mask)
        #expect("\(data.accountNumber)" == mask)
    }

    @Test(
        "have exact whole amounts, also if they are written with a fraction of zeros",
        arguments: [
            ("0", 0), ("100.0", 100), ("100.00", 100), ("9223372036854775807", Int64.max),
        ]
    )
    func amounts(_ text: String, _ amount: Int64) throws {
        #expect(try Self.payload(["transactionAmount": text]).amount == amount)
    }

    @Test(
        "accept a currency code without its leading zeros",
        arguments: [("36", "036"), ("8", "008")] as [(String, ExactText)])
    func currencies(_ text: String, _ numeric: ExactText) throws {
        #expect(try Self.payload(["currencyCode": "\"\(text)\""]).currencyCode == numeric)
    }

    @Test(
        "of several merchants are accepted without a cryptogram if they have authentication responses"
    )
    func authenticationResponses() throws {
        let response =
            #"{"merchantIdentifier":"ab","authenticationData":"AAEC","transactionAmount":"250"}"#
        let data = try Self.payload([
            "paymentData": "{}", "authenticationResponses": "[\(response),\(response)]",
        ])
        #expect(data.cryptogram == nil)
        #expect(data.authenticationResponses.map(\.amount) == [250, 250])
        #expect(data.authenticationResponses.first?.authenticationData.reveal() == "AAEC")
        #expect(
            throws: PaymentTokenError(
                .payloadMemberMissing, member: "paymentData.onlinePaymentCryptogram")
        ) {
            try Self.payload(["paymentData": "{}", "authenticationResponses": "[]"])
        }
    }

    @Test(
        "are refused with the name of the first faulty member",
        arguments: [
            ("applicationPrimaryAccountNumber", nil, .payloadMemberMissing),
            ("applicationPrimaryAccountNumber", "4761120010000492", .payloadWrongType),
            ("applicationPrimaryAccountNumber", #""0761120010000492""#, .payloadInvalidValue),
            ("applicationPrimaryAccountNumber", #""47611200100""#, .payloadInvalidValue),
            ("applicationPrimaryAccountNumber", #""47611200100004921234""#, .payloadInvalidValue),
            ("applicationExpirationDate", #""251331""#, .payloadInvalidValue),
            ("applicationExpirationDate", #""25123""#, .payloadInvalidValue),
            ("currencyCode", "978", .payloadWrongType),
            ("currencyCode", #""""#, .payloadInvalidValue),
            ("currencyCode", #""0978""#, .payloadInvalidValue),
            ("currencyCode", #""EUR""#, .payloadInvalidValue),
            ("transactionAmount", #""3000""#, .payloadWrongType),
            ("transactionAmount", "1e2", .payloadInvalidValue),
            ("transactionAmount", "1.5", .payloadInvalidValue),
            ("transactionAmount", "-1", .payloadInvalidValue),
            ("transactionAmount", "-0", .payloadInvalidValue),
            ("transactionAmount", "9223372036854775808", .payloadInvalidValue),
            ("deviceManufacturerIdentifier", #""xy""#, .payloadInvalidValue),
            ("deviceManufacturerIdentifier", "7", .payloadWrongType),
            ("applicationPrimaryAccountNumber", "null", .payloadWrongType),
            ("applicationExpirationDate", "null", .payloadWrongType),
            ("currencyCode", "null", .payloadWrongType),
            ("transactionAmount", "null", .payloadWrongType),
            ("paymentDataType", "null", .payloadWrongType),
            ("paymentData", "null", .payloadWrongType),
            ("paymentDataType", #""3dsecure""#, .payloadInvalidValue),
            ("paymentData", "[]", .payloadWrongType),
            ("cardholderName", "7", .payloadWrongType),
            ("merchantTokenIdentifier", "7", .payloadWrongType),
            ("merchantTokenMetadata", "[]", .payloadWrongType),
            ("authenticationResponses", "{}", .payloadWrongType),
        ] as [(String, String?, PaymentTokenError.Code)]
    )
    func refusals(_ member: String, _ value: String?, _ code: PaymentTokenError.Code) {
        #expect(throws: PaymentTokenError(code, member: member)) {
            try Self.payload([member: value])
        }
    }

    @Test(
        "are refused with the path of a faulty member of an inner object",
        arguments: [
            (#"{"onlinePaymentCryptogram":"AAEC*w=="}"#, "onlinePaymentCryptogram"),
            (#"{"onlinePaymentCryptogram":""}"#, "onlinePaymentCryptogram"),
            (#"{"onlinePaymentCryptogram":"AAEC","eciIndicator":"007"}"#, "eciIndicator"),
            (#"{"onlinePaymentCryptogram":"AAEC","eciIndicator":" "}"#, "eciIndicator"),
            (#"{"onlinePaymentCryptogram":"AAEC","encryptedPINData":"abc"}"#, "encryptedPINData"),
        ]
    )
    func pathOfRefusal(_ authentication: String, _ member: String) {
        #expect(throws: PaymentTokenError(.payloadInvalidValue, member: "paymentData.\(member)")) {
            try Self.payload(["paymentData": authentication])
        }
    }

    @Test("of a merchant token describe the card that it represents")
    func merchantToken() throws {
        let metadata =
            #"{"cardMetadata":{"fpanSuffix":"1234","cardCountry":"US"},"#
            + #""cardArt":[{"name":"a","type":"image/png","url":"https://a.example"},{}]}"#
        let data = try Self.payload([
            "merchantTokenIdentifier": #""DNITHE""#, "merchantTokenMetadata": metadata,
        ])
        #expect(data.merchantTokenIdentifier?.revealText() == "DNITHE")
        #expect(data.merchantTokenMetadata?.cardNumberSuffix == "1234")
        #expect(data.merchantTokenMetadata?.cardCountry == "US")
        #expect(data.merchantTokenMetadata?.longDescription == nil)
        #expect(data.merchantTokenMetadata?.cardArt.map(\.type) == ["image/png", nil])
        #expect(try Self.payload().merchantTokenMetadata == nil)
        #expect(data.omittedMembers.isEmpty)
    }

    @Test(
        "omit and name the members of a merchant token's metadata that have another type",
        arguments: [
            (#"{"cardMetadata":[]}"#, ["cardMetadata"]), (#"{"cardArt":{}}"#, ["cardArt"]),
            (#"{"cardMetadata":{"fpanSuffix":1234}}"#, ["cardMetadata.fpanSuffix"]),
            (#"{"cardArt":[7,null,{}]}"#, ["cardArt[0]", "cardArt[1]"]),
            (
                #"{"cardArt":[{"url":[]}],"cardMetadata":{"longDescription":{},"cardCountry":1}}"#,
                ["cardMetadata.cardCountry", "cardMetadata.longDescription", "cardArt[0].url"]
            ),
            (#"{"cardArt":null,"cardMetadata":null}"#, []),
            (#"{"cardMetadata":{"longDescription":null}}"#, []),
        ]
    )
    func omittedMembers(_ metadata: String, _ paths: [String]) throws {
        let data = try Self.payload(["merchantTokenMetadata": metadata])
        #expect(data.omittedMembers == paths.map { "merchantTokenMetadata.\($0)" })
        let read = try #require(data.merchantTokenMetadata)
        #expect(read.cardNumberSuffix == nil && read.cardCountry == nil)
        #expect(read.longDescription == nil)
        #expect(read.cardArt.allSatisfy { $0.url == nil })
    }

    @Test("keep the other members of an object from which one was omitted")
    func besideOmitted() throws {
        let metadata =
            #"{"cardMetadata":{"fpanSuffix":1234,"cardCountry":"US"},"#
            + #""cardArt":[7,{"name":"a","url":1},{}]}"#
        let data = try Self.payload(["merchantTokenMetadata": metadata])
        #expect(data.merchantTokenMetadata?.cardCountry == "US")
        #expect(data.merchantTokenMetadata?.cardArt.map(\.name) == ["a", nil])
        #expect(data.omittedMembers.count == 3)
    }

    @Test("treat an optional member that is null as missing")
    func nulls() throws {
        let names = [
            "cardholderName", "deviceManufacturerIdentifier", "authenticationResponses",
            "merchantTokenIdentifier", "merchantTokenMetadata",
        ]
        let data = try Self.payload(
            Dictionary(uniqueKeysWithValues: names.map { ($0, "null") }).merging([
                "paymentData": #"{"onlinePaymentCryptogram":"AAEC","eciIndicator":null,"#
                    + #""emvData":null,"encryptedPINData":null}"#
            ]) { $1 })
        #expect(data.cardholderName == nil && data.deviceManufacturerIdentifier == nil)
        #expect(data.authenticationResponses.isEmpty && data.merchantTokenMetadata == nil)
        #expect(data.merchantTokenIdentifier == nil && data.eciIndicator == nil)
        #expect(data.emvData == nil && data.encryptedPINData == nil)
        #expect(data.omittedMembers.isEmpty)
    }

    @Test("are accepted without a device manufacturer and an ECI, and with empty ones")
    func emptyMembers() throws {
        #expect(try Self.payload().deviceManufacturerIdentifier == "040010030273")
        for value in [nil, #""""#] {
            let data = try Self.payload(["deviceManufacturerIdentifier": value])
            #expect(data.deviceManufacturerIdentifier == nil)
        }
        let data = try Self.payload([
            "paymentData": #"{"onlinePaymentCryptogram":"AAEC","eciIndicator":""}"#
        ])
        #expect(data.eciIndicator == nil)
    }

    @Test("are refused with a cryptogram that is null, even where it may be missing")
    func nullCryptogram() {
        let response =
            #"{"merchantIdentifier":"ab","authenticationData":"AAEC","transactionAmount":"250"}"#
        for responses in ["[]", "[\(response)]"] {
            #expect(
                throws: PaymentTokenError(
                    .payloadWrongType, member: "paymentData.onlinePaymentCryptogram")
            ) {
                try Self.payload([
                    "paymentData": #"{"onlinePaymentCryptogram":null}"#,
                    "authenticationResponses": responses,
                ])
            }
        }
        #expect(throws: PaymentTokenError(.payloadMemberMissing, member: "paymentData.emvData")) {
            try Self.payload(["paymentDataType": #""EMV""#, "paymentData": #"{"emvData":null}"#])
        }
    }

    private static func responses(_ amount: String) -> [String: String?] {
        [
            "authenticationResponses":
                #"[{"merchantIdentifier":"ab","authenticationData":"AAEC","transactionAmount":\#(amount)}]"#
        ]
    }

    @Test(
        "read the amounts of several merchants from strings of digits and from numbers",
        arguments: [
            (#""250""#, 250), (#""0250""#, 250), ("250", 250), ("250.00", 250), ("0", 0),
            ("9223372036854775807", Int64.max), (#""9223372036854775807""#, Int64.max),
            (#""\u0032""#, 2),
        ]
    )
    func merchantAmounts(_ text: String, _ amount: Int64) throws {
        let data = try Self.payload(Self.responses(text))
        #expect(data.authenticationResponses.map(\.amount) == [amount])
    }

    @Test(
        "are refused if an amount of several merchants is not a whole number of minor units",
        arguments: [
            ("null", .payloadWrongType), ("true", .payloadWrongType), ("2.5", .payloadInvalidValue),
            ("25e1", .payloadInvalidValue), ("-250", .payloadInvalidValue),
            ("-0", .payloadInvalidValue),
            ("9223372036854775808", .payloadInvalidValue), (#""250.0""#, .payloadInvalidValue),
            (#""""#, .payloadInvalidValue), (#""-1""#, .payloadInvalidValue),
            (#""+250""#, .payloadInvalidValue),
            (#""9223372036854775808""#, .payloadInvalidValue),
        ] as [(String, PaymentTokenError.Code)]
    )
    func merchantAmountRefusals(_ text: String, _ code: PaymentTokenError.Code) {
        #expect(
            throws: PaymentTokenError(code, member: "authenticationResponses[0].transactionAmount")
        ) {
            try Self.payload(Self.responses(text))
        }
    }

    @Test("of EMV are refused without emvData")
    func emv() throws {
        let data = try Self.payload([
            "paymentDataType": #""EMV""#, "paymentData": #"{"emvData":"nyYI"}"#,
        ])
        #expect(data.emvData?.byteCount == 3)
        #expect(throws: PaymentTokenError(.payloadMemberMissing, member: "paymentData.emvData")) {
            try Self.payload(["paymentDataType": #""EMV""#])
        }
    }
}
