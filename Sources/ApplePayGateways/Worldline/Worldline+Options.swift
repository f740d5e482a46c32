extension Worldline {
    /// The optional members of CreateHostedCheckout, which creates a payment page without a token.
    public struct HostedCheckout: Sendable {
        /// `returnUrl`: the absolute address to which the customer returns; http, https or an app's own scheme.
        public var returnURL: String

        /// `locale`, such as `en_GB`.
        public var locale: String?

        /// `showResultPage`: whether Worldline shows the result.
        public var showResultPage: Bool?

        /// `isRecurring`: whether more payments will follow.
        public var isRecurring: Bool?

        /// `tokens`: the customer's cards on file; an empty array is left out.
        public var tokens: [String] = []

        /// `variant`: the merchant's page design to use.
        public var variant: String?

        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `order.references.merchantReference`: the merchant's identifier of the order; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`: the customer; nil leaves it out.
        public var customer: Customer?

        /// `order.shipping`: the shipping address; nil leaves it out.
        public var shipping: Shipping?

        /// Creates a page with the settings of the account.
        ///
        /// - Parameter returnURL: The address to which the customer returns.
        public init(returnURL: String) {
            self.returnURL = returnURL
        }
    }
}

extension Worldline {
    /// `order.customer`: the customer; members that are nil are left out, and the object if all are nil.
    ///
    /// Its description and its mirror do not show any value.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `contactDetails.emailAddress`: the email address.
        public var emailAddress: String?

        /// `contactDetails.phoneNumber`, beginning with a plus sign.
        public var phoneNumber: String?

        /// `personalInformation.name.firstName`: the given name.
        public var firstName: String?

        /// `personalInformation.name.surname`: the family name.
        public var surname: String?

        /// `billingAddress`: the address.
        public var billingAddress: Address?

        /// Creates a customer without any member.
        public init() {}

        /// Creates a customer from the contacts that PassKit gives with a payment.
        ///
        /// If the billing contact lacks the email address or the phone number, those of the shipping contact are used,
        /// because the payment sheet asks for them there.
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

        /// Whether all members are missing.
        var isEmpty: Bool {
            [emailAddress, phoneNumber, firstName, surname].allSatisfy { $0 == nil }
                && billingAddress?.isEmpty ?? true
        }

        /// A fixed text that does not show any value.
        public var description: String { "Customer(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension Worldline {
    /// `order.shipping`: the shipping address; members that are nil are left out, and the object if all are nil.
    ///
    /// Its description and its mirror do not show any value.
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

        /// Creates a shipping address without any member.
        public init() {}

        /// Creates a shipping address from a contact.
        ///
        /// - Parameters:
        ///   - contact: The shipping contact.
        ///   - addressIndicator: How the address relates to other addresses.
        public init(_ contact: PaymentContact, addressIndicator: String? = nil) {
            emailAddress = contact.emailAddress
            self.addressIndicator = addressIndicator
            firstName = contact.givenName
            surname = contact.familyName
            address = Address(contact)
        }

        /// Whether all members are missing.
        var isEmpty: Bool { emailAddress == nil && addressIndicator == nil && !hasAddress }

        /// Whether `address` has at least one member, including the name.
        var hasAddress: Bool {
            firstName != nil || surname != nil || address?.isEmpty == false
        }

        /// A fixed text that does not show any value.
        public var description: String { "Shipping(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension Worldline {
    /// An address; members that are nil are left out.
    ///
    /// Its description and its mirror do not show any value.
    public struct Address: Sendable, CustomStringConvertible, CustomReflectable {
        /// `street`: the street; with the house number, unless `houseNumber` contains it.
        public var street: String?

        /// `houseNumber`: the house number.
        public var houseNumber: String?

        /// `additionalInfo`: floor, apartment and similar details.
        public var additionalInfo: String?

        /// `zip`: the postal code.
        public var zip: String?

        /// `city`: the city.
        public var city: String?

        /// `state`: the state, as an ISO 3166-2 code.
        public var state: String?

        /// `countryCode`: two capital letters of ISO 3166-1.
        public var countryCode: String?

        /// Creates an empty address.
        public init() {}

        /// Creates the address of a contact; nil if the contact does not contain any part of an address.
        ///
        /// The first line becomes `street`, including the house number, because the contact does not mark the number.
        /// Further lines and the district become `additionalInfo`. The county is left out.
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

        /// Whether all members are missing.
        var isEmpty: Bool { members.allSatisfy { $0.value == nil } }

        /// The members, in the order in which they are written.
        var members: [(name: String, value: String?)] {
            [
                ("street", street), ("houseNumber", houseNumber),
                ("additionalInfo", additionalInfo), ("zip", zip), ("city", city),
                ("state", state), ("countryCode", countryCode),
            ]
        }

        /// A fixed text that does not show any value.
        public var description: String { "Address(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
