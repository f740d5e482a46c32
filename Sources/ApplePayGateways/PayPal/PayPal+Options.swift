extension PayPal {
    /// The optional members of an order.
    ///
    /// The lengths are from the published API reference and were not confirmed. Its debug description and its mirror do
    /// not show any value.
    public struct OrderOptions: Sendable, CustomDebugStringConvertible, CustomReflectable {
        /// `intent`: whether the amount is captured at once.
        public var intent: Intent = .capture

        /// `purchase_units[0].reference_id`, 1 to 256 characters.
        public var referenceID: String?

        /// `purchase_units[0].description`, 1 to 127 characters.
        public var description: String?

        /// `purchase_units[0].custom_id`, 1 to 255 characters.
        public var customID: String?

        /// `purchase_units[0].invoice_id`, 1 to 127 characters; the customer sees it.
        public var invoiceID: String?

        /// `payment_source.apple_pay.email_address`, 3 to 254 characters.
        public var emailAddress: String?

        /// Creates options for an order that is captured at once.
        public init() {}

        /// A fixed text that does not show any value.
        public var debugDescription: String { "OrderOptions(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// `intent`: whether the amount is captured at once.
    public enum Intent: String, CaseIterable, Sendable {
        /// The amount is captured at once.
        case capture = "CAPTURE"

        /// The amount is authorized now and captured later.
        case authorize = "AUTHORIZE"
    }
}
