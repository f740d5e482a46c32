/// Worldline Direct: payments with Apple Pay (payment product 302), opened by the merchant or by
/// Worldline, and pages of Worldline's own.
///
/// Worldline must enable decryption by the merchant on the account first. Requests are signed with
/// ``Worldline/authorize(_:_:date:)``; answers are ``Worldline/PaymentAnswer`` and its neighbours.
///
/// Source: Worldline Direct, *Apple Pay*, and the field lists of its server SDKs.
public enum WorldlineDirect {
    /// How the amount is authorised.
    public typealias AuthorizationMode = Worldline.AuthorizationMode

    /// Whose payments they are, and where.
    public typealias Account = Worldline.Account<WorldlineDirect>

    /// Where requests go.
    public enum Environment: String, CaseIterable, WorldlineEnvironment {
        /// Real money.
        case live = "https://payment.direct.worldline-solutions.com"

        /// Tests.
        case preproduction = "https://payment.preprod.direct.worldline-solutions.com"

        /// Scheme and host.
        public var origin: String { rawValue }
    }
}

extension WorldlineDirect: WorldlinePlatform {
    /// `v2`.
    public static var version: String { "v2" }

    /// Nil: amounts are in minor units.
    public static var fixedDecimals: Int? { nil }

    /// 40, as Worldline Direct, *Idempotent requests*, states (2026-11-22).
    public static var idempotenceKeyLength: Int { 40 }
}
