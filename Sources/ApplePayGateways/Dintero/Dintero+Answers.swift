public import ApplePayPrimitives

extension Dintero {
    /// `error` of an answer that refuses the request.
    ///
    /// Source: Dintero, *Errors*.
    public struct Refusal: Hashable, Sendable {
        /// `error.code`.
        public let code: String?

        /// `error.message`.
        public let message: String?

        init?(_ object: ResponseValue) {
            guard let error = object["error"] else { return nil }
            code = error["code"]?.string
            message = error["message"]?.string ?? error.string
        }
    }

    /// The answer to step 1.
    ///
    /// Source: Dintero, *Create session*.
    public struct SessionAnswer: Sendable {
        /// `id`; nil when the session was refused.
        public let sessionId: String?

        /// `url` of the checkout's page, which an app does not need.
        public let url: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and no `id` is there.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            refusal = Refusal(object)
            sessionId = response.isAccepted ? object["id"]?.string : nil
            url = object["url"]?.string
            guard sessionId != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "id")
            }
        }
    }

    /// The answer to step 3: the token was taken; nothing is paid yet.
    ///
    /// Source: Dintero, *Apple Pay native app*.
    public struct SubmissionAnswer: Sendable {
        /// `transaction_id`, for step 4; nil when the token was refused.
        public let transactionId: String?

        /// `payment_id`.
        public let paymentId: String?

        /// `type`, `APPLE_PAY_AUTHENTICATION`.
        public let type: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and no `transaction_id` is there.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            refusal = Refusal(object)
            transactionId = response.isAccepted ? object["transaction_id"]?.string : nil
            paymentId = object["payment_id"]?.string
            type = object["type"]?.string
            guard transactionId != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "transaction_id")
            }
        }
    }

    /// The answer to step 4, in either of the two shapes that are documented.
    ///
    /// The page has `return_url`, the vendor's example `success` and `redirect_url`: an answer without
    /// `success` proves nothing.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public struct PayAnswer: Sendable {
        /// `success`; nil where it is not said.
        public let success: Bool?

        /// `redirect_url`, else `return_url`: where the customer goes next.
        public let returnURL: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Whether the HTTP status is one of success and `success` is `true`; where it is false and
        /// ``success`` nil, ask Dintero for the transaction.
        public let isSuccessful: Bool

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and neither `success` nor an address is there.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            refusal = Refusal(object)
            if let value = object["success"] {
                guard let success = value.boolean else {
                    throw UnreadableJSONError(.wrongType, field: "success")
                }
                self.success = success
            } else {
                success = nil
            }
            returnURL = object["redirect_url"]?.string ?? object["return_url"]?.string
            isSuccessful = response.isAccepted && success == true
            guard success != nil || returnURL != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "success")
            }
        }
    }

    /// Where and how to post the token: an operation of rel `submit-dintero-psp-applepay`, its address
    /// taken apart.
    public struct Submission: Sendable {
        /// `method`, such as `POST`.
        public let method: String

        /// Scheme and host of `href`.
        public let origin: String

        /// The path of `href`, percent-encoded.
        public let path: String

        /// The query of `href` without `access_token`, decoded.
        public let query: [(name: String, value: String)]

        /// `access_token` from the query of `href`, decoded once.
        public let accessToken: SensitiveBytes

        /// `content_type`, where it is said.
        public let contentType: String?

        /// `supported_networks`, where they are said.
        public let supportedNetworks: [String]

        /// `merchant_country`, where it is said.
        public let merchantCountry: String?
    }
}

extension Dintero {
    /// The answer to step 2.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public struct OperationsAnswer: Sendable {
        /// The operation for native apps among the others.
        private static let rel = "submit-dintero-psp-applepay"

        /// Where the token goes; nil when the request was refused.
        public let submission: Submission?

        /// What was wrong.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`; when the HTTP status says
        ///   success, `missing-member` for `operations` without one of rel
        ///   `submit-dintero-psp-applepay`, for its `href`, its `method` and its `access_token`, and
        ///   `wrong-type` for an `href` that is no `https` address or a `method` that is no word.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            refusal = Refusal(object)
            guard response.isAccepted else {
                submission = nil
                return
            }
            guard
                let operation = object["operations"]?.elements
                    .first(where: { $0["rel"]?.string == Self.rel })
            else {
                throw UnreadableJSONError(.missingMember, field: "operations.\(Self.rel)")
            }
            submission = try Submission(operation)
        }
    }
}

extension Dintero.Submission {
    private static var tokenName: String { "access_token" }

    /// Reads an operation.
    init(_ operation: ResponseValue) throws(UnreadableJSONError) {
        guard let href = operation["href"] else {
            throw UnreadableJSONError(.missingMember, field: "href")
        }
        guard let method = operation["method"] else {
            throw UnreadableJSONError(.missingMember, field: "method")
        }
        guard let word = method.string, !word.isEmpty,
            word.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw UnreadableJSONError(.wrongType, field: "method") }
        guard let address = href.string, let parts = Self.parts(of: address) else {
            throw UnreadableJSONError(.wrongType, field: "href")
        }
        var tokens: [String] = []
        var query: [(name: String, value: String)] = []
        for item in parts.query {
            if item.name == Self.tokenName { tokens.append(item.value) } else { query.append(item) }
        }
        guard let token = tokens.first else {
            throw UnreadableJSONError(.missingMember, field: "href.\(Self.tokenName)")
        }
        // It becomes a header, which a line break in it would end.
        guard tokens.count == 1, Self.isVisible(token) else {
            throw UnreadableJSONError(.wrongType, field: "href.\(Self.tokenName)")
        }
        self.init(
            method: word,
            origin: parts.origin,
            path: parts.path,
            query: query,
            accessToken: SensitiveBytes(copying: token.utf8.span),
            contentType: operation["content_type"]?.string,
            supportedNetworks: operation["supported_networks"]?.elements.compactMap(\.string) ?? [],
            merchantCountry: operation["merchant_country"]?.string
        )
    }

    /// Whether there is something, and all of it visible ASCII.
    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private typealias Parts = (
        origin: String, path: String, query: [(name: String, value: String)]
    )

    /// Origin, path and decoded query of an `https` address; nil for any other (RFC 3986 §3).
    private static func parts(of address: String) -> Parts? {
        let scheme = "https://"
        guard isVisible(address), address.hasPrefix(scheme) else { return nil }
        let rest = address.dropFirst(scheme.count).prefix { $0 != "#" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        // What stands before an @ would name another host than the eye sees.
        guard !host.isEmpty, !host.contains("@"), !host.contains("\\") else { return nil }
        let target = rest.dropFirst(host.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = target.first else { return nil }
        var query: [(name: String, value: String)] = []
        for item in target.count == 2 ? target[1].split(separator: "&") : [] {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(sides[0]),
                let value = PercentEncoding.decoded(sides.count == 2 ? sides[1] : "")
            else { return nil }
            query.append((name, value))
        }
        return (scheme + host, path.isEmpty ? "/" : String(path), query)
    }
}
