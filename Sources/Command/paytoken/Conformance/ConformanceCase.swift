internal import ApplePayWire

/// A vector: a token, and the verdict that it expects from a verifier.
struct ConformanceCase {
    /// Whether the token is valid.
    enum Expectation: String {
        /// A verifier accepts it.
        case accept
        /// A verifier refuses it.
        case reject
        /// Careful verifiers may disagree.
        case either
    }

    /// The name.
    let id: String

    /// The group, for totals.
    let group: String

    /// One sentence that describes the token.
    let comment: String

    /// The verdict.
    let expectation: Expectation

    /// The stages of which one must refuse the token; empty if the token is valid or the case does not list any.
    let stages: [String]

    /// The members to which an accepted token decrypts, as JSON; nil if the case does not list them.
    let plaintext: [UInt8]?

    /// Whether the case tests an optional feature of this project, so that a verifier may refuse the valid token.
    let isOptional: Bool

    /// Reads a line of cases.
    ///
    /// - Returns: nil for a line that is not a case.
    init?(_ line: JSONDocument) {
        guard let id = line.string("id"), let text = line.string("expect"),
            let expectation = Expectation(rawValue: text)
        else { return nil }
        self.id = id
        group = line.string("group") ?? String(id.prefix { $0 != "/" })
        comment = line.string("comment") ?? ""
        self.expectation = expectation
        if let stages = line.member("stages", of: line.root) {
            guard stages.kind == .array else { return nil }
            let names = line.elements(of: stages).map { line.string($0) }
            self.stages = names.compactMap(\.self)
            guard self.stages.count == names.count else { return nil }
        } else {
            stages = line.string("stage").map { [$0] } ?? []
        }
        let plaintext = line.member("plaintext", of: line.root)
        guard plaintext == nil || plaintext?.kind == .object else { return nil }
        self.plaintext = plaintext.map(line.raw)
        // Without the expected payment data, wrong payment data in an answer would not be detected.
        guard expectation != .accept || plaintext != nil else { return nil }
        switch line.member("optional", of: line.root)?.kind {
        case nil, .false: isOptional = false
        case .true: isOptional = true
        default: return nil
        }
    }

    /// The expected verdict, in words.
    var expected: String {
        let refusal = stages.isEmpty ? "reject" : "reject at \(stages.joined(separator: " or "))"
        return switch expectation {
        case .accept: isOptional ? "accept, or reject" : "accept"
        case .reject: refusal
        case .either: "accept, or \(refusal)"
        }
    }
}
