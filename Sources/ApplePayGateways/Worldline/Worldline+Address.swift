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
