import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@Suite("Tokens on request")
struct TokenFaultTests {
    private static let pki = TestPKI(testSeed: "tokens on request")

    @Test("are three lines from nothing to a payment")
    func payment() throws {
        let pki = TestPKI()
        let shop = try pki.testMerchant("shop")
        let payment = try pki.decryptor(for: shop).decrypt(pki.testToken(for: shop))
        #expect(payment.amount == 100)
    }

    @Test("contain what the options say", arguments: TokenVersion.allCases)
    func options(_ version: TokenVersion) throws {
        let shop = try Self.pki.testMerchant("shop", version)
        var options = TestTokenOptions(amount: 1099, currency: Currency(alphabetic: "JPY"))
        options.accountNumber = "4000001234567890"
        options.applicationData = Array("order-7".utf8)
        options.merchantTokenIdentifier = "TEST0001"
        options.environment = .sandbox
        let decryptor = try Self.pki.decryptor(for: shop)
        let payment = try decryptor.decrypt(Self.pki.testToken(for: shop, options))
        #expect(payment.version.rawValue == version.rawValue)
        #expect(payment.amount == 1099)
        #expect(payment.currency?.alphabetic == "JPY")
        #expect(payment.environment == .sandbox)
        #expect(payment.applicationData?.count == 32)
        #expect(payment.accountNumber.masked == "4000••••••••7890")
        options.signingTime = Date(timeIntervalSinceNow: -400)
        let old = try Self.pki.testToken(for: shop, options)
        #expect(throws: PaymentTokenError.self) { try decryptor.decrypt(old) }
        #expect(try decryptor.decrypt(old, agePolicy: .anyAge).amount == 1099)
    }

    @Test("are opened in every wrapper", arguments: TokenWrapper.allCases)
    func wrappers(_ wrapper: TokenWrapper) throws {
        let shop = try Self.pki.testMerchant("shop")
        var options = TestTokenOptions()
        options.wrapper = wrapper
        options.emvData = TestTokenOptions.sampleEMVData
        let token = try Self.pki.testToken(for: shop, options)
        #expect(try Self.pki.decryptor(for: shop).decrypt(token).amount == 100)
        #expect(throws: TestTokenError("a token has a fault or a wrapper, not both.")) {
            try Self.pki.testToken(for: shop, options, refusedWith: .tooOld)
        }
    }

    @Test("are refused with exactly the code that was asked for", arguments: TokenVersion.allCases)
    func faults(_ version: TokenVersion) throws {
        // The merchants of the vectors: some faults name the key of the other kind.
        let merchants = (try Self.pki.testMerchant("one"), try Self.pki.testMerchant("two", .rsa))
        let merchant = version == .ec ? merchants.0 : merchants.1
        let decryptor = try Self.pki.decryptor(for: merchants.0, merchants.1)
        var options = TestTokenOptions(amount: 5)
        options.accountNumber = "4000001234567890"
        var count = 0
        for fault in TokenFault.all {
            guard fault.versions.contains(version) else {
                #expect(throws: TestTokenError.self, "\(fault.code)") {
                    try Self.pki.testToken(for: merchant, options, refusedWith: fault.code)
                }
                continue
            }
            let token = try Self.pki.testToken(for: merchant, options, refusedWith: fault.code)
            let error = #expect(throws: PaymentTokenError.self, "\(fault.code)") {
                try decryptor.decrypt(token)
            }
            #expect(error?.code == fault.code)
            count += 1
        }
        #expect(count == (version == .ec ? 81 : 77))
    }

    @Test("exist for every code, unless there is a reason")
    func absences() {
        let codes = TokenFault.all.map(\.code)
        #expect(Set(codes).count == codes.count)
        for code in PaymentTokenError.Code.allCases {
            let reason = TokenFault.reasonForAbsence(of: code)
            #expect((reason == nil) == codes.contains(code), "\(code.rawValue)")
            #expect(reason != "no recipe is known", "\(code.rawValue)")
        }
    }
}
