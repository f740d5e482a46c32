import ApplePayDecryption
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayWire
import Testing

@testable import ApplePayGateways
@testable import ApplePayPrograms
@testable import paytoken

@Suite("Payment data and bodies in answers")
struct PayloadWriterTests {
    private static let metadata =
        #""merchantTokenMetadata":{"cardMetadata":{"cardCountry":"US","expirationDate":"d","#
        + #""fpanSuffix":"s","longDescription":"l","shortDescription":"h"},"#
        + #""cardArt":[{"name":"n","type":"t","url":"u"}]}"#

    private func masked(_ more: String) throws -> String {
        let text =
            #"{"applicationPrimaryAccountNumber":"4761120010000492","applicationExpirationDate":"251231","#
            + #""currencyCode":"978","transactionAmount":3000,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","#
            + #""paymentData":{"onlinePaymentCryptogram":"AAECAw==","eciIndicator":"7"},\#(more)}"#
        let bytes = Array(text.utf8)
        let data = try PaymentData(SensitiveBytes(SecretBytes(copying: bytes.span)))
        var json = JSONWriter()
        var buffer = SecretBuffer()
        PayloadWriter(data: data, isRevealed: false).write(to: &json, into: &buffer)
        let written = buffer.sensitiveBytes().revealText()
        let start =
            #"{"applicationPrimaryAccountNumber":"4761••••••••0492","applicationExpirationDate":"251231","#
            + #""currencyCode":"978","transactionAmount":3000,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","#
            + #""paymentData":{"onlinePaymentCryptogram":"(8 characters, masked)","eciIndicator":"7"},"#
        #expect(written.hasPrefix(start))
        return String(written.dropFirst(start.count).dropLast())
    }

    @Test("show the card's metadata, amounts of merchants and no other member")
    func shown() throws {
        #expect(try masked(Self.metadata) == Self.metadata)
        #expect(
            try masked(
                #""authenticationResponses":[{"merchantIdentifier":"a","authenticationData":"AAAA","transactionAmount":"9"}]"#
            )
                == #""authenticationResponses":[{"merchantIdentifier":"a","authenticationData":"(4 characters, masked)","#
                + #""transactionAmount":"9"}]"#)
        for (members, expected) in [
            (#""cardholderName":"J/D""#, #""cardholderName":"(3 characters, masked)""#),
            (#""x":1234"#, #""x":"(4 bytes, masked)""#), (#""x":1"#, #""x":"(1 byte, masked)""#),
            (#""x":"a""#, #""x":"(1 character, masked)""#), (#""x":null"#, #""x":null"#),
            (#""x":{"name":"n"}"#, #""x":"(12 bytes, masked)""#),
            (#""x":["a"]"#, #""x":"(5 bytes, masked)""#),
            (#""name":"no""#, #""name":"(2 characters, masked)""#),
        ] {
            #expect(try masked(members) == expected)
        }
    }

    @Test("mask an object, an array or a truth value in the place of a shown text")
    func otherTypes() throws {
        for (value, mask) in [
            (#"{"name":"n"}"#, 12), (#"["a"]"#, 5), ("true", 4), ("{}", 2),
        ] {
            for name in ["shortDescription", "name"] {
                let old = name == "name" ? #""n""# : #""h""#
                let members = Self.metadata.replacing(
                    #""\#(name)":\#(old)"#, with: #""\#(name)":\#(value)"#)
                let expected = Self.metadata.replacing(
                    #""\#(name)":\#(old)"#, with: #""\#(name)":"(\#(mask) bytes, masked)""#)
                #expect(try masked(members) == expected)
            }
        }
    }

    @Test("mask an object in the place of an array, and an array in the place of an object")
    func otherContainers() throws {
        for (name, value, mask) in [
            ("cardArt", #"{"[]":{"name":"n"}}"#, 19),
            ("cardMetadata", #"[{"cardCountry":"US"}]"#, 22),
        ] {
            let written = try masked(#""merchantTokenMetadata":{"\#(name)":\#(value)}"#)
            #expect(written == #""merchantTokenMetadata":{"\#(name)":"(\#(mask) bytes, masked)"}"#)
        }
    }
}
