internal import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire
internal import FoundationEssentials

/// `paytoken-testing conform` without `--check`: writes a verdict for each line of vectors, in order.
struct ConformAnswers {
    private let path: String
    private let decryptor: PaymentTokenDecryptor
    private let reports: Bool

    /// Reads the options; `path` is the file of cases.
    init(path: String, _ arguments: Arguments) throws(CommandFailure) {
        self.path = path
        reports = arguments.has(.report)
        let anchor = try TrustAnchor.read(try arguments.required(.trustAnchor))
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
            let reader = try LineReader(path: path, limit: ConformanceCase.limits.textLength)
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
    private typealias Verdict = (answer: JSONLine, stage: PaymentTokenError.Stage?)

    private func verdict(on line: LineReader.Line) -> Verdict {
        guard case .text(let text) = line else { return refuse(.textTooLong) }
        let json: AnswerValue
        do {
            json = try AnswerValue(text, limits: ConformanceCase.limits)
        } catch {
            return refuse(PaymentTokenError(error).code)
        }
        let id = json["id"]?.raw ?? Self.null
        guard let token = token(of: json),
            let date = json["now"]?.quoted.flatMap(InternetTime.date)
        else {
            return (
                Self.refused("\(PaymentTokenError.Stage.json.rawValue)/invalid-case", id), .json
            )
        }
        do {
            let payment = try decryptor.decrypt(token, agePolicy: .received(at: date))
            let answer = JSONLine { json in
                json.begin("ok", id)
                json.paymentData(payment.data, isRevealed: true)
            }
            return (answer, nil)
        } catch {
            return refuse(error.code, id)
        }
    }

    /// Returns a token's text: the object in `token` as it is written in the line, the characters of a string in
    /// `token`, or the bytes that `tokenBase64` encodes.
    private func token(of json: AnswerValue) -> [UInt8]? {
        json.member(orNull: "token")?.characters
            ?? json["tokenBase64"].flatMap {
                $0.isString ? Base64.decoded($0.characters.span) : nil
            }
    }

    private static let null = Array("null".utf8)

    private func refuse(_ code: PaymentTokenError.Code, _ id: [UInt8] = null) -> Verdict {
        (Self.refused(code.rawValue, id), code.stage)
    }

    /// Returns the answer for a refused line: the stage and the code of a name.
    private static func refused(_ name: String, _ id: [UInt8]) -> JSONLine {
        JSONLine { $0.refused(name, id) }
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
