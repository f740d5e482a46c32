internal import ApplePayPrimitives
internal import ApplePayToken

/// The answers to some consecutive lines, in one buffer that is wiped.
final class BatchPart: Sendable {
    /// The number of lines answered.
    let count: Int

    /// The number of these lines that were refused.
    let refused: Int

    /// Whether a signal ended the work before all lines were answered.
    private let isCutShort: Bool

    private let text: SensitiveBytes

    /// The claims, each with the byte range of its answer in the text.
    private let claims: [(answer: Range<Int>, claim: AnswerClaim)]

    /// Answers lines.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - hasEnvelopes: Whether the lines are envelopes; otherwise they are tokens.
    ///   - answers: Returns the answers to the readable lines, or only to the first of them.
    init(
        _ lines: [LineReader.Line],
        hasEnvelopes: Bool,
        _ answers: ([BatchLine]) -> [Result<BatchAnswer, CommandFailure>]
    ) {
        let parsed = lines.map { Self.parse($0, hasEnvelopes: hasEnvelopes) }
        let readable = parsed.compactMap(\.line)
        var results = zip(readable, answers(readable)).map { line, result in
            switch result {
            case .success(let answer): answer
            // A line that cannot be read gets an error as its answer, and the batch continues.
            case .failure(let failure): BatchAnswer.refused(line, failure)
            }
        }[...]
        let text = SecretBuffer()
        var count = 0
        var refused = 0
        var claims: [(answer: Range<Int>, claim: AnswerClaim)] = []
        for line in parsed {
            let next: BatchAnswer?
            switch line {
            case .readable: next = results.popFirst()
            case .unreadable(let answer): next = answer
            }
            guard let next else { break }
            let start = text.count
            next.answer.append(to: text)
            count += 1
            if next.isRefused { refused += 1 }
            if let claim = next.claim { claims.append((start..<text.count, claim)) }
        }
        self.count = count
        self.refused = refused
        isCutShort = count < lines.count
        self.text = text.sensitiveBytes()
        self.claims = claims
    }

    /// Writes the answers to standard output and settles their claims.
    ///
    /// - Returns: Whether answers to later lines may be written: all lines of this part were answered, and all answers
    ///   were written.
    func write() -> Bool {
        let written = text.withRevealedBytes { StandardStream.output.write($0) }
        settle(written: written)
        return written == text.count && !isCutShort
    }

    /// Releases all claims, because none of the answers is written.
    func discard() {
        settle(written: 0)
    }

    private func settle(written: Int) {
        AnswerClaim.settle(claims, written: written)
    }

    /// A line, or the answer to one that cannot be read.
    private enum ParsedLine {
        case readable(BatchLine)
        case unreadable(BatchAnswer)

        var line: BatchLine? {
            if case .readable(let line) = self { line } else { nil }
        }
    }

    private static func parse(_ line: LineReader.Line, hasEnvelopes: Bool) -> ParsedLine {
        guard case .text(let text) = line else {
            let answer = Answer.refused(
                id: nil, .textTooLong,
                message:
                    "The line is longer than \(Batch.lineLimit) bytes, the limit for one token.")
            return .unreadable(BatchAnswer(answer, isRefused: true))
        }
        do {
            return .readable(hasEnvelopes ? try BatchLine(envelope: text) : BatchLine(token: text))
        } catch {
            return .unreadable(.refused(error))
        }
    }
}

/// The answer to one line of a batch, and the claim that was made for it.
struct BatchAnswer {
    let answer: Answer

    /// Whether the line was refused.
    let isRefused: Bool

    /// The claim, which is settled after the answer is written or discarded.
    let claim: AnswerClaim?

    init(_ answer: Answer, isRefused: Bool, claim: AnswerClaim? = nil) {
        self.answer = answer
        self.isRefused = isRefused
        self.claim = claim
    }

    /// Returns the answer to a line whose token was refused, or that conflicts with the options.
    static func refused(_ line: BatchLine, _ failure: CommandFailure) -> BatchAnswer {
        let answer: Answer =
            failure.refusal.map { .refused(id: line.id, $0) }
            ?? .refused(id: line.id, .invalidOptions, message: failure.message)
        return BatchAnswer(answer, isRefused: true)
    }

    /// Returns the answer to a line that is not an envelope.
    static func refused(_ error: BatchLineError) -> BatchAnswer {
        BatchAnswer(
            .refused(id: error.id, .invalidEnvelope, message: error.message), isRefused: true)
    }
}
