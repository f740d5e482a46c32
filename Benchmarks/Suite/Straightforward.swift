import ApplePayToken
import ApplePayTokenTesting
import BenchmarkFloor
import Foundation

/// An implementation without this library: JSONDecoder, CMS_verify with a new store, and new
/// contexts and keys for each token.
///
/// It skips Apple's additional checks: the marker extensions and the signing time.
enum Straightforward {
    private struct Token: Decodable {
        struct Header: Decodable {
            let ephemeralPublicKey: Data
            let transactionId: String
        }

        let data: Data
        let signature: Data
        let header: Header
    }

    private struct Payload: Decodable {
        struct Authentication: Decodable {
            let onlinePaymentCryptogram: String
            let eciIndicator: String?
        }

        let applicationPrimaryAccountNumber: String
        let applicationExpirationDate: String
        let currencyCode: String
        let transactionAmount: Decimal
        let paymentData: Authentication
    }

    static func open(_ sample: Sample, _ corpus: Corpus) throws {
        let token = try JSONDecoder().decode(Token.self, from: Data(sample.text))
        let cms = Array(token.signature)
        let time = Int64(TestPKI.useTime.timeIntervalSince1970)
        guard
            unsafe Floor_plain_verify(
                cms, cms.count, sample.message, sample.message.count, corpus.root,
                corpus.root.count, time) == 1
        else { throw BenchmarkFailure("CMS_verify refuses") }
        let key = corpus.merchantKey
        let peer = Array(token.header.ephemeralPublicKey)
        let data = Array(token.data)
        var plaintext = [UInt8](repeating: 0, count: data.count)
        let count = unsafe Floor_plain_open(
            key, key.count, peer, peer.count, sample.merchantHash, data, data.count, &plaintext)
        guard count > 0 else { throw BenchmarkFailure("the plain way does not decrypt") }
        _ = try JSONDecoder().decode(Payload.self, from: Data(plaintext.prefix(count)))
    }
}
