import ApplePayCMS
import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import Testing

@testable import ApplePayTrust

@Suite("Verifying a signature")
struct SignatureVerifierTests {
    private let pki = TestPKI(seed: "trust")

    private func anchor() throws -> TrustAnchor {
        try TrustAnchor(testRootCertificate: pki.root.certificate.der)
    }

    private func verify(
        _ token: TestToken,
        window: FreshnessWindow = FreshnessWindow(),
        _ agePolicy: AgePolicy
    ) throws -> VerifiedSignature {
        let verifier = try SignatureVerifier(anchor: anchor(), window: window)
        let signedData = try SignedData(parsing: token.signature)
        let message = token.message
        return try verifier.verify(
            signedData, over: message.span, kind: .p256, agePolicy: agePolicy)
    }

    @Test(
        "accepts a signing time 300 seconds before or after the receipt",
        arguments: [-300.0, -0.5, 0, 299.9, 300])
    func withinWindow(_ seconds: Double) throws {
        let token = try pki.token()
        let receipt = token.signingTime.addingTimeInterval(seconds)
        let verified = try verify(token, .received(at: receipt))
        #expect(verified.signingTime == token.signingTime)
        #expect(verified.agePolicy == .received(at: receipt))
    }

    @Test(
        "refuses a larger difference, and the error states it",
        arguments: [
            (301.0, PaymentTokenError.Code.tooOld, 301), (300.5, .tooOld, 301),
            (86_400, .tooOld, 86_400), (-301, .inFuture, 301), (-300.25, .inFuture, 301),
        ]
    )
    func outsideWindow(_ seconds: Double, _ code: PaymentTokenError.Code, _ told: Int) throws {
        let token = try pki.token()
        #expect(throws: PaymentTokenError(code, seconds: told, limit: 300)) {
            try verify(token, .received(at: token.signingTime.addingTimeInterval(seconds)))
        }
    }

    @Test(
        "refuses a time of receipt that is not a number",
        arguments: [Double.nan, .infinity, -.infinity])
    func noTime(_ seconds: Double) throws {
        let token = try pki.token()
        let error = #expect(throws: PaymentTokenError.self) {
            try verify(token, .received(at: Date(timeIntervalSince1970: seconds)))
        }
        #expect(error?.stage == .signingTime)
    }

    @Test(
        "records the policy, the time of receipt and the window"
    )
    func record() throws {
        let window = FreshnessWindow(maximumAge: 20, maximumSkew: 10)
        let start = Date()
        let second = Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down))
        let token = try pki.token { $0.signingTime = second }
        let now = try verify(token, window: window, .now)
        #expect(now.agePolicy == .now)
        #expect(now.window == window)
        let receipt = try #require(now.receiptTime)
        #expect(receipt >= start && receipt <= Date())
        let stated = try verify(token, window: window, .received(at: receipt))
        #expect(stated.agePolicy != .now)
        #expect(stated.receiptTime == receipt)
        #expect(try verify(token, window: window, .anyAge).receiptTime == nil)
    }

    @Test("applies a wider window, and ignores the age for `anyAge`")
    func policies() throws {
        let token = try pki.token()
        let late = AgePolicy.received(at: token.signingTime.addingTimeInterval(3600))
        #expect(throws: Never.self) {
            try verify(token, window: FreshnessWindow(maximumAge: 3600), late)
        }
        #expect(try verify(token, .anyAge).agePolicy == .anyAge)
        #expect(
            FreshnessWindow(maximumAge: -1, maximumSkew: -1)
                == FreshnessWindow(maximumAge: 0, maximumSkew: 0))
    }

    @Test(
        "remembers a chain only for the exact bytes of its certificates, and within their validity")
    func memory() throws {
        let verifier = try SignatureVerifier(anchor: anchor(), window: FreshnessWindow())
        func verify(_ token: TestToken) throws {
            let message = token.message
            _ = try verifier.verify(
                SignedData(parsing: token.signature), over: message.span, kind: .p256,
                agePolicy: .anyAge)
        }
        for name in ["a", "b"] { try verify(pki.token(named: name)) }
        // The same certificates, in a token signed after their expiry.
        let late = try pki.token { $0.signingTime += 50 * 365 * 86_400 }
        let error = #expect(throws: PaymentTokenError.self) { try verify(late) }
        #expect(error?.code == .outsideValidity)
        // A certificate with the same name and serial number but another key.
        let forged = try pki.token {
            $0.chain.leaf.signingKey = try self.pki.ecKey("forger", .p256)
        }
        let refusal = #expect(throws: PaymentTokenError.self) { try verify(forged) }
        #expect(refusal?.code == .noPathToAnchor)
        try verify(pki.token(named: "c"))
    }

    @Test("verifies tokens of more signers than it remembers")
    func manySigners() throws {
        let verifier = try SignatureVerifier(anchor: anchor(), window: FreshnessWindow())
        for number in 0..<UInt8(ProvenChains.capacity + 8) {
            let token = try pki.token { $0.chain.leaf.serialNumber = [0x40, number] }
            let message = token.message
            _ = try verifier.verify(
                SignedData(parsing: token.signature), over: message.span, kind: .p256,
                agePolicy: .anyAge)
        }
    }
}

@Suite("The trust anchor")
struct TrustAnchorTests {
    @Test("is Apple Root CA - G3 by the published hash of its key")
    func apple() throws {
        let key = TrustAnchor.appleRootCAG3.subjectPublicKeyInfo
        let hash = try SHA256.hash(key.span).bytes.map { String(format: "%02x", $0) }.joined()
        #expect(hash == "9b219d0fbff36a5fb32090571906bceea68617c833a3f61b81e962a8e64db8af")
        #expect(
            String(decoding: TrustAnchor.appleRootCAG3.name, as: UTF8.self).contains(
                "Apple Root CA - G3"))
    }

    @Test("for tests is read from a certificate in PEM or DER, and not from other bytes")
    func testRoot() throws {
        let root = try TestPKI(seed: "anchor").root.certificate
        let fromDER = try TrustAnchor(testRootCertificate: root.der)
        #expect(try TrustAnchor(testRootCertificate: Array(root.pem.utf8)) == fromDER)
        for bytes in [[], [0x30, 0x00], Array("-----BEGIN".utf8), root.der + [0]] {
            #expect(throws: PaymentTokenError(.unreadableCertificate)) {
                try TrustAnchor(testRootCertificate: bytes)
            }
        }
    }
}
