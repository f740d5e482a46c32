internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayToken

/// The claim of a payment whose answer has not been written yet.
///
/// The claim is released only if no byte of the answer was written: a reader that received any part of it may charge
/// the payment, so no other caller may claim it.
struct UnwrittenClaim: Sendable {
    private let claim: Claim
    private let ledger: any ReplayLedger

    private let location: LedgerLocation

    /// The claim's serial.
    var serial: String { claim.serial }

    init(_ claim: Claim, in ledger: any ReplayLedger, at location: LedgerLocation) {
        self.claim = claim
        self.ledger = ledger
        self.location = location
    }

    /// Keeps or releases claims, and reports those on which an operator must decide.
    ///
    /// - Parameters:
    ///   - claims: The claims, each with the byte range of its answer in the output.
    ///   - written: The number of bytes of the output that were written.
    static func settle(_ claims: [(answer: Range<Int>, claim: UnwrittenClaim)], written: Int) {
        for (answer, claim) in claims
        where answer.lowerBound < written && written < answer.upperBound {
            claim.report(
                "only a part of its answer was written, so its claim stays open. Find out whether it was charged. "
                    + "If so, run \(claim.command(.confirm)); if not, run \(claim.command(.release))"
            )
        }
        release(claims.filter { written <= $0.answer.lowerBound }.map(\.claim))
    }

    /// Releases claims together, because no byte of their answers was written; after a signal, reports how many were not
    /// released before the process ends.
    static func release(_ claims: [UnwrittenClaim]) {
        guard let location = claims.first?.location else { return }
        let rest = Monitor(claims.count)
        for claim in claims {
            Task.detached {
                await claim.release()
                rest.change { $0 -= 1 }
            }
        }
        while rest.wait(atMost: .milliseconds(20), { $0 == 0 ? () : nil }) == nil {
            guard !Interruption.isEndNear else {
                let count = rest.withLock { $0 }
                Notice.write(
                    "claims that could not be released in time, though no byte of their answers was written: \(count). "
                        + "\(location.command("ledger show")) lists the open claims.")
                return
            }
        }
    }

    private func release() async {
        do {
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
        location.command(
            "ledger \(verb.rawValue) \(claim.transaction) \(CommandOption.serial) \(serial)")
    }
}
