internal import ApplePayToken

/// The answer to one line of a batch, and the claim that was made for it.
struct BatchAnswer {
    let answer: Answer

    /// Whether the line was refused.
    let isRefused: Bool

    /// The claim, which is settled once the answer was written or discarded.
    let claim: AnswerClaim?

    init(_ answer: Answer, isRefused: Bool, claim: AnswerClaim? = nil) {
        self.answer = answer
        self.isRefused = isRefused
        self.claim = claim
    }

    /// The answer to a line whose token was refused.
    static func refused(_ line: BatchLine, _ error: PaymentTokenError) -> BatchAnswer {
        BatchAnswer(.refused(id: line.id, error), isRefused: true)
    }

    /// The answer to a line that is not an envelope.
    static func refused(_ error: BatchLineError) -> BatchAnswer {
        BatchAnswer(
            .refused(id: error.id, .invalidEnvelope, message: error.message), isRefused: true)
    }
}
