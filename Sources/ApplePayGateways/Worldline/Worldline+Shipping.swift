extension Worldline {
    /// `order.shipping`: where the goods go; what is nil is left out, and all of it where nothing is said.
    ///
    /// Its description and its mirror show none of it.
    public struct Shipping: Sendable, CustomStringConvertible, CustomReflectable {
        /// `emailAddress`.
        public var emailAddress: String?

        /// `addressIndicator`, such as `different-than-billing`.
        public var addressIndicator: String?

        /// `address.name.firstName`.
        public var firstName: String?

        /// `address.name.surname`.
        public var surname: String?

        /// `address`.
        public var address: Address?

        /// Makes a destination.
        ///
        /// - Parameters:
        ///   - emailAddress: The email address.
        ///   - addressIndicator: How the address relates to others.
        ///   - firstName: The given name.
        ///   - surname: The family name.
        ///   - address: The address.
        public init(
            emailAddress: String? = nil,
            addressIndicator: String? = nil,
            firstName: String? = nil,
            surname: String? = nil,
            address: Address? = nil
        ) {
            self.emailAddress = emailAddress
            self.addressIndicator = addressIndicator
            self.firstName = firstName
            self.surname = surname
            self.address = address
        }

        /// The destination of a shipping contact.
        ///
        /// - Parameters:
        ///   - contact: The shipping contact.
        ///   - addressIndicator: How the address relates to others.
        public init(_ contact: PaymentContact, addressIndicator: String? = nil) {
            self.init(
                emailAddress: contact.emailAddress, addressIndicator: addressIndicator,
                firstName: contact.givenName, surname: contact.familyName,
                address: Address(contact))
        }

        /// Whether no member is there.
        var isEmpty: Bool { emailAddress == nil && addressIndicator == nil && !hasAddress }

        /// Whether `address` has a member, a name among them.
        var hasAddress: Bool {
            firstName != nil || surname != nil || address?.isEmpty == false
        }

        /// A mask.
        public var description: String { "Shipping(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
