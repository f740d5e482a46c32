import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@Suite("An observer")
struct ObserverTests {
    private static let pki = TestPKI(testSeed: "observer")
    private let observer = RecordingObserver()

    /// Returns a decryptor with the keys of both merchants.
    private func decryptor() throws -> PaymentTokenDecryptor {
        let merchants = [try Self.pki.testMerchant("one"), try Self.pki.testMerchant("two", .rsa)]
        return try KeyFolder.with(merchants) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: Array(Self.pki.rootPEM.utf8)),
                observer: observer)
        }
    }

    private func merchant(_ version: TokenVersion) throws -> Merchant {
        try Self.pki.testMerchant(version == .ec ? "one" : "two", version)
    }

    @Test(
        "receives the time of each stage, and whether the chain was remembered",
        arguments: TokenVersion.allCases)
    func accepted(_ version: TokenVersion) throws {
        let decryptor = try decryptor()
        let merchant = try merchant(version)
        let tokens = try (0..<3).map { _ in try Self.pki.testToken(for: merchant) }
        let start = ContinuousClock.now
        for token in tokens { _ = try decryptor.decrypt(token) }
        let elapsed = ContinuousClock.now - start
        #expect(observer.refusals == [nil, nil, nil])
        #expect(
            observer.stages
                == Array(repeating: RecordingObserver.stages(through: .paymentData), count: 3))
        #expect(observer.reports.map(\.isChainRemembered) == [false, true, true])
        #expect(observer.reports.flatMap(\.durations.values).allSatisfy { $0 > .zero })
        #expect(observer.reports.map(\.duration).reduce(.zero, +) <= elapsed)
        for report in observer.reports {
            #expect(report.duration == report.durations.values.reduce(.zero, +))
        }
    }

    @Test(
        "receives the code of each refusal, and the time of the stages until then",
        arguments: TokenVersion.allCases)
    func refused(_ version: TokenVersion) throws {
        let decryptor = try decryptor()
        let merchant = try merchant(version)
        let faults = TokenFault.all.filter { $0.versions.contains(version) }
        for fault in faults {
            let token = try Self.pki.testToken(for: merchant.recipient, fault: fault)
            let error = #expect(throws: PaymentTokenError.self) { try decryptor.decrypt(token) }
            #expect(error?.code == fault.code)
            #expect(error?.token == observer.reports.last?.token, "\(fault.code)")
        }
        #expect(observer.refusals == faults.map(\.code))
        #expect(observer.stages == faults.map { RecordingObserver.stages(through: $0.code.stage) })
        // No RSA_v1 token alone can cause a refusal of the stage key-agreement.
        #expect(Set(faults.map(\.code.stage)).count == (version == .ec ? 10 : 9))
        for report in observer.reports {
            let stage = try #require(report.refusal?.stage)
            let isChainAccepted = ![.json, .field, .cms, .chain].contains(stage)
            #expect((report.isChainRemembered != nil) == isChainAccepted, "\(report)")
            let isSignatureVerified = isChainAccepted && stage != .signature
            #expect((report.token != nil) == isSignatureVerified, "\(report)")
        }
    }

    @Test(
        "and an error name the key, the transaction and the signing time, once the signature is verified",
        arguments: TokenVersion.allCases)
    func identity(_ version: TokenVersion) throws {
        let decryptor = try decryptor()
        let merchant = try merchant(version)
        let text = try Self.pki.testToken(for: merchant)
        let payment = try decryptor.decrypt(text)
        let hash = Data(merchant.publicKeyHash).base64EncodedString()
        let expected = payment.token.identity
        #expect(expected.publicKeyHash == hash)
        #expect(expected.transactionId == payment.transactionId)
        #expect(expected.signingTime == payment.signingTime)
        #expect(observer.reports.map(\.token) == [expected])

        // The key is retired, so the hash in the error says which one a late token needs.
        let stranger = try Self.pki.testMerchant("three")
        let other = try KeyFolder.with([stranger]) { try MerchantKeyring(contentsOf: [$0]) }
        let verified = try decryptor.verifier.verify(PaymentToken(parsing: text))
        let missing = #expect(throws: PaymentTokenError.self) { try verified.open(with: other) }
        #expect(missing?.code == .noKeyWithHash && missing?.token == expected)

        let old = #expect(throws: PaymentTokenError.self) {
            try decryptor.decrypt(
                text, agePolicy: .received(at: payment.signingTime.addingTimeInterval(301)))
        }
        #expect(old?.code == .tooOld && old?.token == expected)

        let short: [UInt8] = [1]
        let wrong = #expect(throws: PaymentTokenError.self) {
            try verified.open(contentKey: short.span)
        }
        #expect(wrong?.code == .decryptionFailed && wrong?.token == expected)
    }

    @Test(
        "of a verifier receives one report for each verification, which begins with the signature")
    func verifier() throws {
        let verifier = try decryptor().verifier
        let merchant = try merchant(.ec)
        _ = try verifier.verify(PaymentToken(parsing: Self.pki.testToken(for: merchant)))
        for code in [.tooOld, .signatureMismatch] as [PaymentTokenError.Code] {
            let token = try PaymentToken(
                parsing: Self.pki.testToken(for: merchant, refusedWith: code))
            #expect(throws: PaymentTokenError.self) { try verifier.verify(token) }
        }
        #expect(observer.refusals == [nil, .tooOld, .signatureMismatch])
        #expect(
            observer.stages == [
                [.cms, .chain, .signature, .signingTime], [.cms, .chain, .signature, .signingTime],
                [.cms, .chain, .signature],
            ])
    }
}
