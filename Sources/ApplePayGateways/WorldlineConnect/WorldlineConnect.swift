/// Worldline Connect, formerly GlobalCollect: payments with Apple Pay (payment product 302).
///
/// It differs from Worldline Direct: the path is `/v1/`, amounts have two decimals in every currency, and
/// `encryptedPaymentData` is the whole of `paymentData`. ``Worldline/authorize(_:_:date:)`` signs requests;
/// ``Worldline/PaymentAnswer`` and the other types of ``Worldline`` read answers.
///
/// Source: Worldline Connect, *Apple Pay: decrypt in your systems*, and its server SDKs.
public enum WorldlineConnect {
    /// The lengths to which working clients truncate members; Direct publishes none.
    static var lengths: [String: Int] {
        ["firstName": 15, "surname": 70, "street": 50, "additionalInfo": 50, "state": 35]
    }

    /// A merchant's account and its environment.
    public typealias Account = Worldline.Account<WorldlineConnect>

    /// The servers that accept requests.
    ///
    /// Source: for production and preproduction Worldline Connect's documentation of its endpoints (2026-11-22). The
    /// sandbox's host is that of older SDKs and could not be confirmed. If your account uses another host, pass it to
    /// ``origin(_:)``.
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

    /// Always 2: 100 yen are written as 10000.
    public static var fixedDecimals: Int? { 2 }

    /// The limit of Direct, 40, because Connect does not document one.
    public static var idempotenceKeyLength: Int { 40 }
}
