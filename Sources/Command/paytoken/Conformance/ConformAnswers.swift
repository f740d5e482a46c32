internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// `paytoken conform` without `--check`: writes a verdict for each line of vectors, in order.
struct ConformAnswers {
    private let path: String
    private let decryptor: PaymentTokenDecryptor
    private let reports: Bool

    /// Reads the options; `path` is the file of cases.
    init(path: String, _ arguments: Arguments) throws(CommandFailure) {
        self.path = path
        reports = arguments.has(.report)
        let anchor = try TokenOptions.anchor(try arguments.required(.trustAnchor))
        let keyring = try KeyOptions(folder: try arguments.required(.keys)).keyring()
        decryptor = try failing { () throws(PaymentTokenError) in
            try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
        }
    }

    /// Answers every line.
    func run() throws(CommandFailure) -> ExitStatus {
        var accepted = 0
        var refused: [PaymentTokenError.Stage: Int] = [:]
        Notice.announce(path, "test vectors")
        let isWritten = try failing { () throws(FileError) in
            let reader = try LineReader(path: path, limit: ConformanceLine.lengthLimit)
            while let line = try reader.next() {
                let verdict = verdict(on: line)
                if let stage = verdict.stage {
                    refused[stage, default: 0] += 1
                } else {
                    accepted += 1
                }
                guard verdict.answer.write() else { return false }
            }
            return true
        }
        guard isWritten else { return .means }
        if reports { report(accepted, refused) }
        return .done
    }

    /// The answer to a line, and the stage that refused the token.
    private typealias Verdict = (answer: Answer, stage: PaymentTokenError.Stage?)

    private func verdict(on line: LineReader.Line) -> Verdict {
        let null: [UInt8] = Array("null".utf8)
        guard case .text(let text) = line else {
            return refuse(null, .textTooLong)
        }
        let index: JSONIndex
        do {
            index = try JSONIndex(text.span, limits: ConformanceLine.limits)
        } catch {
            return refuse(null, PaymentTokenError(error).code)
        }
        let id =
            index.member("id", of: index.root, in: text.span)
            .map { Array(text[$0.range]) } ?? null
        guard let token = token(of: index, text),
            let now = index.member("now", of: index.root, in: text.span), now.kind == .string,
            let date = TokenOptions.date(index.string(now, in: text.span))
        else {
            return refuse(id, .invalidCase)
        }
        do {
            let payment = try decryptor.decrypt(token, agePolicy: .received(at: date))
            return (Answer.conforming(id: id, payment), nil)
        } catch {
            return refuse(id, error.code)
        }
    }

    /// Returns a token's text: the object in `token` as it is written in the line, the characters of a string in
    /// `token`, or the bytes that `tokenBase64` encodes.
    private func token(of index: JSONIndex, _ text: [UInt8]) -> [UInt8]? {
        if let token = index.member("token", of: index.root, in: text.span) {
            return token.kind == .string
                ? JSONIndex.characters(of: token, in: text.span) : Array(text[token.range])
        }
        guard let token = index.member("tokenBase64", of: index.root, in: text.span),
            token.kind == .string
        else { return nil }
        return Base64.decoded(JSONIndex.characters(of: token, in: text.span).span)
    }

    private func refuse(_ id: [UInt8], _ code: PaymentTokenError.Code) -> Verdict {
        (Answer.refused(id: id, code), code.stage)
    }

    private func report(_ accepted: Int, _ refused: [PaymentTokenError.Stage: Int]) {
        var text = "accepted \(accepted)\n"
        for stage in PaymentTokenError.Stage.allCases {
            if let count = refused[stage] {
                text += "refused at \(stage.rawValue) \(count)\n"
            }
        }
        StandardStream.error.write(text)
    }
}
