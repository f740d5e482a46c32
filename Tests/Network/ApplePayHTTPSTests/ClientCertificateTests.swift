import ApplePayMerchantKeys
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@testable import ApplePayHTTPS

@Suite("A client's certificate in TLS", .timeLimit(.minutes(5)))
struct ClientCertificateTests {
    @Test(
        "is accepted by libssl with its key and its authority",
        arguments: [TokenVersion.rsa, .ec])
    func files(_ version: TokenVersion) throws {
        let pki = TestPKI(seed: "client certificate")
        let client = try pki.merchant("one", version)
        let authority = try pki.processingAuthority.certificate.pem
        try KeyFolder.with(["all": client.keyPEM + client.certificatePEM + authority]) { folder in
            _ = try TLSContext(
                authorities: TestVectors.root.path(),
                identity: ClientIdentity(key: folder + "/all"))
        }
    }
}
