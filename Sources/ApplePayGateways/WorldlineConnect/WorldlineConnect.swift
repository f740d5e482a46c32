/// Worldline Connect, formerly GlobalCollect: payments with Apple Pay (payment product 302).
///
/// It is not Worldline Direct: the path is `/v1/`, amounts have two decimals in every currency, and
/// `encryptedPaymentData` is the whole of `paymentData`. Requests are signed with
/// ``Worldline/authorize(_:_:date:)``; answers are ``Worldline/PaymentAnswer`` and its neighbours.
///
/// Source: Worldline Connect, *Apple Pay: decrypt in your systems*, and its server SDKs.
public enum WorldlineConnect {
    /// The amounts' decimals: 100 yen are 10000.
    static var scale: CurrencyScale { CurrencyScale(uniform: 2) }

    /// The lengths of members that clients that work cut to; Direct publishes none.
    static var lengths: [String: Int] {
        ["firstName": 15, "surname": 70, "street": 50, "additionalInfo": 50, "state": 35]
    }

    /// Where requests go.
    ///
    /// The three hosts are from clients that work, not from the vendor; where the account was given
    /// another, ``origin(_:)`` takes it.
    public enum Environment: Sendable {
        /// Real money: `https://world.api-ingenico.com`.
        case live

        /// Tests against acquirers: `https://world.preprod.api-ingenico.com`.
        case preproduction

        /// Tests: `https://eu.sandbox.api-ingenico.com`.
        case sandbox

        /// Scheme and host without a slash at the end.
        case origin(String)

        /// Scheme and host.
        var origin: String {
            switch self {
            case .live: "https://world.api-ingenico.com"
            case .preproduction: "https://world.preprod.api-ingenico.com"
            case .sandbox: "https://eu.sandbox.api-ingenico.com"
            case .origin(let origin): origin
            }
        }
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
        ///   - merchantId: The merchant's identifier.
        ///   - environment: Where requests go.
        public init(merchantId: String? = nil, environment: Environment = .live) {
            self.merchantId = merchantId
            self.environment = environment
        }

        var api: Worldline.API {
            Worldline.API(origin: environment.origin, version: "v1", merchantId: merchantId)
        }
    }
}
