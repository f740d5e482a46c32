extension Worldline {
    /// `order.customer`: who pays; what is nil is left out, and all of it where nothing is said.
    ///
    /// Its description and its mirror show none of it.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `contactDetails.emailAddress`.
        public var emailAddress: String?

        /// `contactDetails.phoneNumber`, with a plus sign in front.
        public var phoneNumber: String?

        /// `personalInformation.name.firstName`.
        public var firstName: String?

        /// `personalInformation.name.surname`.
        public var surname: String?

        /// `billingAddress`.
        public var billingAddress: Address?

        /// Makes a customer.
        ///
        /// - Parameters:
        ///   - emailAddress: The email address.
        ///   - phoneNumber: The phone number.
        ///   - firstName: The given name.
        ///   - surname: The family name.
        ///   - billingAddress: The address.
        public init(
            emailAddress: String? = nil,
            phoneNumber: String? = nil,
            firstName: String? = nil,
            surname: String? = nil,
            billingAddress: Address? = nil
        ) {
            self.emailAddress = emailAddress
            self.phoneNumber = phoneNumber
            self.firstName = firstName
            self.surname = surname
            self.billingAddress = billingAddress
        }

        /// The customer of the contacts that PassKit gives with a payment.
        ///
        /// The email address and the phone number are the shipping contact's where the billing contact has
        /// none: the sheet asks for them there.
        ///
        /// - Parameters:
        ///   - billing: The billing contact.
        ///   - shipping: The shipping contact.
        public init(billing: PaymentContact?, shipping: PaymentContact? = nil) {
            self.init(
                emailAddress: billing?.emailAddress ?? shipping?.emailAddress,
                phoneNumber: billing?.phoneNumber ?? shipping?.phoneNumber,
                firstName: billing?.givenName, surname: billing?.familyName,
                billingAddress: billing.flatMap(Address.init))
        }

        /// Whether no member is there.
        var isEmpty: Bool {
            [emailAddress, phoneNumber, firstName, surname].allSatisfy { $0 == nil }
                && billingAddress?.isEmpty ?? true
        }

        /// A mask.
        public var description: String { "Customer(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
