extension PayPal {
    /// What an order may say besides the payment data and the amount.
    ///
    /// The lengths are from the published API reference; not confirmed here. Its debug description and
    /// its mirror, which are what is printed of it, show none of it.
    public struct OrderOptions: Sendable, CustomDebugStringConvertible, CustomReflectable {
        /// `intent`.
        public var intent: Intent

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

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - intent: What happens to the money.
        ///   - referenceID: The merchant's name for the purchase unit.
        ///   - description: What is bought.
        ///   - customID: The merchant's own name for the order.
        ///   - invoiceID: The invoice's number.
        ///   - emailAddress: The customer's address.
        public init(
            intent: Intent = .capture,
            referenceID: String? = nil,
            description: String? = nil,
            customID: String? = nil,
            invoiceID: String? = nil,
            emailAddress: String? = nil
        ) {
            self.intent = intent
            self.referenceID = referenceID
            self.description = description
            self.customID = customID
            self.invoiceID = invoiceID
            self.emailAddress = emailAddress
        }

        /// A mask.
        public var debugDescription: String { "OrderOptions(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
