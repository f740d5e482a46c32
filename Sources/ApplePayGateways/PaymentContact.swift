internal import ApplePayWire

/// A billing or shipping contact that Apple Pay gives to the client; it is not signed.
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

    /// The lines of the street address; none of them is empty.
    public var addressLines: [String]

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

    /// Reads a contact in either of two forms.
    ///
    /// A web page sends ApplePayPaymentContact. An app sends PKContact written as JSON, with the objects `name`
    /// (`givenName`, `familyName`) and `postalAddress` (`street` with line feeds between lines, `subLocality`, `city`,
    /// `subAdministrativeArea`, `state`, `postalCode`, `country`, `isoCountryCode`), and with `phoneNumber` as a string
    /// or as an object with `stringValue`.
    ///
    /// - Parameter json: UTF-8, at most 1 MiB; other members and `null` are ignored.
    /// - Throws: ``UnreadableJSONError`` with code `not-json`, then `wrong-type`.
    public init(json: [UInt8]) throws(UnreadableJSONError) {
        let root: ResponseValue
        do {
            root = try ResponseValue(json)
        } catch {
            throw UnreadableJSONError(.notJSON, .contact, field: "")
        }
        let contact = try ContactObject(root, [])
        emailAddress = try contact.text("emailAddress")
        let name = try contact.object("name")
        givenName = try (name ?? contact).text("givenName")
        familyName = try (name ?? contact).text("familyName")
        phoneNumber =
            if let number = contact.nested("phoneNumber") {
                try number.text("stringValue")
            } else {
                try contact.text("phoneNumber")
            }
        if let address = try contact.object("postalAddress") {
            addressLines = try (address.text("street") ?? "").split(whereSeparator: \.isNewline)
                .map(String.init)
            locality = try address.text("city")
            administrativeArea = try address.text("state")
            countryCode = try address.text("isoCountryCode")?.uppercased()
            (subLocality, subAdministrativeArea, postalCode, country) = try Self.shared(address)
        } else {
            addressLines = try contact.texts("addressLines")
            locality = try contact.text("locality")
            administrativeArea = try contact.text("administrativeArea")
            countryCode = try contact.text("countryCode")?.uppercased()
            (subLocality, subAdministrativeArea, postalCode, country) = try Self.shared(contact)
        }
    }

    /// A fixed text that does not show any value.
    public var description: String { "PaymentContact(masked)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the members that have the same name in both forms.
    private static func shared(
        _ object: ContactObject
    ) throws(UnreadableJSONError) -> (String?, String?, String?, String?) {
        (
            try object.text("subLocality"), try object.text("subAdministrativeArea"),
            try object.text("postalCode"), try object.text("country")
        )
    }
}

/// A JSON object in a contact.
private struct ContactObject {
    private let value: ResponseValue
    private let path: [String]

    init(_ value: ResponseValue, _ path: [String]) throws(UnreadableJSONError) {
        guard value.isObject else {
            throw UnreadableJSONError(.wrongType, .contact, field: path.joined(separator: "."))
        }
        self.value = value
        self.path = path
    }

    /// Returns a member that is a string; nil if it is missing or empty.
    func text(_ name: String) throws(UnreadableJSONError) -> String? {
        guard let member = value[name] else { return nil }
        return try text(member, name)
    }

    /// Returns a member that is an array of strings, without empty strings.
    func texts(_ name: String) throws(UnreadableJSONError) -> [String] {
        guard let member = value[name] else { return [] }
        guard member.isArray else { throw wrongType(name) }
        var texts: [String] = []
        for element in member.elements {
            if let text = try text(element, name) { texts.append(text) }
        }
        return texts
    }

    /// Returns a member that is an object; nil if it is missing.
    func object(_ name: String) throws(UnreadableJSONError) -> ContactObject? {
        guard let member = value[name] else { return nil }
        return try ContactObject(member, path + [name])
    }

    /// Returns a member if it is an object.
    func nested(_ name: String) -> ContactObject? {
        value[name].flatMap { try? ContactObject($0, path + [name]) }
    }

    private func text(
        _ member: ResponseValue,
        _ name: String
    ) throws(UnreadableJSONError) -> String? {
        guard member.isString, let text = member.string else { throw wrongType(name) }
        return text.isEmpty ? nil : text
    }

    private func wrongType(_ name: String) -> UnreadableJSONError {
        UnreadableJSONError(.wrongType, .contact, field: (path + [name]).joined(separator: "."))
    }
}
