internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayToken

/// The claim of a payment whose answer has not been written yet.
///
/// The claim is released if no byte of the answer was written, and only then: a reader that got the answer
/// may charge the payment, so no other caller may claim it.
struct AnswerClaim: Sendable {
    private let claim: Claim
    private let ledger: any ReplayLedger

    private let location: LedgerLocation

    init(_ claim: Claim, in ledger: any ReplayLedger, at location: LedgerLocation) {
        self.claim = claim
        self.ledger = ledger
        self.location = location
    }

    /// Keeps or releases claims, and reports what an operator has to decide.
    ///
    /// - Parameters:
    ///   - claims: Each with the place of its answer among the bytes of the output.
    ///   - written: How many bytes of the output were written.
    static func settle(_ claims: [(answer: Range<Int>, claim: AnswerClaim)], written: Int) {
        for (answer, claim) in claims
        where answer.lowerBound < written && written < answer.upperBound {
            claim.report(
                "only a part of its answer was written, so its claim stays open. Find out whether it was charged. "
                    + "If so, run \(claim.command(.confirm)); if not, run \(claim.command(.release))"
            )
        }
        release(claims.filter { written <= $0.answer.lowerBound }.map(\.claim))
    }

    /// Releases claims at the same time, since no byte of their answers was written.
    static func release(_ claims: [AnswerClaim]) {
        guard !claims.isEmpty else { return }
        waiting {
            await withTaskGroup { group in
                for claim in claims { group.addTask { await claim.release() } }
            }
        }
    }

    private func release() async {
        do throws(LedgerError) {
            try await ledger.release(claim)
        } catch {
            report(
                "its answer was not written, and its claim could not be released "
                    + "(\(error.reason ?? PaymentTokenError(error).code.name)). When the ledger is available again, "
                    + "run \(command(.release))")
        }
    }

    private func report(_ sentence: String) {
        Notice.write("transaction \(claim.transaction): \(sentence).")
    }

    /// Returns the command that confirms or releases the claim.
    private func command(_ verb: LedgerCommand.Verb) -> String {
        location.command("ledger \(verb.rawValue) \(claim.transaction)")
    }
}
