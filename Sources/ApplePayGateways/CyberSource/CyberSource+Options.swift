extension CyberSource {
    /// The optional members of a payment.
    public struct PaymentOptions: Sendable {
        /// `clientReferenceInformation.code`: the merchant's identifier of the order, 1 to 50 characters.
        ///
        /// The length is from the published API reference and was not confirmed.
        public var code: String?

        /// `processingInformation.capture`: true for a sale, false or nil for an authorization only.
        public var capture: Bool?

        /// `processingInformation.commerceIndicator`; nil leaves it out, as the vendor's sample code does.
        public var commerceIndicator: CommerceIndicator? = .eci

        /// `orderInformation.billTo`; nil leaves it out, if the processor allows that.
        public var billTo: BillTo?

        /// Creates options with the defaults.
        public init() {}
    }
}

extension CyberSource {
    /// `orderInformation.billTo`: the customer's name and address.
    ///
    /// The processor determines which members are required. Its description and its mirror do not show any value. The
    /// lengths are from the published API reference and were not confirmed.
    public struct BillTo: Sendable, CustomStringConvertible, CustomReflectable {
        /// `firstName`, at most 60 characters.
        public var firstName: String?

        /// `lastName`, at most 60 characters.
        public var lastName: String?

        /// `address1`, at most 60 characters.
        public var address1: String?

        /// `locality`: the city, at most 50 characters.
        public var locality: String?

        /// `administrativeArea`: the state, at most 20 characters.
        public var administrativeArea: String?

        /// `postalCode`, at most 10 characters.
        public var postalCode: String?

        /// `country`: two letters of ISO 3166-1.
        public var country: String?

        /// `email`, at most 255 characters.
        public var email: String?

        /// Creates an empty address.
        public init() {}

        /// The members in the order of CyberSource's samples, with the maximum length of each.
        var members: [(name: String, value: String?, counts: ClosedRange<Int>)] {
            [
                ("firstName", firstName, 1...60), ("lastName", lastName, 1...60),
                ("address1", address1, 1...60), ("locality", locality, 1...50),
                ("administrativeArea", administrativeArea, 1...20),
                ("postalCode", postalCode, 1...10), ("country", country, 2...2),
                ("email", email, 1...255),
            ]
        }

        /// A fixed text that does not show any value.
        public var description: String { "BillTo(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
