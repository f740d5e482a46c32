/// A name as a sequence of single attributes (RFC 5280 §4.1.2.4).
package struct DistinguishedName: Equatable, Sendable {
    /// One attribute; a country is a PrintableString, all others are UTF8Strings.
    package struct Attribute: Equatable, Sendable {
        /// The kind of attribute.
        package var type: OID
        /// Its text.
        package var value: String
    }

    /// The attributes, in encoding order.
    package var attributes: [Attribute]

    /// Creates a name with the attributes in Apple's order: UID, CN, OU, O, C.
    package init(
        userIdentifier: String? = nil,
        commonName: String,
        organizationalUnit: String,
        organization: String = "Mint Example Inc.",
        country: String = "US"
    ) {
        let parts: [(OID, String?)] = [
            (.userIdentifier, userIdentifier), (.commonName, commonName),
            (.organizationalUnitName, organizationalUnit), (.organizationName, organization),
            (.countryName, country),
        ]
        attributes = parts.compactMap { type, value in
            value.map { Attribute(type: type, value: $0) }
        }
    }

    /// The common name.
    package var commonName: String {
        get { attributes.first { $0.type == .commonName }?.value ?? "" }
        set {
            for index in attributes.indices where attributes[index].type == .commonName {
                attributes[index].value = newValue
            }
        }
    }

    /// Name.
    package var element: ASN1Element {
        .sequence(
            attributes.map { attribute in
                let value: ASN1Element =
                    attribute.type == .countryName
                    ? .printableString(attribute.value) : .utf8String(attribute.value)
                return .set([.sequence([.objectIdentifier(attribute.type), value])])
            }
        )
    }
}
