internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire

/// The result of comparing a verifier's answer with a vector.
enum ConformanceVerdict: String, CaseIterable {
    /// The answer is right.
    case correct
    /// The verifier refuses the valid token of an optional case, which is permitted.
    case declined
    /// The verifier accepts a token that must be refused, which could help an attacker.
    case falseAccept = "false-accept"
    /// The verifier accepts a token that must be refused for its form, which does not help an attacker.
    case falseAcceptForm = "false-accept-form"
    /// The verifier accepts a valid token, but with other payment data.
    case wrongPlaintext = "wrong-plaintext"
    /// The answer is missing or unreadable, or there is more than one.
    case missingAnswer = "missing-answer"
    /// The verifier refuses a valid token.
    case falseReject = "false-reject"
    /// The verifier refuses the token, but not at the check that fails first.
    case wrongStage = "wrong-stage"

    /// Whether a single such verdict makes the exit status 1.
    var isFailure: Bool {
        switch self {
        case .falseAccept, .falseAcceptForm, .wrongPlaintext, .missingAnswer: true
        case .correct, .declined, .falseReject, .wrongStage: false
        }
    }

    /// Whether the answer is permitted.
    var isAcceptable: Bool { self == .correct || self == .declined }
}

/// A case, and the result of its comparison.
struct ConformanceResult {
    let vector: ConformanceCase

    /// The verdict; `missingAnswer` until an answer is read.
    private(set) var verdict = ConformanceVerdict.missingAnswer

    /// The verifier's answer, in words.
    private(set) var answer = "no answer"

    private var isAnswered = false

    /// Creates the result of a case without an answer.
    init(_ vector: ConformanceCase) {
        self.vector = vector
    }

    /// Reads a line of answers.
    ///
    /// If a verifier accepts a token that decrypts to something else than JSON, the line is not JSON either. As long as
    /// the text before its payment data is, it is an answer, and the payment data are wrong.
    ///
    /// - Returns: The answer; nil if the line has none.
    static func answer(_ line: LineReader.Line) -> AnswerValue? {
        if let answer = ConformanceCase.object(line) { return answer }
        let name = Array(#","paymentData":"#.utf8)
        guard case .text(let text) = line, let range = text.firstRange(of: name) else { return nil }
        return ConformanceCase.object(.text(text[..<range.upperBound] + Array(#"""}"#.utf8)))
    }

    /// Compares an answer with the case.
    ///
    /// After a second answer the case counts as unanswered, because it is unclear which of the two the verifier means.
    mutating func judge(_ line: AnswerValue) {
        guard !isAnswered else {
            (verdict, answer) = (.missingAnswer, "several answers")
            return
        }
        isAnswered = true
        switch line["status"]?.quoted {
        case "ok": judgeAcceptance(line)
        case "error": judgeRefusal(line)
        default: answer = "an answer whose status is neither ok nor error"
        }
    }

    private mutating func judgeAcceptance(_ line: AnswerValue) {
        guard vector.expectation != .reject else {
            verdict = vector.severity == .form ? .falseAcceptForm : .falseAccept
            answer = "accepted"
            return
        }
        let difference = vector.plaintext.flatMap {
            $0.difference(from: line.member(orNull: "paymentData"), path: "paymentData")
        }
        verdict = difference == nil ? .correct : .wrongPlaintext
        answer = difference.map { "accepted; \($0)" } ?? "accepted"
    }

    private mutating func judgeRefusal(_ line: AnswerValue) {
        let stage = line["stage"]?.quoted
        answer = stage.map { "rejected at \($0)" } ?? "rejected"
        if let code = line["code"]?.quoted { answer += " (\(code))" }
        guard vector.expectation != .accept else {
            verdict = vector.isOptional ? .declined : .falseReject
            return
        }
        // A verifier need not report stages.
        guard let stage, !vector.stages.isEmpty else {
            verdict = .correct
            return
        }
        verdict = vector.stages.contains(stage) ? .correct : .wrongStage
    }
}
