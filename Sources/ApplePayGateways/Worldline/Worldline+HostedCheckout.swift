internal import ApplePayToken
internal import ApplePayWire

extension Worldline {
    /// What CreateHostedCheckout may say besides the order: a page of Worldline's, without a token.
    public struct HostedCheckout: Sendable {
        /// `returnUrl`: where the customer comes back to, absolute; http, https or an app's own scheme.
        public var returnURL: String

        /// `locale`, such as `en_GB`.
        public var locale: String?

        /// `showResultPage`.
        public var showResultPage: Bool?

        /// `isRecurring`.
        public var isRecurring: Bool?

        /// `tokens`: the customer's cards on file; empty leaves them out.
        public var tokens: [String]

        /// `variant`: which of the merchant's page designs.
        public var variant: String?

        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `order.references.merchantReference`; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`; nil leaves it out.
        public var customer: Customer?

        /// `order.shipping`; nil leaves it out.
        public var shipping: Shipping?

        /// Makes a page.
        ///
        /// - Parameters:
        ///   - returnURL: Where the customer comes back to.
        ///   - locale: The language.
        ///   - showResultPage: Whether Worldline shows the result.
        ///   - isRecurring: Whether more payments follow.
        ///   - tokens: The customer's cards on file.
        ///   - variant: The design.
        ///   - authorizationMode: How the amount is authorised.
        ///   - merchantReference: The merchant's own name for the order.
        ///   - customer: Who pays.
        ///   - shipping: Where the goods go.
        public init(
            returnURL: String,
            locale: String? = nil,
            showResultPage: Bool? = nil,
            isRecurring: Bool? = nil,
            tokens: [String] = [],
            variant: String? = nil,
            authorizationMode: AuthorizationMode? = nil,
            merchantReference: String? = nil,
            customer: Customer? = nil,
            shipping: Shipping? = nil
        ) {
            self.returnURL = returnURL
            self.locale = locale
            self.showResultPage = showResultPage
            self.isRecurring = isRecurring
            self.tokens = tokens
            self.variant = variant
            self.authorizationMode = authorizationMode
            self.merchantReference = merchantReference
            self.customer = customer
            self.shipping = shipping
        }

        /// Refuses a return address without a scheme (RFC 3986 §3.1).
        ///
        /// - Throws: `gateway` with code `unsupported-value`.
        func checkReturnURL() throws(PaymentTokenError) {
            let scheme = returnURL.utf8.prefix { $0 != UInt8(ascii: ":") }
            let isScheme = scheme.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
            guard let first = scheme.first, !(0x2B...0x39).contains(first), isScheme,
                scheme.count < returnURL.utf8.count
            else { throw PaymentTokenError(.unsupportedValue, member: "returnUrl") }
        }

        /// Writes the members of `hostedCheckoutSpecificInput`.
        func write(into body: inout JSONBody) {
            body.string("locale", locale)
            body.string("returnUrl", returnURL)
            body.boolean("showResultPage", showResultPage)
            body.boolean("isRecurring", isRecurring)
            body.string("tokens", tokens.isEmpty ? nil : tokens.joined(separator: ","))
            body.string("variant", variant)
        }
    }
}
