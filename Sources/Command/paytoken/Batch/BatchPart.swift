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
    private let claims: [(answer: Range<Int>, claim: UnwrittenClaim)]

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
        let parsed = lines.map { line in
            Result { () throws(CommandFailure) in try Self.parse(line, hasEnvelopes) }
        }
        let readable = parsed.compactMap { try? $0.get() }
        var results = zip(readable, answers(readable)).map { line, result in
            switch result {
            case .success(let answer): answer
            // A line that cannot be read gets an error as its answer, and the batch continues.
            case .failure(let failure): BatchAnswer.refused(failure, id: line.id)
            }
        }[...]
        var text = SecretBuffer()
        var count = 0
        var refused = 0
        var claims: [(answer: Range<Int>, claim: UnwrittenClaim)] = []
        for line in parsed {
            let next: BatchAnswer?
            switch line {
            case .success: next = results.popFirst()
            case .failure(let failure): next = .refused(failure, id: failure.lineID)
            }
            guard let next else { break }
            let start = text.count
            next.answer.bytes.withRevealedBytes { text.append($0) }
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
        UnwrittenClaim.settle(claims, written: written)
    }

    private static func parse(
        _ line: LineReader.Line, _ hasEnvelopes: Bool
    ) throws(CommandFailure) -> BatchLine {
        guard case .text(let text) = line else {
            throw .refused(PaymentTokenError(.textTooLong)).explained(
                message:
                    "The line is longer than \(Batch.lineLimit) bytes, the limit for one token.",
                advice: nil)
        }
        return hasEnvelopes ? try BatchLine(envelope: text) : BatchLine(token: text)
    }
}

/// The answer to one line of a batch, and the claim that was made for it.
struct BatchAnswer {
    /// The line that is written.
    let answer: JSONLine

    /// Whether the line was refused.
    var isRefused = false

    /// The claim, which is settled after the answer is written or discarded.
    var claim: UnwrittenClaim?

    /// Returns the answer to a line with another form than an envelope's, with a refused token, or against the options.
    static func refused(_ failure: CommandFailure, id: [UInt8]?) -> BatchAnswer {
        let error = failure.refusal ?? PaymentTokenError(.invalidOptions)
        return BatchAnswer(
            answer: .refused(error, id: id, message: failure.message), isRefused: true)
    }
}
