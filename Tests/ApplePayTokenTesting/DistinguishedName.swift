/// A name as a sequence of single attributes (RFC 5280 §4.1.2.4).
package struct DistinguishedName: Equatable, Sendable {
    /// One attribute; a country is a PrintableString, everything else a UTF8String.
    package struct Attribute: Equatable, Sendable {
        /// The kind of attribute.
        package var type: OID
        /// Its text.
        package var value: String
    }

    /// The attributes, in the order they are encoded.
    package var attributes: [Attribute]

    /// A name in the order Apple writes it: UID, CN, OU, O, C.
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

    /// The text of the common name.
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
