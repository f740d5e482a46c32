/// Checkout.com: payments with Apple Pay data that the merchant decrypted.
///
/// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, and its official SDKs.
public enum Checkout {
    /// Where requests go.
    public enum Endpoint: Sendable {
        /// Real money: `https://api.checkout.com`, or `https://SUBDOMAIN.api.checkout.com` for
        /// accounts that have a subdomain of their own.
        case live(subdomain: String?)

        /// The sandbox: `https://api.sandbox.checkout.com`, or with a subdomain likewise.
        case sandbox(subdomain: String?)

        /// Real money, at the address without a subdomain.
        public static var live: Endpoint { .live(subdomain: nil) }

        /// The sandbox, at the address without a subdomain.
        public static var sandbox: Endpoint { .sandbox(subdomain: nil) }
    }

    /// How the secret key stands in the header Authorization.
    public enum KeyForm: String, CaseIterable, Sendable {
        /// `Bearer KEY`, for accounts of the present platform.
        case bearer

        /// `KEY` alone, for accounts of the previous platform (ABC).
        case bare
    }

    /// How the expiry date is written; the vendor's page has strings, its SDKs have numbers.
    public enum ExpiryForm: String, CaseIterable, Sendable {
        /// `"12"` and `"2025"`.
        case string

        /// `12` and `2025`.
        case number
    }
}
