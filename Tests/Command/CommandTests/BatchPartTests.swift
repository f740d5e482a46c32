import ApplePayAcceptance
import ApplePayOrderPrograms
import ApplePayPrograms
import Testing

@testable import paytoken

@Suite("The lines of a batch")
struct BatchPartTests {
    private func line(_ text: String) -> LineReader.Line { .text(Array(text.utf8)) }

    private func accepted(_ token: [UInt8]) throws(PaymentError) -> JSONLine {
        .refused(PaymentError(.alreadyClaimed), message: "")
    }

    @Test("are counted, and so are those that are refused or too long")
    func counts() {
        let lines = [line("{}"), line("{}"), .tooLong, line("{}")]
        let part = BatchPart(lines, accepted)
        #expect(part.count == 4 && part.refused == 1)
        let refused = BatchPart(lines) { _ throws(PaymentError) in
            throw PaymentError(.alreadyClaimed)
        }
        #expect(refused.count == 4 && refused.refused == 4)
        let none = BatchPart([], accepted)
        #expect(none.count == 0 && none.refused == 0 && none.write())
    }
}
