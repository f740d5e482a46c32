public import ApplePayPrimitives

extension Dintero {
    /// The address to which the token is sent: the operation with `rel` `submit-dintero-psp-applepay`, with its URL
    /// split into parts.
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

        /// `content_type`; nil if the answer does not contain it.
        public let contentType: String?

        /// `supported_networks`; empty if the answer does not contain them.
        public let supportedNetworks: [String]

        /// `merchant_country`; nil if the answer does not contain it.
        public let merchantCountry: String?
    }
}

extension Dintero {
    /// The answer to step 2, which asks for the address that accepts the token.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public struct OperationsAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` for operations, because nothing is paid yet.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// The value of `rel` of the operation for native apps.
        private static let rel = "submit-dintero-psp-applepay"

        /// The address that accepts the token; nil if the request was refused.
        public let submission: Submission?

        /// The error that the answer contains; nil if it does not contain one.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`; if the HTTP status is 2xx, `missing-member` if
        ///   `operations` does not contain one with `rel` `submit-dintero-psp-applepay` or if this one lacks `href`,
        ///   `method` or `access_token`, and `wrong-type` if `href` is neither an `https` URL nor an `http` URL with a
        ///   loopback address, or if `method` is not a word in capitals.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            let refusal = Refusal(object)
            self.refusal = refusal
            outcome = response.outcome(code: refusal?.code, text: refusal?.message) { .pending }
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
        // The token becomes a header value, and a line break would begin another header.
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

    /// Returns whether a text is not empty and consists of visible ASCII.
    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private typealias Parts = (
        origin: String, path: String, query: [(name: String, value: String)]
    )

    /// Splits an `https` URL, or an `http` URL with a loopback address, into origin, path and decoded query; returns
    /// nil for any other text (RFC 3986 §3).
    private static func parts(of address: String) -> Parts? {
        let schemes = ["https://", "http://"]
        guard isVisible(address), let scheme = schemes.first(where: address.hasPrefix) else {
            return nil
        }
        let rest = address.dropFirst(scheme.count).prefix { $0 != "#" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        // The host must not contain a user name before `@`, which could be mistaken for the host.
        guard GatewayOrigin.isPermitted(scheme + host) else { return nil }
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
