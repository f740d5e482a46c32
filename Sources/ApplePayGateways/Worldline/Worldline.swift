/// What Worldline Direct and Worldline Connect have in common.
///
/// Source: the server SDKs of both.
public enum Worldline {
    /// Apple Pay among Worldline's payment products.
    static let paymentProductId: Int64 = 302

    /// How the amount is authorised; acquirers that do not know the difference ignore it.
    public enum AuthorizationMode: String, CaseIterable, Sendable {
        /// Captured in full within 7 days; cannot be reversed.
        case finalAuthorization = "FINAL_AUTHORIZATION"

        /// Reversible, and captured within 30 days, also in part.
        ///
        /// The SDKs name it; Worldline Direct's page about Apple Pay does not.
        case preAuthorization = "PRE_AUTHORIZATION"

        /// Captured at once.
        case sale = "SALE"
    }

    /// How `eci` is written.
    public enum ECIForm: String, CaseIterable, Sendable {
        /// A number, such as 7, as all SDKs have it.
        case number

        /// The string that Apple gave, such as `"07"`, which samples send.
        case string
    }
}
