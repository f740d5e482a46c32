import FoundationEssentials

/// A request that a gateway answers.
struct Route: Sendable {
    /// The forms of bodies: a JSON object, one or nothing, a form (read as an object of strings), or anything.
    enum BodyForm: Sendable {
        case json, optionalJSON, form, none
    }

    /// The function that processes a request.
    typealias Action = @Sendable (Call, inout PaymentBook) -> Reply

    /// The method.
    let method: String

    /// The path; `*` matches one segment.
    let path: String

    /// The credentials that the request must have; nil for those of the gateway's other requests.
    let credentials: Credentials?

    /// The form of the body.
    let body: BodyForm

    /// The members that the body must have.
    let members: [RequiredMember]

    /// Processes the request.
    let action: Action

    /// Creates a route with a body: a form, a JSON object, or an optional one if no member is required.
    static func post(
        _ path: String,
        _ members: [RequiredMember] = [],
        by credentials: Credentials? = nil,
        isForm: Bool = false,
        do action: @escaping Action
    ) -> Route {
        let body: BodyForm = isForm ? .form : members.isEmpty ? .optionalJSON : .json
        return Route(
            method: "POST", path: path, credentials: credentials, body: body, members: members,
            action: action)
    }

    /// Creates a route without a body.
    static func get(
        _ path: String,
        by credentials: Credentials? = nil,
        do action: @escaping Action
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
                guard let text = String(segment).percentDecoded, !text.isEmpty else {
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

/// A member that a request must have.
struct RequiredMember: ExpressibleByStringLiteral, Sendable {
    /// The paths of the member; one of them must exist.
    let paths: [String]

    private let isValid: @Sendable (JSON) -> Bool

    /// The path of a text with which the member is not required; nil if it always is.
    private var other: String?

    /// Creates a requirement of a text that is not empty, or of another value.
    init(
        _ paths: String...,
        where isValid: @escaping @Sendable (JSON) -> Bool = { $0.string?.isEmpty == false }
    ) {
        self.paths = paths
        self.isValid = isValid
    }

    /// Creates a requirement of a text that is not empty.
    init(stringLiteral path: String) { self.init(path) }

    /// Returns a requirement of a text with a maximum number of characters.
    static func text(_ path: String, upTo length: Int) -> RequiredMember {
        RequiredMember(path) { (1...length).contains($0.string?.count ?? 0) }
    }

    /// Returns a requirement of a whole number, or of a string of its digits.
    static func amount(_ path: String, from least: Int64 = 0) -> RequiredMember {
        RequiredMember(path) { ($0.integer ?? -1) >= least }
    }

    /// Returns a requirement of a decimal string, such as `30.00`.
    static func decimal(_ path: String) -> RequiredMember {
        RequiredMember(path) { $0.string != nil && $0.units(decimals: 4) != nil }
    }

    /// Returns a requirement of three capital letters.
    static func currency(_ path: String) -> RequiredMember {
        RequiredMember(path) { $0.string?.wholeMatch(of: /[A-Z]{3}/) != nil }
    }

    /// Returns a requirement of an object or an array that is not empty.
    static func container(_ path: String) -> RequiredMember {
        RequiredMember(path) { value in
            switch value {
            case .object(let members): !members.isEmpty
            case .array(let elements): !elements.isEmpty
            default: false
            }
        }
    }

    /// Returns the requirement for bodies without another text.
    func unless(_ path: String) -> RequiredMember {
        var requirement = self
        requirement.other = path
        return requirement
    }

    /// Returns whether a body has the member.
    func isMet(by body: JSON) -> Bool {
        if let other, body[other]?.string?.isEmpty == false { return true }
        return paths.contains { body[$0].map(isValid) ?? false }
    }
}
