/// Dintero's checkout with Apple Pay in an app: session, operations, token, pay.
///
/// Dintero opens the token itself and takes Visa and Mastercard alone. Test and live need merchant
/// their own identifiers and certificates.
///
/// Source: Dintero, *Apple Pay native app*, *Create session*; Dintero's native iOS example.
public enum Dintero {
    /// The host of the checkout.
    public static let defaultOrigin = "https://checkout.dintero.com"

    static let paymentProduct = "dintero_psp.applepay"
}
