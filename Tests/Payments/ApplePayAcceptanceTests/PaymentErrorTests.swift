import ApplePayAcceptance
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("The refusal of a payment")
struct PaymentErrorTests {
    @Test("has codes in the order of the stages, named by stage and kebab-case words")
    func names() {
        let parts = PaymentError.Code.allCases.map { $0.rawValue.split(separator: "/") }
        let stages = parts.map { $0[0] }
        #expect(
            stages
                == ["order", "replay", "gateway"].flatMap { stage in stages.filter { $0 == stage } }
        )
        #expect(
            parts.allSatisfy { $0.count == 2 && $0[1].allSatisfy { $0.isLowercase || $0 == "-" } })
    }

    @Test("is described by one sentence with only members and the reason")
    func description() {
        #expect(
            PaymentError(.orderMismatch, members: ["transactionAmount", "currencyCode"]).description
                == "The payment is not for this order: transactionAmount and currencyCode differ.")
        #expect(
            PaymentError(.ledgerUnavailable, reason: "disk full").description
                == "The ledger cannot be used, so nothing may be charged: disk full.")
        #expect(
            PaymentError(.unsupportedLength, member: "orderNumber").description
                == "orderNumber is missing, or its length is not one that the gateway accepts.")
    }

    @Test(
        "has the disposition `operator` only if the merchant's page, set-up, ledger or network failed"
    )
    func disposition() {
        func codes(_ disposition: PaymentTokenError.Disposition) -> [PaymentError.Code] {
            PaymentError.Code.allCases.filter { $0.disposition == disposition }
        }
        #expect(
            codes(.operator) == [
                .invalidReference, .orderLibraryFailure, .ledgerFull, .ledgerUnavailable,
                .windowTooWide, .unsupportedEMV, .invalidKey, .unsupportedMessages, .notSent,
                .gatewayLibraryFailure,
            ])
        #expect(
            codes(.customer) == [
                .orderMismatch, .tooLate, .cryptogramMissing, .unknownCurrency,
                .unsupportedTokenVersion,
            ])
    }

    @Test("of a token is that of the token, and each refusal keeps the first token that it names")
    func token() {
        let (first, second) = (identity("A"), identity("B"))
        let fault = PaymentTokenError(.decryptionFailed)
        let error = PaymentError.token(fault)
        #expect(error.code == nil && error.name == "decrypt/decryption-failed")
        #expect(error.description == fault.description && error.advice == fault.code.advice)
        #expect(error.disposition == fault.disposition && error.token == nil)
        #expect(error.about(first).about(second) == .token(fault.about(first)))
        let refused = PaymentError(.notSent, members: ["id"], reason: "no route").about(first)
        #expect(refused.about(second).token == first)
        #expect((refused.code, refused.name) == (.notSent, "gateway/not-sent"))
        #expect((refused.members, refused.reason) == (["id"], "no route"))
        #expect(refused.because("busy").reason == "busy" && error.because("busy") == error)
    }

    private func identity(_ hash: String) -> TokenIdentity {
        TokenIdentity(
            publicKeyHash: hash, transactionId: hash, signingTime: Date(timeIntervalSince1970: 0))
    }
}
