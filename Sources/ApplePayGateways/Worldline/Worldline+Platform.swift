internal import ApplePayPrimitives
internal import ApplePayToken

/// One of Worldline's two platforms, ``WorldlineDirect`` and ``WorldlineConnect``.
public protocol WorldlinePlatform: SendableMetatype {
    /// The servers that accept the platform's requests.
    associatedtype Environment: WorldlineEnvironment

    /// The first segment of its paths: `v1` or `v2`.
    static var version: String { get }

    /// The decimals of amounts in every currency; nil if the platform uses those of ISO 4217.
    static var fixedDecimals: Int? { get }

    /// The maximum number of characters of the header `X-GCS-Idempotence-Key`.
    static var idempotenceKeyLength: Int { get }
}

/// The servers that accept a platform's requests.
public protocol WorldlineEnvironment: Sendable {
    /// Real money.
    static var live: Self { get }

    /// Scheme and host without a slash at the end.
    var origin: String { get }
}

extension WorldlinePlatform {
    /// The decimals that the platform uses.
    static var scale: CurrencyScale {
        fixedDecimals.map(CurrencyScale.init(uniform:)) ?? CurrencyScale(exceptions: [:])
    }
}

extension Worldline {
    /// A merchant's account and its environment.
    public struct Account<Platform: WorldlinePlatform>: Sendable {
        /// `merchantId`, also called PSPID; nil leaves `{merchantId}` in the path for the sender to replace.
        public var merchantId: String?

        /// The servers that accept requests.
        public var environment: Platform.Environment

        /// Creates an account.
        ///
        /// - Parameters:
        ///   - merchantId: The merchant's identifier.
        ///   - environment: The server that accepts the requests.
        public init(merchantId: String? = nil, environment: Platform.Environment = .live) {
            self.merchantId = merchantId
            self.environment = environment
        }
    }
}

extension Worldline.Account {
    /// Returns a request that changes something.
    ///
    /// - Parameters:
    ///   - resource: The part of the path that follows the merchant, percent-encoded.
    ///   - body: The body; nil for a request without one.
    ///   - idempotenceKey: The header `X-GCS-Idempotence-Key`; nil leaves it out.
    /// - Returns: The request, not yet signed.
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `merchantId`,
    ///   then for the header.
    func post(
        _ resource: String,
        _ body: SensitiveBytes?,
        idempotenceKey: String?
    ) throws(PaymentTokenError) -> GatewayRequest {
        let path = try path(resource)
        var headers: [GatewayHeader] = []
        if body != nil { headers.append(.contentType()) }
        if let idempotenceKey {
            headers.append(
                try .checked(
                    "X-GCS-Idempotence-Key", idempotenceKey, 1...Platform.idempotenceKeyLength))
        }
        return GatewayRequest(environment.origin, path, headers: headers, body: body)
    }

    /// Returns a status query for a payment or a page.
    ///
    /// - Parameter resource: The part of the path that follows the merchant, percent-encoded.
    /// - Returns: The request, not yet signed, without a body.
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `merchantId`.
    func get(_ resource: String) throws(PaymentTokenError) -> GatewayRequest {
        GatewayRequest(method: "GET", environment.origin, try path(resource))
    }

    private func path(_ rest: String) throws(PaymentTokenError) -> String {
        let merchant =
            if let merchantId { try PathSegment.encoded(merchantId, "merchantId") } else {
                "{merchantId}"
            }
        return "/\(Platform.version)/\(merchant)/\(rest)"
    }
}
