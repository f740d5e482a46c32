/// Dintero's checkout with Apple Pay in an app: a session, its operations, the token and the payment.
///
/// Dintero decrypts the token itself and accepts only Visa and Mastercard. The test system and the live system need
/// separate merchant identifiers and certificates.
///
/// Source: Dintero, *Apple Pay native app*, *Create session*; Dintero's native iOS example.
public enum Dintero {
    /// The host of the checkout.
    public static let defaultOrigin = "https://checkout.dintero.com"

    static let paymentProduct = "dintero_psp.applepay"
}
