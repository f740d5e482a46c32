internal import ApplePayAcceptance
package import ApplePayPrimitives
package import ApplePayWire
internal import FoundationEssentials

extension Worldline {
    /// The differences between the two platforms.
    package struct Platform: Sendable {
        /// The gateway's name.
        package let name: ExactText
        /// The first segment of its paths.
        let version: String
        /// The decimals of its amounts.
        let scale: CurrencyScale
        /// The maximum number of characters of the members of addresses, by name.
        let lengths: [String: Int]

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

    /// The options of a payment that both platforms have.
    package protocol PaymentOptions: Sendable {
        /// `authorizationMode`.
        var authorizationMode: AuthorizationMode? { get set }
        /// `requiresApproval`.
        var requiresApproval: Bool? { get set }
        /// `order.shipping.addressIndicator`.
        var addressIndicator: String? { get set }
        /// The JSON type of `eci`.
        var eciForm: ECIForm { get set }
        /// Whether the encrypted token is sent.
        var sendsEncrypted: Bool { get set }
    }

    /// One of the two gateways: a merchant's account at a platform, and the requests that both platforms share.
    package protocol Gateway: PaymentGateway {
        /// The type of the options.
        associatedtype Options: PaymentOptions
        static var platform: Platform { get }
        /// `merchantId`, also called PSPID.
        var merchantId: String { get set }
        /// The key that signs requests.
        var credentials: Credentials { get set }
        /// Scheme and host.
        var origin: String { get set }
        /// Whether the account is for tests.
        var isTest: Bool { get set }
        var webhookKeys: [ExactText: SensitiveBytes] { get set }
        /// The options of a payment.
        var options: Options { get set }
        var pageOptions: PageOptions { get set }
    }
}

extension Worldline.Gateway {
    /// Creates a call with a request that is signed when it is sent.
    func call<Outcome: GatewayOutcome>(
        _ attempt: PaymentAttempt, canMoveMoney: Bool, _ request: GatewayRequest,
        _ read: @escaping @Sendable (GatewayResponse) -> GatewayCall<Outcome>.Reading
    ) -> GatewayCall<Outcome> {
        GatewayCall(
            attempt, at: self, canMoveMoney: canMoveMoney,
            request: { [credentials] date throws(PaymentError) in
                try Worldline.authorize(request, credentials, date: date)
            }, read: read)
    }

    /// Returns a request that changes something.
    ///
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `merchantId` and the key.
    func post(
        _ resource: String, key: ExactText?, _ body: SensitiveBytes?
    ) throws(PaymentError) -> GatewayRequest {
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
    ) throws(PaymentError) -> GatewayRequest {
        GatewayRequest(method: "GET", origin, try path(resource), query: query)
    }

    private func path(_ rest: String) throws(PaymentError) -> String {
        let merchant = try PathSegment.encoded(ExactText(merchantId), "merchantId")
        return "/\(Self.platform.version)/\(merchant)/\(rest)"
    }
}
