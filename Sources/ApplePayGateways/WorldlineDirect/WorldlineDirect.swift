/// Worldline Direct: payments with Apple Pay (payment product 302) that the merchant decrypted.
///
/// Worldline must enable decryption by the merchant on the account first.
///
/// Source: Worldline Direct, *Apple Pay*, and the field lists of its server SDKs.
public enum WorldlineDirect {
    /// How the amount is authorised.
    public enum AuthorizationMode: String, CaseIterable, Sendable {
        /// Captured in full within 7 days; cannot be reversed.
        case finalAuthorization = "FINAL_AUTHORIZATION"

        /// Reversible, and captured within 30 days, also in part.
        case preAuthorization = "PRE_AUTHORIZATION"

        /// Captured at once.
        case sale = "SALE"
    }

    /// What CreatePayment may say besides the payment and the order.
    public struct CreatePaymentOptions: Sendable {
        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?

        /// `order.references.merchantReference`, for reconciliation; nil leaves it out.
        public var merchantReference: String?

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - authorizationMode: How the amount is authorised.
        ///   - requiresApproval: Whether an approval must follow.
        ///   - merchantReference: The merchant's own name for the order.
        public init(
            authorizationMode: AuthorizationMode? = nil,
            requiresApproval: Bool? = nil,
            merchantReference: String? = nil
        ) {
            self.authorizationMode = authorizationMode
            self.requiresApproval = requiresApproval
            self.merchantReference = merchantReference
        }
    }
}
