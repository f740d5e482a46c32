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

extension Worldline {
    /// An address; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct Address: Sendable, CustomStringConvertible, CustomReflectable {
        /// `street`.
        public var street: String?

        /// `houseNumber`.
        public var houseNumber: String?

        /// `additionalInfo`.
        public var additionalInfo: String?

        /// `zip`.
        public var zip: String?

        /// `city`.
        public var city: String?

        /// `state`, ISO 3166-2.
        public var state: String?

        /// `countryCode`, ISO 3166-1 alpha-2.
        public var countryCode: String?

        /// Makes an address.
        ///
        /// - Parameters:
        ///   - street: The street, with the number where it is not told by itself.
        ///   - houseNumber: The number.
        ///   - additionalInfo: More about the place.
        ///   - zip: The postal code.
        ///   - city: The city.
        ///   - state: The state.
        ///   - countryCode: Two capital letters.
        public init(
            street: String? = nil,
            houseNumber: String? = nil,
            additionalInfo: String? = nil,
            zip: String? = nil,
            city: String? = nil,
            state: String? = nil,
            countryCode: String? = nil
        ) {
            self.street = street
            self.houseNumber = houseNumber
            self.additionalInfo = additionalInfo
            self.zip = zip
            self.city = city
            self.state = state
            self.countryCode = countryCode
        }

        /// The address of a contact.
        ///
        /// The first line becomes `street`, house number included, since nothing says where that stands;
        /// further lines and the part of the city become `additionalInfo`. The county is left out. nil when
        /// the contact has no part of an address.
        ///
        /// - Parameter contact: The contact.
        public init?(_ contact: PaymentContact) {
            let rest = contact.addressLines.dropFirst() + [contact.subLocality].compactMap { $0 }
            self.init(
                street: contact.addressLines.first,
                additionalInfo: rest.isEmpty ? nil : rest.joined(separator: ", "),
                zip: contact.postalCode, city: contact.locality,
                state: contact.administrativeArea, countryCode: contact.countryCode)
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
