internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension Worldline {
    /// The differences between the two platforms.
    package struct Platform: Sendable {
        /// The gateway's name.
        package let name: String
        /// The first segment of its paths.
        let version: String
        /// The decimals of its amounts.
        let scale: CurrencyScale
        /// The maximum number of characters of the members of addresses, by name.
        let lengths: [String: Int]

        /// Whether it is Direct.
        package var isDirect: Bool { version == "v2" }

        /// Worldline Direct.
        ///
        /// The length of the reference is from its API contract, as a public client quotes it.
        package static let direct = Platform(
            name: "worldline-direct", version: "v2", scale: CurrencyScale(exceptions: [:]),
            lengths: ["merchantReference": 40])

        /// Worldline Connect, whose amounts have two decimals in every currency.
        ///
        /// The lengths of names and addresses are those to which working clients truncate members; Worldline did not
        /// confirm them. The reference may have 50 characters on newer accounts (server SDKs, `OrderReferences`).
        package static let connect = Platform(
            name: "worldline-connect", version: "v1", scale: CurrencyScale(uniform: 2),
            lengths: [
                "firstName": 15, "surname": 70, "street": 50, "additionalInfo": 50, "state": 35,
                "merchantReference": 30,
            ])
    }

    /// The API of a platform for one merchant: the requests that both platforms share.
    package struct API: Sendable {
        /// The platform.
        let platform: Platform
        /// `merchantId`, also called PSPID.
        let merchantId: String
        /// Scheme and host.
        let origin: String
        /// The key that signs requests.
        package let credentials: Credentials
        /// The gateway, which is asked again.
        let gateway: any PaymentGateway

        /// Creates a call with a request that is signed when it is sent.
        func call<Outcome: GatewayOutcome>(
            _ attempt: PaymentAttempt,
            canMoveMoney: Bool,
            _ request: GatewayRequest,
            _ read: @escaping @Sendable (GatewayResponse) -> GatewayCall<Outcome>.Reading
        ) -> GatewayCall<Outcome> {
            GatewayCall(
                attempt, at: gateway, canMoveMoney: canMoveMoney,
                request: { [credentials] date throws(PaymentTokenError) in
                    try Worldline.authorize(request, credentials, date: date)
                }, read: read)
        }

        /// Returns a request that changes something.
        ///
        /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `merchantId` and the key.
        func post(
            _ resource: String, key: String?, _ body: SensitiveBytes?
        ) throws(PaymentTokenError) -> GatewayRequest {
            let path = try path(resource)
            var headers: [GatewayHeader] = []
            if body != nil { headers.append(.contentType()) }
            // The limit of 40 is from Worldline Direct, "Idempotent requests"; Connect documents none.
            if let key { headers.append(try .checked("X-GCS-Idempotence-Key", key, 1...40)) }
            return GatewayRequest(origin, path, headers: headers, body: body)
        }

        /// Returns a status query.
        ///
        /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `merchantId`.
        func get(
            _ resource: String, query: [(name: String, value: String)] = []
        ) throws(PaymentTokenError) -> GatewayRequest {
            GatewayRequest(method: "GET", origin, try path(resource), query: query)
        }

        private func path(_ rest: String) throws(PaymentTokenError) -> String {
            "/\(platform.version)/\(try PathSegment.encoded(merchantId, "merchantId"))/\(rest)"
        }
    }
}
