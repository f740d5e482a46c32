import ApplePayCMS
import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import Testing

@testable import ApplePayTrust

@Suite("The signer's certificate")
struct SignerCertificateTests {
    private let pki = TestPKI(seed: "signer")

    private func verifier(_ environment: SigningEnvironment? = nil) throws -> SignatureVerifier {
        try SignatureVerifier(
            anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der),
            window: FreshnessWindow(), environment: environment)
    }

    private func verify(
        _ token: TestToken,
        _ verifier: SignatureVerifier,
        _ agePolicy: AgePolicy = .anyAge
    ) throws(PaymentTokenError) -> VerifiedSignature {
        let message = token.message
        guard let signedData = try? SignedData(parsing: token.signature) else {
            Issue.record("the test token's signature cannot be read")
            throw PaymentTokenError(.signatureLibraryFailure)
        }
        return try verifier.verify(
            signedData, over: message.span, kind: .p256, agePolicy: agePolicy)
    }

    @Test("has its name, serial number and validity, also when its chain is remembered")
    func facts() throws {
        let verifier = try verifier()
        let notBefore = CivilTime.day(2024, 4, 29)
        let notAfter = CivilTime.day(2029, 4, 28)
        for round in 0..<2 {
            for number: UInt8 in 1...3 {
                let token = try pki.token(named: "\(round)") {
                    $0.chain.leaf.serialNumber = [0x80, number]
                    $0.chain.leaf.subject.commonName = "signer \(number)"
                    $0.chain.leaf.notBefore = notBefore + Double(number)
                    $0.chain.leaf.notAfter = notAfter + Double(number)
                }
                let signature = try verify(token, verifier)
                #expect(signature.signer.commonName == "signer \(number)")
                #expect(signature.signer.serialNumber == [0x00, 0x80, number])
                #expect(
                    signature.signer.validity
                        == notBefore + Double(number)...notAfter + Double(number))
                #expect(signature.environment == .unknown)
                #expect(signature.intermediateEnd == CivilTime.day(2034, 5, 6))
            }
        }
    }

    @Test(
        "belongs to the environment that its name indicates",
        arguments: [
            ("ecc-smp-broker-sign_UC4-PROD", .production),
            ("rsa-smp-broker-sign_UC4-PROD", .production),
            ("ecc-smp-broker-sign_UC4-PROD_Krypton_ECC", .production),
            ("ecc-smp-broker-sign_UC4-SANDBOX", .sandbox),
            ("ecc-smp-broker-sign_UC4-PROD_UC4-SANDBOX", .unknown),
            ("ecc-smp-broker-sign_UC4-PRODUCTION", .unknown),
            ("ecc-smp-broker-sign_uc4-prod", .unknown), ("ecc-smp-broker-sign", .unknown),
            ("", .unknown), (nil, .unknown),
        ] as [(String?, SigningEnvironment)])
    func environment(_ name: String?, _ environment: SigningEnvironment) {
        #expect(SigningEnvironment(commonName: name) == environment)
    }

    @Test(
        "is refused when it is of another environment than the required one",
        arguments: SigningEnvironment.allCases, SigningEnvironment.allCases)
    func policy(_ required: SigningEnvironment, _ own: SigningEnvironment) throws {
        let names: [SigningEnvironment: String] = [
            .production: "sign_UC4-PROD", .sandbox: "sign_UC4-SANDBOX", .unknown: "sign",
        ]
        let name = try #require(names[own])
        let token = try pki.token { $0.chain.leaf.subject.commonName = name }
        let verifier = try verifier(required)
        // Twice, because a cached chain must give the same verdict.
        for _ in 0..<2 {
            if required == own {
                #expect(try verify(token, verifier).environment == own)
            } else {
                let indicated = own == .unknown ? "no environment" : own.rawValue
                let error = PaymentTokenError(
                    .environmentMismatch, reason: "its name indicates \(indicated)")
                #expect(throws: error) { try verify(token, verifier) }
            }
        }
        #expect(try verify(token, self.verifier()).environment == own)
    }

    @Test("is compared with the environment after the signature and before the signing time")
    func order() throws {
        let verifier = try verifier(.production)
        let stale = AgePolicy.received(at: TestPKI.signingTime + 3600)
        let token = try pki.token()
        let error = PaymentTokenError(
            .environmentMismatch, reason: "its name indicates no environment")
        #expect(throws: error) { try verify(token, verifier, stale) }
        let forged = try pki.token { $0.cms.signer.key = try self.pki.ecKey("forger", .p256) }
        #expect(throws: PaymentTokenError(.signatureMismatch)) {
            try verify(forged, verifier, stale)
        }
    }

    @Test(
        "and the intermediate's are refused with more than 64 extensions before OpenSSL reads them")
    func extensions() throws {
        for (leaf, intermediate) in [(64, 64), (65, 8), (8, 65), (1000, 8)] {
            func extend(_ recipe: inout CertificateRecipe, to count: Int) {
                for number in recipe.extensions.count..<count {
                    recipe.extensions.append(
                        .marker(OID(stringLiteral: "1.2.840.113635.100.6.999.\(number)")))
                }
            }
            let token = try pki.token {
                extend(&$0.chain.leaf, to: leaf)
                extend(&$0.chain.intermediate, to: intermediate)
            }
            let count = max(leaf, intermediate)
            guard count > 64 else {
                #expect(throws: Never.self) { try verify(token, verifier()) }
                continue
            }
            // OpenSSL's limit does not set a reason.
            let error = PaymentTokenError(
                .unreadableCertificate, reason: "it has \(count) extensions, more than 64")
            #expect(throws: error) { try verify(token, verifier()) }
        }
    }

    @Test(
        "is refused if its key or its algorithm cannot be read, and not as a failure of libcrypto")
    func unreadable() throws {
        let token = try pki.token()
        let leaf = token.chain.leaf.der
        let start = try #require(token.signature.firstRange(of: leaf)).lowerBound
        let message = token.message
        // Finds the algorithm in the signed part, ecdsa-with-SHA256, and the point, whose length
        // is followed by 00 and 04.
        let algorithm = try #require(
            leaf.firstRange(of: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let point = try #require(leaf.firstRange(of: [0x03, 0x42, 0x00, 0x04]))
        for (offset, code) in [
            (algorithm.lowerBound + 2, PaymentTokenError.Code.certificateAlgorithm),
            (point.upperBound + 10, .signerKeyKind),
        ] {
            var signature = token.signature
            signature[start + offset] ^= 1
            #expect(throws: PaymentTokenError(code)) {
                try verifier().verify(
                    SignedData(parsing: signature), over: message.span, kind: .p256,
                    agePolicy: .anyAge)
            }
        }
    }

    @Test("is refused with more than 4,096 bytes before OpenSSL reads it")
    func size() throws {
        #expect(throws: Never.self) { try verify(token(leafSize: 4096), verifier()) }
        let error = PaymentTokenError(
            .unreadableCertificate, reason: "it has 4097 bytes, more than 4096")
        #expect(throws: error) {
            try verify(token(leafSize: 4097), verifier())
        }
    }

    /// Returns a token whose leaf has this many bytes; tries several, since ECDSA signatures
    /// differ in length.
    private func token(leafSize: Int) throws -> TestToken {
        var filler = 3000
        for number: UInt8 in 0..<64 {
            let token = try pki.token {
                $0.chain.leaf.serialNumber = [0x40, number]
                $0.chain.leaf.extensions.append(
                    CertificateExtension(
                        "1.2.840.113635.100.6.999",
                        .octetString([UInt8](repeating: 0, count: filler))))
            }
            let size = token.chain.leaf.der.count
            guard size != leafSize else { return token }
            filler += leafSize - size
        }
        throw PaymentTokenError(.chainLibraryFailure)
    }
}
