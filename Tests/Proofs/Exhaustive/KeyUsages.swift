import ApplePayToken
import ApplePayTokenTesting
import Foundation

/// Every combination of the nine bits of KeyUsage, in the signer and in the intermediate.
enum KeyUsages {
    /// The number of combinations.
    static let count = 1 << 9

    private static let digitalSignature = 0
    private static let keyCertSign = 5
    private static let crlSign = 6

    /// Verifies a token for each combination, or for every so many of them.
    ///
    /// A signer must have digitalSignature, and neither keyCertSign nor cRLSign; an intermediate must have keyCertSign.
    static func tally(ofSigner: Bool, step: Int = 1) throws -> Tally {
        let pki = TestPKI(seed: "every key usage")
        let merchant = try pki.merchant("one")
        let decryptor = try pki.decryptor(for: merchant)
        var tally = Tally("KeyUsage of the \(ofSigner ? "signer" : "intermediate")")
        for number in stride(from: 0, to: count, by: step) {
            let bits = (0..<9).filter { number >> $0 & 1 == 1 }
            let usage = CertificateExtension(.keyUsage, critical: true, .namedBits(bits))
            let token = try pki.token(to: merchant, named: "usage \(number)") {
                if ofSigner {
                    $0.chain.leaf.setExtension(usage)
                } else {
                    $0.chain.intermediate.setExtension(usage)
                }
            }
            let isRight =
                ofSigner
                ? bits.contains(digitalSignature) && !bits.contains(keyCertSign)
                    && !bits.contains(crlSign)
                : bits.contains(keyCertSign)
            var isAccepted = true
            do throws(PaymentTokenError) {
                _ = try decryptor.decrypt(token.json, agePolicy: .received(at: TestPKI.useTime))
                tally.add("accepted: a permitted combination")
            } catch {
                isAccepted = false
                tally.add(error.code.rawValue)
            }
            if isAccepted != isRight { tally.fail("the bits \(bits)") }
        }
        return tally
    }
}
