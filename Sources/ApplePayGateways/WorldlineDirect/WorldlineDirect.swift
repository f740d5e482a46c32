/// Worldline Direct: payments with Apple Pay (payment product 302), opened by the merchant or by
/// Worldline, and pages of Worldline's own.
///
/// Worldline must enable decryption by the merchant on the account first. Requests are signed with
/// ``Worldline/authorize(_:_:date:)``; answers are ``Worldline/PaymentAnswer`` and its neighbours.
///
/// Source: Worldline Direct, *Apple Pay*, and the field lists of its server SDKs.
public enum WorldlineDirect {
    /// The amounts' decimals: those of ISO 4217.
    static var scale: CurrencyScale { CurrencyScale(exceptions: [:]) }

    /// How the amount is authorised.
    public typealias AuthorizationMode = Worldline.AuthorizationMode

    /// Where requests go.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://payment.direct.worldline-solutions.com"

        /// Tests.
        case preproduction = "https://payment.preprod.direct.worldline-solutions.com"
    }

    /// Whose payments they are, and where.
    public struct Account: Sendable {
        /// `merchantId`; nil leaves `{merchantId}` in the path, to be filled in by whoever sends it.
        public var merchantId: String?

        /// Where requests go.
        public var environment: Environment

        /// Makes an account.
        ///
        /// - Parameters:
        ///   - merchantId: The merchant's identifier, also called PSPID.
        ///   - environment: Where requests go.
        public init(merchantId: String? = nil, environment: Environment = .live) {
            self.merchantId = merchantId
            self.environment = environment
        }

        var api: Worldline.API {
            Worldline.API(origin: environment.rawValue, version: "v2", merchantId: merchantId)
        }
    }
}
