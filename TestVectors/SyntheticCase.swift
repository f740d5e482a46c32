public import Foundation

/// One line of cases.jsonl.
public struct SyntheticCase: Decodable, Identifiable, Sendable, CustomStringConvertible {
    /// What a verifier must say.
    public enum Expectation: String, Decodable, Sendable {
        /// The token is valid.
        case accept
        /// The token is not.
        case reject
        /// Careful verifiers may differ.
        case either
    }

    /// The name, `group/what`.
    public let id: String

    /// The group.
    public let group: String

    /// One plain line.
    public let comment: String

    /// The token's text, which may be no JSON and no UTF-8.
    public let token: [UInt8]

    /// The time of use.
    public let now: Date

    /// The verdict.
    public let expect: Expectation

    /// The check that fails first, or the checks of which one may; empty for accepted ones.
    public let stages: [String]

    /// The members that come back when the token is accepted.
    public let plaintext: JSONTree?

    /// Texts that must not appear in an error.
    public let sensitive: [String]

    /// For rejected ones: `security`, or `form` where nobody gains by it.
    public let severity: String?

    /// The name.
    public var description: String { id }

    private enum CodingKeys: CodingKey {
        case id, group, comment, token, now, expect, stage, stages, plaintext, sensitive, severity
    }

    /// Reads a case; lone surrogates must have been replaced before.
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
