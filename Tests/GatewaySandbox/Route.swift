import Foundation

/// A gateway of the sandbox: its requests and the form of its errors.
struct SandboxGateway: Sendable {
    /// How a gateway recognizes a request that is sent again.
    struct Idempotency: Sendable {
        /// The header with the key.
        let header: String

        /// Whether another request with the same key is an error; otherwise it gets the first answer.
        let refusesOtherRequests: Bool

        /// The header that marks the answer to a repeated request with the time of the first one, in
        /// milliseconds since 1970; nil for none.
        var replayHeader: String?
    }

    /// The name, as `paytoken request` has it.
    let name: String

    /// How repeated requests are recognized; nil if they are not.
    var idempotency: Idempotency?

    /// Returns an error in the gateway's format.
    let fault: @Sendable (Fault, SandboxRequest) -> SandboxAnswer

    /// The requests.
    let routes: [Route]
}

/// A request that a gateway answers.
struct Route: Sendable {
    /// How the body is written.
    enum BodyForm: Sendable {
        /// A JSON object.
        case json

        /// A JSON object, or nothing.
        case optionalJSON

        /// A form, read as an object of strings.
        case form

        /// Nothing; a body is not read.
        case none
    }

    /// Carries a request out.
    typealias Action = @Sendable (Call, inout PaymentBook) -> Reply

    /// The method.
    let method: String

    /// The path, in which `*` is one segment.
    let path: String

    /// How the merchant proves who it is.
    let credentials: Credentials

    /// How the body is written.
    let body: BodyForm

    /// The members that the body must have.
    let members: [RequiredMember]

    /// Carries the request out.
    let action: Action

    /// Creates a route with a body.
    static func post(
        _ path: String,
        _ credentials: Credentials,
        _ body: BodyForm = .json,
        _ members: [RequiredMember] = [],
        _ action: @escaping Action
    ) -> Route {
        Route(
            method: "POST", path: path, credentials: credentials, body: body, members: members,
            action: action)
    }

    /// Creates a route without a body.
    static func get(
        _ path: String,
        _ credentials: Credentials,
        _ action: @escaping Action
    ) -> Route {
        Route(
            method: "GET", path: path, credentials: credentials, body: .none, members: [],
            action: action)
    }

    /// Returns the segments of a path that stand for `*`; nil if the path is another one.
    func wildcards(in path: String) -> [String]? {
        let pattern = self.path.split(separator: "/")
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard pattern.count == segments.count else { return nil }
        var found: [String] = []
        for (expected, segment) in zip(pattern, segments) {
            if expected == "*" {
                guard let text = String(segment).removingPercentEncoding, !text.isEmpty else {
                    return nil
                }
                found.append(text)
            } else if expected != segment {
                return nil
            }
        }
        return found
    }
}

/// A member that a request must have, with its type.
struct RequiredMember: Sendable {
    /// The types of members.
    enum Kind: Sendable {
        /// A string that is not empty.
        case text

        /// A whole number of 0 or more, or a string of its digits.
        case amount

        /// A decimal string, such as `30.00`.
        case decimal

        /// Three capital letters.
        case currency

        /// `true` or `false`.
        case boolean

        /// An object or an array with something in it.
        case container
    }

    /// Paths of which one must be there.
    let paths: [String]

    /// The type.
    let kind: Kind

    /// Creates a requirement.
    init(_ paths: String..., is kind: Kind = .text) {
        self.paths = paths
        self.kind = kind
    }

    /// Returns whether a body has the member.
    func isMet(by body: JSON) -> Bool {
        paths.contains { path in
            guard let value = body[path] else { return false }
            return switch kind {
            case .text: value.string?.isEmpty == false
            case .amount: (value.integer ?? -1) >= 0
            case .decimal: value.string != nil && value.minorUnits != nil
            case .currency:
                value.string.map {
                    $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) }
                } ?? false
            case .boolean: value.boolean != nil
            case .container: value != .object([]) && value != .array([]) && value.isContainer
            }
        }
    }
}

extension JSON {
    /// Whether the value is an object or an array.
    fileprivate var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}

/// A reason for which a request fails.
enum Fault: Sendable {
    /// The credentials or the signature are wrong or missing.
    case unauthorized

    /// The body is not what its content type promises.
    case malformed

    /// A member is missing or has another type.
    case missing(String)

    /// An idempotency key was used for another request.
    case reusedKey

    /// The payment, session or order is unknown.
    case notFound

    /// The payment is not in a state that permits the request.
    case refused(SandboxPayment.Refusal)

    /// The payment repeats another one.
    case duplicate

    /// The gateway failed; the HTTP status, unless the vendor uses another one.
    case failed(Int)
}
