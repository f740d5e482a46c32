import ApplePayMerchantKeys
import ApplePayPrimitives
import Foundation
import Testing

@testable import ApplePayKeyAgreement

@Suite("The content key")
struct ContentKeyTests {
    @Test("is derived from the shared secret as in the published example")
    func knownAnswer() throws {
        // Z, merchant and key of a token that its owner published with its private key.
        let secret = try #require(
            Data(base64Encoded: "yCUzDuNYTnUnANZEdxC7+DvPmqNslB2YWYn68SBsJHU="))
        let hash = try MerchantIdentifierHash.of(
            merchantIdentifier: "merchant.test.spreedly.123merchant")
        let hexadecimal = hash.bytes.map { String(format: "%02x", $0) }.joined()
        #expect(
            hexadecimal == "358da5890b9555c0a9efb84b5cd6ff04bfdcd5aabf5dc14b9872d8df51eaf439")
        let bytes = Array(secret)
        let key = try ContentKey(derivedFrom: bytes.span, merchantIdentifierHash: hash)
        switch key {
        case .inMemory(let key):
            #expect(
                Data(key.array()).base64EncodedString()
                    == "3GTXJ4RuP/IhS23hsdOw2J2ecAZmC0RasbPIFdC3nQM=")
        case .inDevice: Issue.record("the key is in no device")
        }
    }
}
