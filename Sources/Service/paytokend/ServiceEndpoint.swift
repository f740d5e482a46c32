internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayServiceHTTP
internal import ApplePayWire

/// A path of the service, what it needs, and how it answers: the source of routing, of checks, and of the description for
/// clients.
final class ServiceEndpoint: Sendable {
    let method: ServiceHead.Method
    /// The path, with `{reference}` or `{gateway}` for a segment that varies.
    let path: String
    /// What a client calls it: `operationId`, which does not change between releases.
    let name: String
    /// The roles of which a client needs one; none for a path that every client may ask.
    let roles: Set<ServiceRole>
    /// One sentence without a capital letter and a full stop.
    let summary: String
    /// The parameters of the query, with their meaning.
    let parameters: [(name: String, meaning: String)]
    /// The members of the body; nil without a body.
    let body: [MemberDescription]?
    /// The answers that are not those of every endpoint, one for each status.
    let answers: [Answer]
    let run: @Sendable (ServiceCall) throws(ServiceReply) -> ServiceReply

    /// The segments of the path; nil for one that varies.
    private let segments: [String?]

    init(
        _ method: ServiceHead.Method, _ path: String, _ name: String, _ roles: Set<ServiceRole>,
        _ summary: String,
        parameters: [(name: String, meaning: String)] = [], body: [MemberDescription]? = nil,
        answers: [Answer],
        run: @escaping @Sendable (ServiceCall) throws(ServiceReply) -> ServiceReply
    ) {
        self.method = method
        self.path = path
        self.name = name
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

    /// Returns the path of an endpoint that a client probably means by the segments of another path: its version is missing or
    /// another one, or it is misspelled; nil if there is none.
    static func meant(by segments: [String]) -> String? {
        let versioned = [["v1"] + segments, ["v1"] + segments.dropFirst()].lazy.compactMap { path in
            all.first { $0.matches(path) }?.path
        }.first
        return versioned ?? all.map(\.path).suggestion(for: "/" + segments.joined(separator: "/"))
    }

    /// The last segments of the paths below that of an order.
    static var verbs: [String] {
        all.filter { $0.path.hasPrefix("/v1/payments/{reference}/") }.compactMap {
            $0.segments.last ?? nil
        }
    }

    private static let (healthPath, readyPath) = ("/healthz", "/readyz")

    /// An answer with one status.
    struct Answer: Sendable {
        let status: Int
        let meaning: String
        let body: ServiceReplyBody

        init(_ meaning: String, _ body: ServiceReplyBody, status: Int = 200) {
            (self.status, self.meaning, self.body) = (status, meaning, body)
        }

        /// Creates an answer to a request that is refused, with an example.
        init(_ meaning: String, _ reply: ServiceReply) {
            self.init(meaning, .error(reply), status: reply.status)
        }
    }

    /// The statuses of answers that are counted for this path.
    var countedStatuses: [Int] {
        (answers + Self.checked).map(\.status) + (roles.isEmpty ? [] : [Self.unlogged.status])
    }

    /// The answers that this endpoint shares with others.
    var sharedAnswers: [Answer] {
        Self.shared.filter { shared in
            !answers.contains { $0.status == shared.status }
                && (shared.status != Self.unlogged.status || !roles.isEmpty)
                && (shared.status != 415 || body != nil)
        }
    }

    /// The answers that several endpoints give.
    static let shared = checked + [unlogged] + early

    /// The answers of the checks before an endpoint runs.
    private static let checked = [
        Answer(
            "the request is not as described",
            .fault(
                400, "invalid-body",
                "The member order.amount must be a whole number of minor units, such as 1099 for 10.99 EUR, without "
                    + "quotation marks.",
                member: "order.amount")),
        Answer(
            "the client lacks the role, or a header",
            .fault(
                403, "role-missing",
                "The user 1001 does not have the role operate; start paytokend with \(CommandOption.allow) 1001=operate to give "
                    + "it, or ask as a user who has it."
            )),
    ]

    private static let unlogged = Answer(
        "the decision was made, but cannot be logged; repeat the request", .unlogged)

    /// The answers to requests that reach no endpoint, and are not counted for its path.
    private static let early =
        RequestFault.others.map { Answer($0.reason, $0.reply) }
        + [
            Answer(
                "the path needs another method",
                .wrongMethod(.post)),
            Answer("the service is busy", .busy),
        ]

    /// Whether programs that watch the service ask it, so that it is answered however many requests are handled.
    var isProbe: Bool { path == Self.healthPath || path == Self.readyPath }

    /// All endpoints, in the order of the description.
    static let all: [ServiceEndpoint] = {
        let outcome = "the state of the order, as pay prints it"
        let operation = Answer(
            "the state of the operation, as payments capture prints it", .operation)
        let refusal =
            "the token, the payment or the operation was refused, and nothing was charged"
        let refusedToken = Answer(
            refusal, .refused(.token(PaymentTokenError(.messageDigestMismatch))))
        let refused = Answer(refusal, .refused(PaymentError(.referenceChanged)))
        let unavailable = Answer(
            "the ledger, a device or the gateway cannot be reached, or the service is busy",
            .refused(PaymentError(.ledgerUnavailable)))
        let unknown = Answer(
            "the ledger has no payment of this order", .refused(.noPayment(of: "order-1001")))
        let unknownGateway = Answer(
            "the service has no such gateway",
            .fault(
                404, "unknown-gateway", "Name a gateway of this service: adyen or bepaid.",
                member: "gateway"))
        let unknownEither = Answer(
            "\(unknown.meaning), or \(unknownGateway.meaning)", unknown.body, status: 404)
        let unknownSerial = Answer(
            "no attempt of the order has the serial again, or \(unknownGateway.meaning)",
            unknown.body, status: 404)
        return [
            ServiceEndpoint(
                .post, "/v1/pay", "pay", [.pay], "pay an order with a token, once",
                body: ServiceBody.Payment.members,
                answers: [Answer(outcome, .paid), unknownSerial, refusedToken, unavailable]
            ) { call throws(ServiceReply) in try call.pay(onPage: false) },
            ServiceEndpoint(
                .post, "/v1/page", "createPage", [.pay],
                "create the gateway's page on which the customer pays an order, once: its address is url",
                body: ServiceBody.Payment.pageMembers,
                answers: [Answer(outcome, .page), unknownSerial, refused, unavailable]
            ) { call throws(ServiceReply) in try call.pay(onPage: true) },
            ServiceEndpoint(
                .get, "/v1/payments", "listPayments", [.operate],
                "the payments that are not settled: those with a second payment, then the oldest first; at most 1000",
                parameters: [("after", "next of the page before; left out for the first one")],
                answers: [
                    Answer(
                        "the payments, as payments list prints them, and next if there are more",
                        .payments),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.list() },
            ServiceEndpoint(
                .get, "/v1/changes", "listChanges", [.operate],
                "the orders whose outcomes changed since a cursor, each at least once, and the next cursor; no gateway is asked",
                parameters: [("after", "the last cursor; left out, or 0, to begin")],
                answers: [
                    Answer(
                        "at most 1000 orders, as payments changes prints them; none if all were read",
                        .changes),
                    Answer(
                        "the cursor is not one of this ledger as it is now: begin at 0",
                        .unknownCursor),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.changes() },
            ServiceEndpoint(
                .get, "/v1/payments/{reference}", "showPayment", [.pay, .operate],
                "the state of an order; the gateway is asked if it can change",
                answers: [Answer(outcome, .state), unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.state() },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/capture", "capturePayment", [.operate],
                "charge the reserved amount of an order or a part of it",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.capture) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/cancel", "cancelPayment", [.operate],
                "release the reserved amount of an order",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.cancellation) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/refund", "refundPayment", [.operate],
                "give the captured amount of an order or a part of it back to the customer",
                body: ServiceBody.Operation.members,
                answers: [operation, unknown, refused, unavailable]
            ) { call throws(ServiceReply) in try call.perform(.refund) },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/resolve", "resolvePayment", [.operate],
                "record a person's decision about an attempt or an operation that the gateway does not decide",
                body: ServiceBody.Decision.members,
                answers: [
                    Answer("\(outcome), or of the operation", .decided), unknownEither, refused,
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.resolve() },
            ServiceEndpoint(
                .post, "/v1/payments/{reference}/adopt", "adoptPayment", [.operate],
                "record that a payment which the ledger does not have pays an order; the gateway must state that it does",
                body: ServiceBody.Adoption.members,
                answers: [Answer(outcome, .state), unknownEither, refused, unavailable]
            ) { call throws(ServiceReply) in try call.adopt() },
            ServiceEndpoint(
                .post, "/v1/messages/{gateway}", "receiveMessage", [.pay],
                "verify a gateway's message, or a customer's return from its page, and ask the gateway for the order that it "
                    + "is about",
                body: ServiceBody.Message.members,
                answers: [
                    Answer("status and body of the answer for the gateway", .message),
                    unknownGateway, unavailable,
                ]
            ) { call throws(ServiceReply) in try call.receive() },
            ServiceEndpoint(
                .post, "/v1/session", "getSession", [.pay],
                "get the merchant session with which a page opens the payment sheet",
                body: ServiceBody.Session.members,
                answers: [
                    Answer("the answer of Apple or of the gateway, unchanged", .session),
                    unknownGateway,
                    Answer(
                        "the gateway gives no sessions, or the request was refused",
                        .fault(
                            422, "no-sessions",
                            "adyen gives no merchant sessions; ask Apple's server.",
                            member: "gateway")),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.session() },
            ServiceEndpoint(
                .post, "/v1/cards", "addCard", [.pay], "begin to add a card to Apple Wallet",
                body: ServiceBody.Card.members,
                answers: [
                    Answer("the state of adding the card, as card add prints it", .card),
                    unknownGateway,
                    Answer("the request was refused", .refused(PaymentError(.unsupportedLength))),
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.addCard() },
            ServiceEndpoint(
                .post, "/v1/verify", "verifyToken", [.pay],
                "verify a token's signature, chain and signing time",
                body: ServiceBody.Token.verificationMembers,
                answers: [
                    Answer("the facts about the token, as verify prints them", .verified),
                    refusedToken, unavailable,
                ]
            ) { call throws(ServiceReply) in try call.verify() },
            ServiceEndpoint(
                .post, "/v1/decrypt", "decryptToken", [.pay, .reveal],
                "decrypt a token; masked unless reveal is true, and claimed if claim is",
                body: ServiceBody.Token.members,
                answers: [
                    Answer("the payment data, as decrypt prints it", .decrypted), refusedToken,
                    unavailable,
                ]
            ) { call throws(ServiceReply) in try call.decrypt() },
            ServiceEndpoint(
                .get, healthPath, "getHealth", [], "whether the service runs",
                answers: [Answer("it runs", .health)]
            ) { call throws(ServiceReply) in call.health },
            ServiceEndpoint(
                .get, readyPath, "getReadiness", [],
                "whether the keys, the ledger and the sender can be used, and which protections the service has; for "
                    + "operators, also its user and the keys that it loaded",
                answers: [
                    Answer("it is ready", .ready),
                    Answer("it is not, and why; or the service is busy", .notReady, status: 503),
                ]
            ) { call throws(ServiceReply) in call.readiness },
            ServiceEndpoint(
                .get, "/metrics", "getMetrics", [], "counts and times in Prometheus' text form",
                answers: [Answer("the metrics", .metrics)]
            ) { call throws(ServiceReply) in call.metrics },
        ]
    }()
}
