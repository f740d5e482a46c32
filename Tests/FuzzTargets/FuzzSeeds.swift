import ApplePayCMS
import ApplePayToken
import Foundation
import TestVectors
import TokenMint

/// Inputs to begin with: the project's own vectors, and what was once found.
public enum FuzzSeeds {
    /// The seeds of a target.
    public static func of(_ target: FuzzTarget) throws -> [[UInt8]] {
        let found = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Tests/Fuzz/Findings/\(target.rawValue)")
        return try vectors(of: target) + files(in: found)
    }

    private static func vectors(of target: FuzzTarget) throws -> [[UInt8]] {
        let cases = try TestVectors.syntheticCases()
        switch target {
        case .envelope, .wrappers:
            return cases.filter { vector in
                let group = vector.id.prefix { $0 != "/" }
                return ["json", "field", "wrapper", "valid"].contains(group)
            }.map(\.token)
        case .cms:
            return cases.filter { $0.id.hasPrefix("cms/") || $0.id.hasPrefix("valid/") }
                .compactMap { (try? PaymentToken(parsing: $0.token))?.signature }
        case .certificates:
            let signatures = cases.filter { $0.id.hasPrefix("chain/") || $0.id == "valid/ec" }
                .compactMap { try? PaymentToken(parsing: $0.token) }
                .compactMap { try? SignedData(parsing: $0.signature) }
            return signatures.flatMap { signedData in
                signedData.certificates.map { Array(signedData[$0.der]) }
            }
        case .paymentData:
            let mint = TokenMint(seed: "fuzz")
            return [try mint.token().plaintext, try mint.token(.rsa).plaintext]
                + payloads.map { Array($0.utf8) }
        case .keyFiles:
            return try ["accepted", "refused"].flatMap {
                try files(in: TestVectors.keyFiles.appending(path: $0))
            }
        }
    }

    /// One of each other kind: EMV, several merchants, a merchant token.
    private static let payloads = [
        #"{"applicationPrimaryAccountNumber":"6200000000000005","applicationExpirationDate":"260101","#
            + #""currencyCode":"156","transactionAmount":0,"deviceManufacturerIdentifier":"062010030999","#
            + #""paymentDataType":"EMV","paymentData":{"emvData":"nyYIAQIDBAUGBwg=","encryptedPINData":"0A0B"}}"#,
        #"{"applicationPrimaryAccountNumber":"4000000000000002","applicationExpirationDate":"301231","#
            + #""currencyCode":"36","transactionAmount":1.0,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","paymentData":{},"authenticationResponses":[{"merchantIdentifier":"#
            + #""ab","authenticationData":"AAAA","transactionAmount":"250"}]}"#,
        #"{"applicationPrimaryAccountNumber":"4000000000000002","applicationExpirationDate":"301231","#
            + #""currencyCode":"978","transactionAmount":99,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","paymentData":{"onlinePaymentCryptogram":"AAAA","eciIndicator":"7"},"#
            + #""merchantTokenIdentifier":"DNITHE0","merchantTokenMetadata":{"cardMetadata":{"fpanSuffix":"0002"},"#
            + #""cardArt":[{"name":"a","type":"image/png","url":"https://example.com/a"}]}}"#,
    ]

    private static func files(in folder: URL) throws -> [[UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return try names.sorted().map { Array(try Data(contentsOf: folder.appending(path: $0))) }
    }
}
