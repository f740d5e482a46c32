internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire

/// A vector: a token, and the verdict that it expects from a verifier.
struct ConformanceCase {
    /// Whether the token is valid.
    enum Expectation: String, CaseIterable {
        /// A verifier accepts it.
        case accept
        /// A verifier refuses it.
        case reject
        /// Careful verifiers may disagree.
        case either
    }

    /// Whether accepting a token that must be refused could help an attacker.
    enum Severity: String, CaseIterable {
        /// It could.
        case security
        /// It could not: only the token's form is at fault.
        case form
    }

    /// The name.
    let id: ExactText

    /// The group, for totals.
    let group: ExactText

    /// One sentence that describes the token.
    let comment: ExactText

    /// The verdict.
    let expectation: Expectation

    /// The stages of which one must refuse the token; empty if the token is valid or the case does not list any.
    let stages: [ExactText]

    /// The severity of accepting the token if it must be refused; `security` if the case does not state it.
    let severity: Severity

    /// The members to which an accepted token decrypts; nil if the case does not list them.
    let plaintext: AnswerValue?

    /// Whether the case tests an optional feature of this project, so that a verifier may refuse the valid token.
    let isOptional: Bool

    /// The limits of a case or an answer: the length of a token of 256 KiB with each byte written as a six-byte escape, and
    /// the members around it; the depth of its object, 1, plus the greatest depth of a token inside it.
    static let limits = JSONIndex.Limits(textLength: 2 << 20, depth: 17, byteEscapes: true)

    /// Reads a line of cases or answers; nil for a line that is too long, or not JSON, or not an object.
    static func object(_ line: LineReader.Line) -> AnswerValue? {
        guard case .text(let text) = line, let value = try? AnswerValue(text, limits: limits),
            value.isObject
        else { return nil }
        return value
    }

    /// Reads a line of cases.
    ///
    /// - Returns: nil for a line that is not a case.
    init?(_ line: AnswerValue) {
        guard let id = line["id"]?.quoted, let text = line["expect"]?.quoted,
            let expectation = Expectation(text)
        else { return nil }
        self.id = id
        group =
            line["group"]?.quoted
            ?? ExactText(utf8: id.utf8.prefix { $0 != UInt8(ascii: "/") })
        comment = line["comment"]?.quoted ?? ""
        self.expectation = expectation
        if let stages = line.member(orNull: "stages") {
            guard stages.isArray else { return nil }
            let names = stages.elements.map(\.quoted)
            self.stages = names.compactMap(\.self)
            guard self.stages.count == names.count else { return nil }
        } else {
            stages = line["stage"]?.quoted.map { [$0] } ?? []
        }
        if let text = line.member(orNull: "severity") {
            guard let severity = text.quoted.flatMap({ Severity($0) }) else { return nil }
            self.severity = severity
        } else {
            severity = .security
        }
        plaintext = line.member(orNull: "plaintext")
        guard plaintext?.isObject != false else { return nil }
        // Without the expected payment data, wrong payment data in an answer would not be detected.
        guard expectation != .accept || plaintext != nil else { return nil }
        switch line.member(orNull: "optional")?.kind {
        case nil, .false: isOptional = false
        case .true: isOptional = true
        default: return nil
        }
    }

    /// The expected verdict, in words.
    var expected: String {
        let refusal =
            stages.isEmpty ? "reject" : "reject at \(stages.map(\.description).alternatives)"
        return switch expectation {
        case .accept: isOptional ? "accept, or reject" : "accept"
        case .reject: refusal
        case .either: "accept, or \(refusal)"
        }
    }
}
