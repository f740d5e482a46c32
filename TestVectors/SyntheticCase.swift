public import Foundation

/// One line of cases.jsonl.
public struct SyntheticCase: Decodable, Identifiable, Sendable, CustomStringConvertible {
    /// The required verdict of a verifier.
    public enum Expectation: String, Decodable, Sendable {
        /// The token is valid.
        case accept
        /// The token is invalid.
        case reject
        /// Either verdict is acceptable.
        case either
    }

    /// The name, `group/case`.
    public let id: String

    /// The group.
    public let group: String

    /// A description in one line of text.
    public let comment: String

    /// The token's text, which may be neither JSON nor UTF-8.
    public let token: [UInt8]

    /// The time of use.
    public let now: Date

    /// The verdict.
    public let expect: Expectation

    /// The check that fails first, or the checks of which one may fail; empty for accepted tokens.
    public let stages: [String]

    /// The members of the payment data if the token is accepted.
    public let plaintext: JSONTree?

    /// Texts that must not appear in an error.
    public let sensitive: [String]

    /// For rejected tokens: `security`, or `form` if an attacker does not benefit.
    public let severity: String?

    /// The name.
    public var description: String { id }

    private enum CodingKeys: CodingKey {
        case id, group, comment, token, now, expect, stage, stages, plaintext, sensitive, severity
    }

    /// Decodes a case, in which lone surrogates have already been replaced.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        group = try members.decode(String.self, forKey: .group)
        comment = try members.decode(String.self, forKey: .comment)
        now = try members.decode(Date.self, forKey: .now)
        expect = try members.decode(Expectation.self, forKey: .expect)
        plaintext = try members.decodeIfPresent(JSONTree.self, forKey: .plaintext)
        sensitive = try members.decodeIfPresent([String].self, forKey: .sensitive) ?? []
        severity = try members.decodeIfPresent(String.self, forKey: .severity)
        let stage = try members.decodeIfPresent(String.self, forKey: .stage)
        stages =
            try members.decodeIfPresent([String].self, forKey: .stages)
            ?? (stage.map { [$0] } ?? [])
        switch try members.decode(JSONTree.self, forKey: .token) {
        case .string(let text): token = SurrogateEscapes.bytes(of: text)
        case let tree: token = Array(try JSONEncoder().encode(tree))
        }
    }
}
