/// Worldline Direct: payments with Apple Pay (payment product 302), and Worldline's payment pages.
///
/// The merchant or Worldline decrypts the token. Before the merchant can do so, Worldline must enable it for the
/// account. ``Worldline/authorize(_:_:date:)`` signs requests; ``Worldline/PaymentAnswer`` and the other types of
/// ``Worldline`` read answers.
///
/// Source: Worldline Direct, *Apple Pay*, and the field lists of its server SDKs.
public enum WorldlineDirect {
    /// How the amount is authorized.
    public typealias AuthorizationMode = Worldline.AuthorizationMode

    /// A merchant's account and its environment.
    public typealias Account = Worldline.Account<WorldlineDirect>

    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, WorldlineEnvironment {
        /// Real money.
        case live = "https://payment.direct.worldline-solutions.com"

        /// The test servers.
        case preproduction = "https://payment.preprod.direct.worldline-solutions.com"

        /// Scheme and host.
        public var origin: String { rawValue }
    }
}

extension WorldlineDirect: WorldlinePlatform {
    /// The version `v2`.
    public static var version: String { "v2" }

    /// Always nil: amounts are in minor units.
    public static var fixedDecimals: Int? { nil }

    /// The limit of 40 from Worldline Direct, *Idempotent requests* (2026-11-22).
    public static var idempotenceKeyLength: Int { 40 }
}
