import ApplePayCMS
import ApplePayPrimitives
import ApplePayTokenTesting

/// A test token with its parts, extracted beforehand for libcrypto's operations.
///
/// A class, so that iterating over the samples takes almost no time.
final class Sample: Sendable {
    let text: [UInt8]
    let cms: [UInt8]
    let message: [UInt8]
    let signedAttributes: [UInt8]
    let signedDigest: [UInt8]
    let signatureValue: [UInt8]
    let key: [UInt8]
    let point: [UInt8]
    let derivationInput: [UInt8]
    let data: [UInt8]
    let contentKey: [UInt8]
    let merchantHash: [UInt8]
    let isRSA: Bool
    let leaf: [UInt8]
    let intermediate: [UInt8]

    init(_ token: TestToken) throws {
        let signedData = try SignedData(parsing: token.signature)
        let signer = signedData.signer
        isRSA = token.recipient.version == .rsa
        text = token.json
        cms = token.signature
        message = token.message
        let attributes = [0x31] + signedData[signer.signedAttributes].dropFirst()
        signedAttributes = attributes
        signedDigest = try SHA256.hash(attributes.span).bytes
        signatureValue = Array(signedData[signer.signatureValue])
        key = token.keyField
        point = isRSA ? [] : Array(token.keyField[P256PublicKey.pointRange])
        derivationInput = [UInt8](repeating: 0, count: 87)
        data = token.data
        contentKey = token.contentKey
        merchantHash = token.recipient.identifierHash
        leaf = token.chain.leaf.der
        intermediate = token.chain.intermediate.der
    }
}
