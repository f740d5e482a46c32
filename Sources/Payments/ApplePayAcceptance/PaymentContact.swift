/// A billing or shipping contact, such as one that Apple Pay gives to the client; it is not signed.
///
/// Its description and its mirror do not show any value. Empty strings count as missing.
///
/// Source: Apple, *ApplePayPaymentContact*; *PKContact*, *CNPostalAddress*.
public struct PaymentContact: Sendable, CustomStringConvertible, CustomReflectable {
    /// The given name.
    public var givenName: String?

    /// The family name.
    public var familyName: String?

    /// The email address.
    public var emailAddress: String?

    /// The phone number, as the customer wrote it.
    public var phoneNumber: String?

    /// The lines of the street address.
    public var addressLines: [String] = []

    /// The house number, if the first line does not contain it; Apple Pay never gives it separately.
    public var houseNumber: String?

    /// The district of the city.
    public var subLocality: String?

    /// The city.
    public var locality: String?

    /// The postal code.
    public var postalCode: String?

    /// The county or a similar area.
    public var subAdministrativeArea: String?

    /// The state.
    public var administrativeArea: String?

    /// The country's name.
    public var country: String?

    /// The country code of ISO 3166-1, in capital letters.
    public var countryCode: String?

    /// Creates a contact without any member.
    public init() {}

    private static let texts: [any WritableKeyPath<PaymentContact, String?> & Sendable] = [
        \.givenName, \.familyName, \.emailAddress, \.phoneNumber, \.houseNumber, \.subLocality,
        \.locality, \.postalCode, \.subAdministrativeArea, \.administrativeArea, \.country,
        \.countryCode,
    ]

    /// The same contact without empty strings, which some gateways refuse.
    var withoutEmptyTexts: PaymentContact {
        var contact = self
        for text in Self.texts where contact[keyPath: text]?.isEmpty == true {
            contact[keyPath: text] = nil
        }
        contact.addressLines.removeAll(where: \.isEmpty)
        return contact
    }

    /// A fixed text that does not show any value.
    public var description: String { "PaymentContact(masked)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
