public import ApplePayPrimitives

/// bePaid, and every other gateway that runs beGateway under another host.
///
/// The token, encrypted or opened, is one string in `credit_card.token`; everything else about the
/// card rides in it.
///
/// Source: bePaid, *Apple Pay in a mobile application*, *Apple Pay payments with decrypted token*,
/// *Payment*, *API version 3*; beGateway's iOS SDK.
public enum BePaid {
    /// The host of bePaid itself.
    public static let defaultOrigin = "https://gateway.bepaid.by"

    /// The host of bePaid's checkout.
    public static let defaultCheckoutOrigin = "https://checkout.bepaid.by"

    /// A shop, where its gateway is, and how it authenticates itself (HTTP Basic, RFC 7617).
    public struct Shop: Sendable {
        /// `shop_id`: 1 to 255 characters, none of them a colon.
        public var identifier: String

        /// `secret_key`; not empty.
        public var secretKey: SensitiveBytes

        /// Scheme and host without a slash at the end.
        public var origin: String

        /// Makes a shop.
        ///
        /// - Parameters:
        ///   - identifier: `shop_id`.
        ///   - secretKey: `secret_key`.
        ///   - origin: Scheme and host; a white label of beGateway has another.
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

    /// What is to be done with the money.
    public enum Operation: String, CaseIterable, Sendable {
        /// Authorised and captured at once.
        case payment

        /// Held, to be captured by a later request.
        case authorization

        /// Charged by the path that also charges cards on file.
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
