internal import ApplePayToken

/// The answer to one line of a batch, and what is to be undone if nobody gets it.
struct BatchAnswer {
    let answer: Answer

    /// Whether the line was refused.
    let isRefused: Bool

    /// Gives back what was claimed for the line.
    let undo: (@Sendable () -> Void)?

    init(_ answer: Answer, isRefused: Bool, undo: (@Sendable () -> Void)? = nil) {
        self.answer = answer
        self.isRefused = isRefused
        self.undo = undo
    }

    /// The answer to a line whose token was refused.
    static func refused(_ line: BatchLine, _ error: PaymentTokenError) -> BatchAnswer {
        BatchAnswer(.refused(id: line.id, error), isRefused: true)
    }

    /// The answer to a line that is not an envelope.
    static func refused(_ error: BatchLineError) -> BatchAnswer {
        BatchAnswer(
            .refused(
                id: error.id, stage: PaymentTokenError.Stage.json.rawValue,
                code: "invalid-envelope", message: error.message),
            isRefused: true)
    }
}
