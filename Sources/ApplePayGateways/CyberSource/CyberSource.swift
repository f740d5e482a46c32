/// CyberSource (Visa Acceptance) REST: payments with Apple Pay data that the merchant decrypted.
///
/// A request has no authentication yet: CyberSource wants an HTTP signature or a JWT over the host, the
/// date and the body's digest, which the caller's client adds when it sends.
///
/// Source: CyberSource, *Apple Pay Developer Guide*, "merchant decryption", and the vendor's sample
/// `digital-payments-applepay.js`.
public enum CyberSource {
    /// Where requests go.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api.cybersource.com"

        /// The vendor's test system.
        case test = "https://apitest.cybersource.com"
    }

    /// How `processingInformation.commerceIndicator` is chosen; the vendor's pages differ.
    ///
    /// The indicator claims a degree of authentication, so none is claimed that Apple did not state,
    /// unless the caller asks for it.
    public enum CommerceIndicator: String, CaseIterable, Sendable {
        /// The network's indicator when the payment's ECI means authenticated (5; 2 for Mastercard and
        /// Maestro), else `internet`, also without an ECI.
        case eci

        /// The network's indicator whatever the ECI, as in the guide's samples: `vbv`, `spa`, `aesk`,
        /// `dipb` or `js`; `internet` for networks that have none there.
        case network

        /// `internet`, as in the samples of some of the vendor's resellers.
        case internet
    }
}
