extension Worldline {
    /// The optional members of CreateHostedCheckout, which creates a payment page without a token.
    public struct HostedCheckout: Sendable {
        /// `returnUrl`: where the customer comes back to, absolute; http, https or an app's own scheme.
        public var returnURL: String

        /// `locale`, such as `en_GB`.
        public var locale: String?

        /// `showResultPage`: whether Worldline shows the result.
        public var showResultPage: Bool?

        /// `isRecurring`: whether more payments follow.
        public var isRecurring: Bool?

        /// `tokens`: the customer's cards on file; empty leaves them out.
        public var tokens: [String] = []

        /// `variant`: which of the merchant's page designs.
        public var variant: String?

        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `order.references.merchantReference`: the merchant's own name for the order; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`: who pays; nil leaves it out.
        public var customer: Customer?

        /// `order.shipping`: where the goods go; nil leaves it out.
        public var shipping: Shipping?

        /// Creates a page with the settings of the account.
        ///
        /// - Parameter returnURL: Where the customer comes back to.
        public init(returnURL: String) {
            self.returnURL = returnURL
        }
    }
}

extension Worldline {
    /// `order.customer`: who pays; what is nil is left out, and all of it if all values are nil.
    ///
    /// Its description and its mirror show none of it.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `contactDetails.emailAddress`: the email address.
        public var emailAddress: String?

        /// `contactDetails.phoneNumber`, with a plus sign in front.
        public var phoneNumber: String?

        /// `personalInformation.name.firstName`: the given name.
        public var firstName: String?

        /// `personalInformation.name.surname`: the family name.
        public var surname: String?

        /// `billingAddress`: the address.
        public var billingAddress: Address?

        /// Creates a customer of whom nothing is known.
        public init() {}

        /// The customer of the contacts that PassKit gives with a payment.
        ///
        /// The email address and the phone number are the shipping contact's where the billing contact has
        /// none: the sheet asks for them there.
        ///
        /// - Parameters:
        ///   - billing: The billing contact.
        ///   - shipping: The shipping contact.
        public init(billing: PaymentContact?, shipping: PaymentContact? = nil) {
            emailAddress = billing?.emailAddress ?? shipping?.emailAddress
            phoneNumber = billing?.phoneNumber ?? shipping?.phoneNumber
            firstName = billing?.givenName
            surname = billing?.familyName
            billingAddress = billing.flatMap(Address.init)
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

extension Worldline {
    /// `order.shipping`: where the goods go; what is nil is left out, and all of it if all values are nil.
    ///
    /// Its description and its mirror show none of it.
    public struct Shipping: Sendable, CustomStringConvertible, CustomReflectable {
        /// `emailAddress`: the email address.
        public var emailAddress: String?

        /// `addressIndicator`, such as `different-than-billing`.
        public var addressIndicator: String?

        /// `address.name.firstName`: the given name.
        public var firstName: String?

        /// `address.name.surname`: the family name.
        public var surname: String?

        /// `address`: the address.
        public var address: Address?

        /// Creates an empty destination.
        public init() {}

        /// The destination of a shipping contact.
        ///
        /// - Parameters:
        ///   - contact: The shipping contact.
        ///   - addressIndicator: How the address relates to others.
        public init(_ contact: PaymentContact, addressIndicator: String? = nil) {
            emailAddress = contact.emailAddress
            self.addressIndicator = addressIndicator
            firstName = contact.givenName
            surname = contact.familyName
            address = Address(contact)
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

extension Worldline {
    /// An address; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct Address: Sendable, CustomStringConvertible, CustomReflectable {
        /// `street`: the street, with the number unless `houseNumber` has it.
        public var street: String?

        /// `houseNumber`: the number.
        public var houseNumber: String?

        /// `additionalInfo`: floor, flat and the like.
        public var additionalInfo: String?

        /// `zip`: the postal code.
        public var zip: String?

        /// `city`: the city.
        public var city: String?

        /// `state`: the state's code of ISO 3166-2.
        public var state: String?

        /// `countryCode`: two capital letters of ISO 3166-1.
        public var countryCode: String?

        /// Creates an empty address.
        public init() {}

        /// The address of a contact.
        ///
        /// The first line becomes `street`, house number included, since nothing says where that stands;
        /// further lines and the part of the city become `additionalInfo`. The county is left out. nil when
        /// the contact has no part of an address.
        ///
        /// - Parameter contact: The contact.
        public init?(_ contact: PaymentContact) {
            let rest = contact.addressLines.dropFirst() + [contact.subLocality].compactMap { $0 }
            street = contact.addressLines.first
            additionalInfo = rest.isEmpty ? nil : rest.joined(separator: ", ")
            zip = contact.postalCode
            city = contact.locality
            state = contact.administrativeArea
            countryCode = contact.countryCode
            guard !isEmpty else { return nil }
        }

        /// Whether no member is there.
        var isEmpty: Bool { members.allSatisfy { $0.value == nil } }

        /// The members in order.
        var members: [(name: String, value: String?)] {
            [
                ("street", street), ("houseNumber", houseNumber),
                ("additionalInfo", additionalInfo), ("zip", zip), ("city", city),
                ("state", state), ("countryCode", countryCode),
            ]
        }

        /// A mask.
        public var description: String { "Address(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
