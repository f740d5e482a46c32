/// Worldline Connect, formerly GlobalCollect: payments with Apple Pay (payment product 302).
///
/// It is not Worldline Direct: the path is `/v1/`, amounts have two decimals in every currency, and
/// `encryptedPaymentData` is the whole of `paymentData`. Requests are signed with
/// ``Worldline/authorize(_:_:date:)``; answers are ``Worldline/PaymentAnswer`` and its neighbours.
///
/// Source: Worldline Connect, *Apple Pay: decrypt in your systems*, and its server SDKs.
public enum WorldlineConnect {
    /// The lengths of members that clients that work cut to; Direct publishes none.
    static var lengths: [String: Int] {
        ["firstName": 15, "surname": 70, "street": 50, "additionalInfo": 50, "state": 35]
    }

    /// Whose payments they are, and where.
    public typealias Account = Worldline.Account<WorldlineConnect>

    /// Where requests go.
    ///
    /// Source: for production and preproduction Worldline Connect's documentation of its endpoints (2026-11-22); the
    /// sandbox's host is that of older SDKs and could not be confirmed. If the account was given another host,
    /// ``origin(_:)`` takes it.
    public enum Environment: WorldlineEnvironment {
        /// Real money: `https://api.connect.worldline-solutions.com`.
        case live

        /// Tests against acquirers: `https://api.preprod.connect.worldline-solutions.com`.
        case preproduction

        /// Tests: `https://eu.sandbox.api-ingenico.com`.
        case sandbox

        /// Scheme and host without a slash at the end.
        case origin(String)

        /// Scheme and host.
        public var origin: String {
            switch self {
            case .live: "https://api.connect.worldline-solutions.com"
            case .preproduction: "https://api.preprod.connect.worldline-solutions.com"
            case .sandbox: "https://eu.sandbox.api-ingenico.com"
            case .origin(let origin): origin
            }
        }
    }
}

extension WorldlineConnect: WorldlinePlatform {
    /// `v1`.
    public static var version: String { "v1" }

    /// 2: 100 yen are 10000.
    public static var fixedDecimals: Int? { 2 }

    /// No limit is documented; the one of Direct is applied, 40.
    public static var idempotenceKeyLength: Int { 40 }
}
