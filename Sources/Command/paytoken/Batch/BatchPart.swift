internal import ApplePayAcceptance
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// The answers to some consecutive lines, in one buffer that is wiped.
final class BatchPart: Sendable {
    /// The number of lines answered.
    let count: Int

    /// The number of these lines that were refused.
    let refused: Int

    /// Whether a signal ended the work before all lines were answered.
    private let isCutShort: Bool

    private let text: SensitiveBytes

    /// Answers lines, or after a signal only the first of them.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - answer: Returns the answer to a token, or throws its refusal, which becomes the answer.
    init(
        _ lines: [LineReader.Line], _ answer: ([UInt8]) throws(PaymentError) -> JSONLine
    ) {
        var answers = SecretBuffer()
        var (count, refused) = (0, 0)
        for line in lines {
            guard !Interruption.isWorkOver else { break }
            let written: JSONLine
            var text: [UInt8] = []
            do throws(PaymentError) {
                guard case .text(let token) = line else {
                    throw PaymentError.token(PaymentTokenError(.textTooLong))
                }
                text = token
                written = try answer(token)
            } catch {
                // The batch continues after a token that is refused.
                written = .refused(error, text)
                refused += 1
            }
            written.bytes.withRevealedBytes { answers.append($0) }
            count += 1
        }
        self.count = count
        self.refused = refused
        isCutShort = count < lines.count
        self.text = answers.sensitiveBytes()
    }

    /// Writes the answers to standard output.
    ///
    /// - Returns: Whether answers to later lines may be written: all lines of this part were answered, and all answers
    ///   were written.
    func write() -> Bool {
        text.withRevealedBytes { StandardStream.output.write($0) } == text.count && !isCutShort
    }
}
