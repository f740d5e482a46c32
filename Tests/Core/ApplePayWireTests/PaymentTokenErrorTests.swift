import ApplePayWire
import Testing

@Suite("The refusal of a token")
struct PaymentTokenErrorTests {
    @Test(
        "has a code whose name is its stage and kebab-case words",
        arguments: PaymentTokenError.Code.allCases)
    func names(_ code: PaymentTokenError.Code) {
        #expect(code.rawValue == "\(code.stage.rawValue)/\(code.name)")
        #expect(!code.name.isEmpty)
        #expect(code.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    }

    @Test("has codes in the order of the stages")
    func order() {
        let stages = PaymentTokenError.Code.allCases.map(\.stage)
        let order = PaymentTokenError.Stage.allCases
        #expect(stages == order.flatMap { stage in stages.filter { $0 == stage } })
    }

    @Test("is described by one sentence with only members, numbers and the reason")
    func description() {
        #expect(
            PaymentTokenError(.wrongLength, member: "header.publicKeyHash").description
                == "In the token, header.publicKeyHash has the wrong length.")
        #expect(
            PaymentTokenError(.tooOld, seconds: 301, limit: 300).description
                == "The token was signed 5 minutes and 1 second before its receipt; the limit is 5 minutes."
        )
        #expect(
            PaymentTokenError(.noPathToAnchor, reason: "certificate has expired").description
                == "No valid path leads from the signer to the trust anchor: certificate has expired."
        )
        #expect(
            PaymentTokenError(.truncated, offset: 17).description
                == "The signature ends inside an element (byte 17).")
    }

    @Test("has the disposition `operator` only if the merchant's files, device or libcrypto failed")
    func disposition() {
        let codes = PaymentTokenError.Code.allCases.filter { $0.disposition == .operator }
        #expect(
            codes.filter { $0.name != "library-failure" } == [
                .unverifiedRevocationList, .keyUnavailable,
            ])
        #expect(
            PaymentTokenError.Code.allCases.filter { $0.name == "library-failure" }
                .allSatisfy { $0.disposition == .operator })
        let customers = PaymentTokenError.Code.allCases.filter { $0.disposition == .customer }
        #expect(customers == [.tooOld, .inFuture])
    }
}
