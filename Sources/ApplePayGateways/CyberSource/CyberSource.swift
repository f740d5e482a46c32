/// CyberSource (Visa Acceptance) REST: payments with Apple Pay data that the merchant decrypted.
///
/// ``authorize(_:_:date:)`` adds CyberSource's HTTP signature; if you use JWT instead, your client adds it.
///
/// Source: CyberSource, *Apple Pay Developer Guide*, "merchant decryption", and the vendor's sample
/// `digital-payments-applepay.js`.
public enum CyberSource {
    /// The servers that accept requests.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api.cybersource.com"

        /// The vendor's test system.
        case test = "https://apitest.cybersource.com"
    }

    /// The choice of `processingInformation.commerceIndicator`, on which CyberSource's pages differ.
    ///
    /// The indicator claims a degree of authentication. By default it therefore claims no more than Apple reported.
    public enum CommerceIndicator: String, CaseIterable, Sendable {
        /// The network's indicator if the payment's ECI means authenticated (5; 2 for Mastercard and Maestro),
        /// otherwise `internet`, also without an ECI.
        case eci

        /// The network's indicator for any ECI, as in the guide's samples: `vbv`, `spa`, `aesk`, `dipb` or `js`;
        /// `internet` for networks for which the guide does not list one.
        case network

        /// `internet`, as in the samples of some CyberSource resellers.
        case internet
    }
}
