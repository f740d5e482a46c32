import ApplePayAcceptance
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("An order")
struct OrderTests {
    private let pki = TestPKI(seed: "orders")
    private let words = Array("order 1001".utf8)

    private func payment(_ edit: (inout TokenRecipe) throws -> Void) throws -> Payment {
        let decryptor = try KeyFolder.with([pki.merchant("one")]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der)
            )
        }
        let token = try pki.token {
            $0.payload.amount = 1099
            $0.payload["currencyCode"] = "978"
            try edit(&$0)
        }
        return try decryptor.decrypt(token.json, agePolicy: .received(at: TestPKI.useTime))
    }

    private func order(
        _ amount: Int64 = 1099,
        _ currency: String = "EUR",
        _ applicationData: ApplicationData? = nil,
        _ merchants: [MerchantAmount] = [],
        zeroAmount: ZeroAmountPolicy = .asOrdered
    ) throws -> Order {
        Order(
            reference: "order-1", amount: amount,
            currency: try #require(Currency(alphabetic: ExactText(currency))),
            applicationData: applicationData, merchants: merchants, zeroAmount: zeroAmount)
    }

    private func differences(_ order: Order, _ payment: Payment) -> [String] {
        do throws(PaymentError) {
            try order.check(payment)
        } catch {
            #expect(error.code == .orderMismatch)
            return error.members
        }
        return []
    }

    @Test(
        "that differs shows amounts and currencies in figures, and suspects an amount in other units",
        arguments: [
            (1099, "EUR", nil),
            (1100, "EUR", "the token has 1099 minor units of EUR, the order 1100 of EUR"),
            (1099, "USD", "the token has 1099 minor units of EUR, the order 1099 of USD"),
            (
                109_900, "EUR",
                "the token has 1099 minor units of EUR, the order 109900 of EUR; was the order's amount turned into minor "
                    + "units twice?"
            ),
        ] as [(Int64, String, String?)])
    func figures(_ amount: Int64, _ currency: String, _ reason: String?) throws {
        let order = Order(
            reference: "order-1", amount: amount,
            currency: try #require(Currency(alphabetic: ExactText(currency))),
            applicationData: ApplicationData(words))
        let payment = try payment { _ in }
        let error = #expect(throws: PaymentError.self) { try order.check(payment) }
        #expect(error?.reason == reason)
        // A question ends the sentence itself.
        let end = reason.map { $0.hasSuffix("?") ? ": \($0)" : ": \($0)." } ?? ""
        #expect(error?.description.hasSuffix(end) != false)
        #expect(error?.token == payment.token.identity)
        let cheap = try self.payment { $0.payload.amount = 1000 }
        for (amount, isMajor) in [
            (1, true), (10, true), (100, true), (0, false), (2, false), (-10, false),
        ] as [(Int64, Bool)] {
            let error = #expect(throws: PaymentError.self) {
                try self.order(amount).check(cheap)
            }
            #expect(error?.reason?.hasSuffix("; is the order's amount in major units?") == isMajor)
        }
    }

    private func setResponses(_ responses: [(String, Int64)], of recipe: inout TokenRecipe) {
        recipe.payload["authenticationResponses"] = .array(
            responses.map { merchant, amount in
                .object([
                    "merchantIdentifier": .string(merchant), "authenticationData": "AAAA",
                    "transactionAmount": .string("\(amount)"),
                ])
            })
    }

    @Test(
        "matches only the SHA-256 of the request's application data, or its absence on both sides")
    func applicationData() throws {
        let hash = try Digest.sha256.hash(words)
        let with = try payment { $0.applicationData = hash }
        let without = try payment { _ in }
        let sent = ApplicationData(words)
        let web = try #require(ApplicationData(base64: Data(words).base64EncodedString()))
        for data in [sent, web, ApplicationData(sha256: hash)] {
            #expect(try differences(order(1099, "EUR", data), with).isEmpty)
            #expect(try differences(order(1099, "EUR", data), without) == ["applicationData"])
        }
        #expect(try differences(order(), with) == ["applicationData"])
        #expect(try differences(order(), without).isEmpty)
        let base64 = ApplicationData(Array(Data(words).base64EncodedString().utf8))
        #expect(try differences(order(1099, "EUR", base64), with) == ["applicationData"])
        #expect(ApplicationData(base64: "dGVzdA") == nil)
        #expect(ApplicationData(base64: "dGV zdA=") == nil)
        #expect(ApplicationData(sha256: Array(hash.dropLast())) == nil)
        #expect(!"\(sent) \(String(reflecting: sent))".contains("111"))
    }

    @Test("matches only the merchants and amounts of the payment, in any order")
    func merchants() throws {
        let payment = try payment {
            setResponses([("a", 500), ("b", 99), ("a", 500)], of: &$0)
        }
        let a = MerchantAmount(merchantIdentifier: "a", amount: 500)
        let b = MerchantAmount(merchantIdentifier: "b", amount: 99)
        #expect(try differences(order(1099, "EUR", nil, [b, a, a]), payment).isEmpty)
        for merchants in [
            [], [a, b], [a, a], [a, b, b], [a, a, a], [a, a, b, b],
            [a, a, MerchantAmount(merchantIdentifier: "b", amount: 98)],
            [a, a, MerchantAmount(merchantIdentifier: "B", amount: 99)],
        ] {
            #expect(
                try differences(order(1099, "EUR", nil, merchants), payment)
                    == ["authenticationResponses"])
        }
        let ordinary = try self.payment { _ in }
        #expect(
            try differences(order(1099, "EUR", nil, [a]), ordinary) == ["authenticationResponses"])
    }

    @Test("refuses parts whose sum exceeds the total")
    func sum() throws {
        for (parts, isRefused) in [
            ([1099], false), ([1000, 99], false), ([1100], true), ([1000, 100], true),
            ([.max, .max], true), ([0, 0], false),
        ] as [([Int64], Bool)] {
            let payment = try payment {
                setResponses(parts.map { ("a", $0) }, of: &$0)
            }
            let merchants = parts.map { MerchantAmount(merchantIdentifier: "a", amount: $0) }
            #expect(
                try differences(order(1099, "EUR", nil, merchants), payment)
                    == (isRefused ? ["authenticationResponses"] : []))
        }
    }

    @Test("treats a token for the amount 0 as its policy states")
    func zero() throws {
        let nothing = try payment { $0.payload.amount = 0 }
        let something = try payment { _ in }
        for (policy, amount, isRefused) in [
            (.asOrdered, 0, false), (.asOrdered, 1099, true), (.accepted, 0, false),
            (.accepted, 1099, false), (.accepted, -1, true), (.refused, 0, true),
            (.refused, 1099, true),
        ] as [(ZeroAmountPolicy, Int64, Bool)] {
            let order = try order(amount, zeroAmount: policy)
            #expect(differences(order, nothing) == (isRefused ? ["transactionAmount"] : []))
            #expect(differences(order, something) == (amount != 1099 ? ["transactionAmount"] : []))
        }
    }

    @Test("names all members that differ, and of their values only amounts and currencies")
    func all() throws {
        let payment = try payment {
            $0.applicationData = try Digest.sha256.hash(words)
            setResponses([("a", 500)], of: &$0)
        }
        let order = try order(1, "JPY")
        #expect(
            differences(order, payment) == [
                "transactionAmount", "currencyCode", "applicationData", "authenticationResponses",
            ])
        let error = #expect(throws: PaymentError.self) { try order.check(payment) }
        #expect(
            error?.description == "The payment is not for this order: transactionAmount and "
                + "currencyCode and applicationData and authenticationResponses differ: the token has 1099 minor units of EUR, the order 1 of JPY."
        )
    }
}
