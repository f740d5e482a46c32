import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The environment of a token's signer")
struct EnvironmentTests {
    private let pki = TestPKI(seed: "environment")

    private func decryptor(
        _ environment: SigningEnvironment? = nil
    ) throws -> PaymentTokenDecryptor {
        let anchor = try TrustAnchor(testRootCertificate: pki.root.certificate.der)
        return try KeyFolder.with([pki.merchant("one")]) {
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [$0]), anchor: anchor,
                environment: environment)
        }
    }

    private func token(_ name: String) throws -> [UInt8] {
        try pki.token { $0.chain.leaf.subject.commonName = name }.json
    }

    private func refusal(_ token: [UInt8], _ environment: SigningEnvironment?) throws -> String? {
        let decryptor = try decryptor(environment)
        do throws(PaymentTokenError) {
            _ = try decryptor.decrypt(token, agePolicy: .received(at: TestPKI.useTime))
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test("is a member of the payment and its proof, and refuses nothing by default")
    func told() throws {
        let payment = try decryptor().decrypt(
            token("ecc-smp-broker-sign_UC4-SANDBOX"), agePolicy: .received(at: TestPKI.useTime))
        #expect(payment.environment == .sandbox)
        #expect(payment.token.signature.environment == .sandbox)
        #expect(payment.token.signature.signer.commonName == "ecc-smp-broker-sign_UC4-SANDBOX")
    }

    @Test("is compared with the required one, and production refuses unknown names")
    func required() throws {
        let production = try token("ecc-smp-broker-sign_UC4-PROD")
        let sandbox = try token("ecc-smp-broker-sign_UC4-SANDBOX")
        let unknown = try token("a new name")
        for (token, environment, expected) in [
            (production, nil, nil), (sandbox, nil, nil), (unknown, nil, nil),
            (production, .production, nil), (sandbox, .sandbox, nil),
            (sandbox, .production, "signature/environment-mismatch"),
            (unknown, .production, "signature/environment-mismatch"),
            (production, .sandbox, "signature/environment-mismatch"),
            (unknown, .sandbox, "signature/environment-mismatch"),
        ] as [([UInt8], SigningEnvironment?, String?)] {
            #expect(try refusal(token, environment) == expected)
        }
    }

    @Test("is production for a token that was signed with Apple's certificate of 2019")
    func apple() throws {
        let file = TestVectors.appleSigned.appending(path: "bepaid-documented.json")
        let token = try PaymentToken(parsing: Array(Data(contentsOf: file)))
        let signature = try PaymentTokenVerifier(environment: .production)
            .verify(token, agePolicy: .anyAge).signature
        #expect(signature.environment == .production)
        let signer = signature.signer
        #expect(signer.commonName == "ecc-smp-broker-sign_UC4-PROD")
        #expect(signer.serialNumber == [0x4C, 0x30, 0x41, 0x49, 0x51, 0x9D, 0x54, 0x36])
        let days = [signer.validity.lowerBound, signer.validity.upperBound].map {
            String($0.formatted(Date.ISO8601FormatStyle()).prefix(10))
        }
        #expect(days == ["2019-05-18", "2024-05-16"])
        #expect(throws: PaymentTokenError.self) {
            try PaymentTokenVerifier(environment: .sandbox).verify(token, agePolicy: .anyAge)
        }
    }
}
