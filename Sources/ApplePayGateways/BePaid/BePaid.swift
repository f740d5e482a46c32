public import ApplePayPrimitives

/// bePaid, and every other gateway that runs beGateway under another host.
///
/// The string in `credit_card.token` contains the token, encrypted or decrypted, and with it all card data.
///
/// Source: bePaid, *Apple Pay in a mobile application*, *Apple Pay payments with decrypted token*,
/// *Payment*, *API version 3*; beGateway's iOS SDK.
public enum BePaid {
    /// The host of bePaid itself.
    public static let defaultOrigin = "https://gateway.bepaid.by"

    /// The host of bePaid's checkout.
    public static let defaultCheckoutOrigin = "https://checkout.bepaid.by"

    /// A shop: its credentials (HTTP Basic, RFC 7617) and the address of its gateway.
    public struct Shop: Sendable {
        /// `shop_id`: 1 to 255 characters without a colon.
        public var identifier: String

        /// `secret_key`; not empty.
        public var secretKey: SensitiveBytes

        /// Scheme and host without a slash at the end.
        public var origin: String

        /// Creates a shop.
        ///
        /// - Parameters:
        ///   - identifier: `shop_id`.
        ///   - secretKey: `secret_key`.
        ///   - origin: Scheme and host; a white label of beGateway has its own.
        public init(
            identifier: String,
            secretKey: SensitiveBytes,
            origin: String = BePaid.defaultOrigin
        ) {
            self.identifier = identifier
            self.secretKey = secretKey
            self.origin = origin
        }
    }

    /// The kinds of transactions.
    public enum Operation: String, CaseIterable, Sendable {
        /// The amount is authorized and captured at once.
        case payment

        /// The amount is reserved; a later request captures it.
        case authorization

        /// The amount is charged through the path that also charges cards on file.
        case charge

        /// The path on the gateway.
        var path: String {
            switch self {
            case .payment: "/transactions/payments"
            case .authorization: "/transactions/authorizations"
            case .charge: "/services/credit_cards/charges"
            }
        }
    }
}
