internal import ApplePayPrimitives
internal import ApplePayToken

/// The answers to some lines that follow one another, in one piece of memory that is wiped.
final class BatchPart: Sendable {
    /// How many lines were answered.
    let count: Int

    /// How many of them were refused.
    let refused: Int

    private let text: SensitiveBytes
    private let undoing: [@Sendable () -> Void]

    init(
        _ lines: [LineReader.Line],
        hasEnvelopes: Bool,
        _ answer: (BatchLine) -> BatchAnswer
    ) {
        let text = SecretBuffer()
        var refused = 0
        var undoing: [@Sendable () -> Void] = []
        for line in lines {
            let answer = Self.answer(to: line, hasEnvelopes: hasEnvelopes, answer)
            answer.answer.append(to: text)
            if answer.isRefused { refused += 1 }
            if let undo = answer.undo { undoing.append(undo) }
        }
        count = lines.count
        self.refused = refused
        self.text = text.sensitiveBytes()
        self.undoing = undoing
    }

    /// Writes the answers to standard output; false when nobody reads any more.
    func write() -> Bool {
        text.withRevealedBytes { StandardStream.output.write($0) }
    }

    /// Gives back what was claimed for payments that nobody got to know of.
    func undo() {
        for undo in undoing { undo() }
    }

    /// A bad line is its own error, never the run's.
    private static func answer(
        to line: LineReader.Line,
        hasEnvelopes: Bool,
        _ answer: (BatchLine) -> BatchAnswer
    ) -> BatchAnswer {
        guard case .text(let text) = line else {
            return BatchAnswer(
                .refused(
                    id: nil, stage: PaymentTokenError.Stage.json.rawValue, code: "text-too-long",
                    message: "The line is longer than \(Batch.lineLimit) bytes."),
                isRefused: true)
        }
        do throws(BatchLineError) {
            return answer(
                hasEnvelopes ? try BatchLine(envelope: text) : BatchLine(token: text))
        } catch {
            return .refused(error)
        }
    }
}
