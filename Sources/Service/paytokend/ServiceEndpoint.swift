internal import ApplePayGateways
internal import ApplePayPrograms
internal import ApplePayServiceHTTP

/// A path of the service, what it needs, and how it answers: the source of routing, of checks, and of the description for
/// clients.
final class ServiceEndpoint: Sendable {
    let method: ServiceHead.Method
    /// The path, with `{reference}` or `{gateway}` for a segment that varies.
    let path: String
    /// The roles of which a client needs one; none for a path that every client may ask.
    let roles: Set<ServiceRole>
    /// One sentence without a capital letter and a full stop.
    let summary: String
    /// The parameters of the query, with their meaning.
    let parameters: [(name: String, meaning: String)]
    /// The members of the body; nil without a body.
    let body: [MemberDescription]?
    /// The statuses of answers, with their meaning.
    let answers: [(status: Int, meaning: String)]
    let run: @Sendable (ServiceCall) throws(ServiceReply) -> ServiceReply

    /// The segments of the path; nil for one that varies.
    private let segments: [String?]

    init(
        _ method: ServiceHead.Method, _ path: String, _ roles: Set<ServiceRole>, _ summary: String,
        parameters: [(name: String, meaning: String)] = [], body: [MemberDescription]? = nil,
        answers: [(status: Int, meaning: String)],
        run: @escaping @Sendable (ServiceCall) throws(ServiceReply) -> ServiceReply
    ) {
        self.method = method
        self.path = path
        self.roles = roles
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.run = run
        segments = path.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
    }

    /// Returns whether a path is this endpoint's.
    func matches(_ path: [String]) -> Bool {
        path.count == segments.count && zip(segments, path).allSatisfy { $0 == nil || $0 == $1 }
    }

    private static let (healthPath, readyPath) = ("/healthz", "/readyz")

    /// The statuses of answers with their meaning, also of those that this path shares with others.
    var allAnswers: [(status: Int, meaning: String)] {
        answers + [
            (400, "the request is not as described"),
            (403, "the client lacks the role, or a header"),
        ]
            + (roles.isEmpty
                ? [] : [(500, "the decision was made, but cannot be logged; repeat the request")])
    }

    /// Whether programs that watch the service ask it, so that it is answered however many requests are handled.
    var isProbe: Bool { path == Self.healthPath || path == Self.readyPath }

    /// All endpoints, in the order of the description.
    static let all: [ServiceEndpoint] = {
        let outcome = (200, "the state of the order, as pay prints it")
        let operation = (200, "the state of the operation, as payments capture prints it")
        let refused = (
            422, "the token, the payment or the operation was refused, and nothing was charged"
        )
        let unavailable = (
            503, "the ledger, a device or the gateway cannot be reached, or the service is busy"
        )
        let unknown = (404, "the ledger has no payment of this order")
        return [
            ServiceEndpoint(
                .post, "/v1/pay", [.pay], "pay an order with a token, once",
                body: ServiceBody.Payment.members, answers: [outcome, refused, unavailable]
            ) { call throws(ServiceReply) in try call.pay(onPage: false) },
            ServiceEndpoint(
                .post, "/v1/page", [.pay],
                "create the gateway's page on which the customer pays an order, once: its address is url",
                body: ServiceBody.Payment.pageMembers, answers: [outcome, refused, unavailable]
            ) { call throws(ServiceReply) in try call.pay(onPage: true) },
            ServiceEndpoint(
                .get, "/v1/payments", [.operate],
                "the payments that are not settled: those with a second payment, then the oldest first; at most 1000",
                parameters: [("after", "next of the page before; left out for the first one")],
                answers: [
                    (200, "the payments, as payments list prints them, and next if there are more"),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.list() },
            ServiceEndpoint(
                .get, "/v1/changes", [.operate],
                "the orders whose outcomes changed since a cursor, each at least once, and the next cursor; no gateway is asked",
                parameters: [("after", "the last cursor; left out, or 0, to begin")],
                answers: [
                    (
                        200,
                        "at most 1000 orders, as payments changes prints them; none if all were read"
                    ),
                    (409, "the cursor is not one of this ledger as it is now: begin at 0"),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.changes() },
            ServiceEndpoint(
                .get, "/v1/payments/{reference}", [.pay, .operate],
                "the state of an order; the gateway is asked if it can change",
                answers: [outcome, unknown, unavailable]
            ) { call throws(ServiceReply) in try call.state() },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/capture", [.operate],
                "charge the reserved amount of an order or a part of it",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.capture) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/cancel", [.operate],
                "release the reserved amount of an order",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.cancellation) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/refund", [.operate],
                "give the captured amount of an order or a part of it back to the customer",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.refund) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/resolve", [.operate],
                "record a person's decision about an attempt or an operation that the gateway does not decide",
                body: ServiceBody.Decision.members,
                answers: [
                    (200, "the state of the order, as pay prints it, or of the operation"), unknown,
                    refused, unavailable,
                ]
            ) { call throws(ServiceReply) in try call.resolve() },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/adopt", [.operate],
                "record that a payment which the ledger does not have pays an order; the gateway must state that it does",
                body: ServiceBody.Adoption.members, answers: [outcome, refused, unavailable]
            ) { call throws(ServiceReply) in try call.adopt() },
            ServiceEndpoint(
                .post, "/v1/messages/{gateway}", [.pay],
                "verify a gateway's message, or a customer's return from its page, and ask the gateway for the order that it "
                    + "is about",
                body: ServiceBody.Message.members,
                answers: [(200, "status and body of the answer for the gateway")]
            ) { call throws(ServiceReply) in try call.receive() },
            ServiceEndpoint(
                .post, "/v1/session", [.pay],
                "get the merchant session with which a page opens the payment sheet",
                body: ServiceBody.Session.members,
                answers: [
                    (200, "the answer of Apple or of the gateway, unchanged"), refused, unavailable,
                ]
            ) { call throws(ServiceReply) in try call.session() },
            ServiceEndpoint(
                .post, "/v1/cards", [.pay], "begin to add a card to Apple Wallet",
                body: ServiceBody.Card.members,
                answers: [
                    (200, "the state of adding the card, as card add prints it"), refused,
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.addCard() },
            ServiceEndpoint(
                .post, "/v1/verify", [.pay], "verify a token's signature, chain and signing time",
                body: ServiceBody.Token.verificationMembers,
                answers: [(200, "the facts about the token, as verify prints them"), refused]
            ) { call throws(ServiceReply) in try call.verify() },
            ServiceEndpoint(
                .post, "/v1/decrypt", [.pay, .reveal],
                "decrypt a token; masked unless reveal is true, and claimed if claim is",
                body: ServiceBody.Token.members,
                answers: [
                    (200, "the payment data, as decrypt prints it"), refused, unavailable,
                ]
            ) { call throws(ServiceReply) in try call.decrypt() },
            ServiceEndpoint(
                .get, healthPath, [], "whether the service runs", answers: [(200, "it runs")]
            ) { call throws(ServiceReply) in call.health },
            ServiceEndpoint(
                .get, readyPath, [],
                "whether the keys, the ledger and the sender can be used, and which protections the service has; for "
                    + "operators, also its user and the keys that it loaded",
                answers: [(200, "it is ready"), (503, "it is not, and why")]
            ) { call throws(ServiceReply) in call.readiness },
            ServiceEndpoint(
                .get, "/metrics", [], "counts and times in Prometheus' text form",
                answers: [(200, "the metrics")]
            ) { call throws(ServiceReply) in call.metrics },
        ]
    }()
}
