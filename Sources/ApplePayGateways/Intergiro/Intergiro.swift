/// Intergiro, the issuer's side: adds a card that was issued to Apple Wallet.
///
/// No payment token takes part. The steps: log in, ``tokenize(cardID:accessToken:environment:)``, which
/// answers 412 with a consent to be given, ``consent(_:accessToken:returnURL:environment:)``, which
/// brings the launch token for the vendor's SDK in the app, and the SDK's callback, ``LaunchAnswer``.
///
/// Source: Intergiro, *Apple Pay*, its developer portal (authentication, SCA), and its iOS SDK 1.1.0. The
/// API reference was not at hand: the bodies of errors, and what is answered when consent was given
/// already, are not known.
public enum Intergiro {
    /// Where requests go.
    public enum Environment: String, CaseIterable, Sendable {
        /// Real cards.
        case live = "https://3d.intergiro.com"

        /// The staging system.
        case staging = "https://3d.staging.intergiro.tech"
    }
}
