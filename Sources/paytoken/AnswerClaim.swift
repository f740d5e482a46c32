internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayToken

/// The claim of a payment whose answer has not been written yet.
///
/// The claim is released if no byte of the answer was written, and only then: a reader that got the answer
/// may charge the payment, so nobody else may claim it.
struct AnswerClaim {
    private let claim: Claim
    private let ledger: any ReplayLedger

    init(_ claim: Claim, in ledger: any ReplayLedger) {
        self.claim = claim
        self.ledger = ledger
    }

    /// Keeps or releases the claim, and reports what an operator has to decide.
    ///
    /// - Parameters:
    ///   - answer: Where the answer is among the bytes of the output.
    ///   - written: How many bytes of the output were written.
    func settle(_ answer: Range<Int>, written: Int) {
        if written <= answer.lowerBound {
            release()
        } else if written < answer.upperBound {
            report(
                "only a part of its answer was written, so its claim stays open. Find out whether it "
                    + "was charged, then run paytoken ledger confirm \(claim.transaction) or "
                    + "paytoken ledger release \(claim.transaction), each with \(CommandOption.ledger)"
            )
        }
    }

    /// Releases the claim, since no byte of the answer was written.
    func release() {
        do throws(LedgerError) {
            try waiting { [ledger, claim] () throws(LedgerError) in try await ledger.release(claim)
            }
        } catch {
            report(
                "its answer was not written, and its claim could not be released "
                    + "(\(error.reason ?? PaymentTokenError(error).code.name)). Once the ledger is available, run "
                    + "paytoken ledger release \(claim.transaction) with \(CommandOption.ledger)")
        }
    }

    private func report(_ sentence: String) {
        StandardStream.error.write("paytoken: transaction \(claim.transaction): \(sentence).\n")
    }
}
