internal import ApplePayToken

/// Checkout.com: payments with Apple Pay data that the merchant decrypted.
///
/// Source: Checkout.com, *Pay with a pre-decrypted Apple Pay token*, and its official SDKs.
public enum Checkout {
    /// The servers that accept requests.
    public enum Endpoint: Sendable {
        /// Real money: `https://SUBDOMAIN.api.checkout.com`, or `https://api.checkout.com` without a subdomain.
        ///
        /// Every account has a subdomain: the first eight characters of its client ID after `cli_` (Checkout.com, *API
        /// endpoints*, 2025-03-05). Its SDKs take the address without one only for emergencies (checkout-sdk 4.8.1).
        case live(subdomain: String?)

        /// The sandbox: `https://api.sandbox.checkout.com`, or `https://SUBDOMAIN.api.sandbox.checkout.com`.
        case sandbox(subdomain: String?)

        /// Real money, at the address without a subdomain.
        public static var live: Endpoint { .live(subdomain: nil) }

        /// The sandbox, at the address without a subdomain.
        public static var sandbox: Endpoint { .sandbox(subdomain: nil) }

        /// Returns the scheme and host.
        ///
        /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for `subdomain`.
        func origin() throws(PaymentTokenError) -> String {
            let (host, subdomain) =
                switch self {
                case .live(let subdomain): ("api.checkout.com", subdomain)
                case .sandbox(let subdomain): ("api.sandbox.checkout.com", subdomain)
                }
            guard let subdomain else { return "https://\(host)" }
            return "https://\(try HostLabel.checked(subdomain, "subdomain")).\(host)"
        }
    }
}
