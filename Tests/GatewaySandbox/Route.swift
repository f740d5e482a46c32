import Foundation

/// A gateway of the sandbox: its requests and the form of its errors.
struct SandboxGateway: Sendable {
    /// How a gateway recognizes a repeated request.
    struct Idempotency: Sendable {
        /// The header with the key.
        let header: String

        /// Whether another request with the same key is an error; otherwise it receives the first answer.
        let refusesOtherRequests: Bool

        /// The header that marks the answer to a repeated request; nil if there is none.
        ///
        /// Its value is the time of the first request, in milliseconds since 1970.
        var replayHeader: String?
    }

    /// The gateway's name in `paytoken request`.
    let name: String

    /// How repeated requests are recognized; nil if the gateway does not recognize them.
    var idempotency: Idempotency?

    /// Returns an error in the gateway's format.
    let fault: @Sendable (Fault, SandboxRequest) -> SandboxAnswer

    /// The requests that the gateway answers.
    let routes: [Route]
}

/// A request that a gateway answers.
struct Route: Sendable {
    /// The form of a request's body.
    enum BodyForm: Sendable {
        /// The body is a JSON object.
        case json

        /// The body is a JSON object, or is empty.
        case optionalJSON

        /// The body is a form, which is read as an object of strings.
        case form

        /// The body is not read.
        case none
    }

    /// The function that processes a request.
    typealias Action = @Sendable (Call, inout PaymentBook) -> Reply

    /// The method.
    let method: String

    /// The path; `*` matches one segment.
    let path: String

    /// The credentials that the request must have.
    let credentials: Credentials

    /// The form of the body.
    let body: BodyForm

    /// The members that the body must have.
    let members: [RequiredMember]

    /// Processes the request.
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

    /// Returns the segments of a path that match `*`; nil if the path does not match.
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
    /// The types of required members.
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

        /// An object or an array that is not empty.
        case container
    }

    /// The paths of the member; one of them must exist.
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

/// A reason why a request fails.
enum Fault: Sendable {
    /// The credentials or the signature are wrong or missing.
    case unauthorized

    /// The body does not match its content type.
    case malformed

    /// A member is missing or has another type.
    case missing(String)

    /// The idempotency key was used before for another request.
    case reusedKey

    /// The payment, session or order does not exist.
    case notFound

    /// The state of the payment does not permit the request.
    case refused(SandboxPayment.Refusal)

    /// The payment repeats another one.
    case duplicate

    /// The gateway failed; with the HTTP status, unless the vendor uses another one.
    case failed(Int)
}
