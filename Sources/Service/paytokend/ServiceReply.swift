internal import ApplePayAcceptance
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayServiceHTTP

/// An answer to a client; as an error, it ends a request early.
struct ServiceReply: Error {
    /// The HTTP status.
    var status = 200
    let body: SensitiveBytes
    /// The type of the body.
    var contentType = ServiceAnswer.ContentType.json
    /// After how many seconds the client may try again, for status 503.
    var retryAfter: Int?
    /// The methods that the path permits, for status 405.
    var allow: [ServiceHead.Method] = []

    /// Creates an answer with JSON.
    init(_ line: JSONLine, status: Int = 200, retryAfter: Int? = nil) {
        body = line.bytes
        self.status = status
        self.retryAfter = retryAfter
    }

    /// Creates an answer with another server's JSON, unchanged.
    init(unchanged json: SensitiveBytes) { body = json }

    /// Creates the answer with metrics.
    init(metrics text: String) {
        body = SensitiveBytes(copying: Array(text.utf8).span)
        contentType = .metrics
    }

    /// Creates the answer to a request that cannot be served.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - code: The reason, for programs.
    ///   - message: The reason, and what to do, for people.
    ///   - member: The member of the body at fault.
    ///   - retryAfter: After how many seconds the client may try again.
    /// - Returns: The answer, with an object like that of a refused token.
    static func fault(
        _ status: Int, _ code: String, _ message: String, member: String? = nil,
        retryAfter: Int? = nil
    ) -> ServiceReply {
        let line = JSONLine { json in
            json.member("status", "error")
            json.member("stage", "request")
            json.member("code", code)
            json.member("member", member)
            json.member("message", message.printable)
        }
        return ServiceReply(line, status: status, retryAfter: retryAfter)
    }

    /// Returns the answer to a request with another method than its path needs.
    static func wrongMethod(_ needed: ServiceHead.Method) -> ServiceReply {
        var reply = fault(
            405, "wrong-method", "This path needs the method \(needed.rawValue).")
        reply.allow = [needed]
        return reply
    }

    /// Returns the answer to a request with a path that the service does not have.
    static func unknownPath(_ segments: [String]) -> ServiceReply {
        let ofOrder =
            segments.map { ExactText($0) }.starts(with: ["v1", "payments"])
            ? "; after the reference comes \(ServiceEndpoint.verbs.alternatives), and a slash in a reference is %2F, as in "
                + "/v1/payments/a%2Fb."
            : "."
        let meant = ServiceEndpoint.meant(by: segments).map { "; did you mean \($0)?" } ?? ofOrder
        return fault(
            404, "unknown-path",
            "The service has no such path\(meant) `paytokend \(CommandOption.describe)` lists the paths."
        )
    }

    /// Returns the answer to a refused token, payment or operation: 503 if the operator must act, 404 for an order without
    /// payments, and otherwise 422.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - token: The token's text; nil without one.
    ///   - isTesting: Whether the service trusts the root of a test tool in place of Apple's.
    /// - Returns: The answer.
    static func refused(
        _ error: PaymentError, _ token: [UInt8]? = nil, isTesting: Bool = false
    ) -> ServiceReply {
        let status =
            switch error.code {
            case .noPayment: 404
            case .referenceChanged, .invalidReference, .unsupportedEMV: 422
            default: error.disposition == .operator ? 503 : 422
            }
        let line =
            token.map { JSONLine.refused(error, $0, isTesting: isTesting) } ?? .refused(error)
        return ServiceReply(line, status: status)
    }

    /// The answer to a decision that cannot be logged.
    ///
    /// Not 503, after which a client may rely on it that nothing was charged.
    static let unlogged = fault(
        500, "audit-failed",
        "The decision cannot be logged, so it is not answered; repeat the request.")

    /// The answer to a cursor of another ledger.
    static let unknownCursor = fault(
        409, "unknown-cursor", "\(ChangeStart.fault): leave out after, or give 0.", member: "after")

    /// The answer if as many requests as permitted are handled already.
    static let busy = fault(
        503, "busy", "The service handles as many requests as it may. Try again.", retryAfter: 1)
}
