public import ApplePayAcceptance

extension PaymentContact {
    /// The most characters of each member.
    fileprivate static let textLimit = 1_024

    /// Reads a contact in either of two forms, UTF-8, at most 1 MiB, and 1,024 characters for each member; other members, empty strings and `null` are
    /// ignored.
    ///
    /// A web page sends ApplePayPaymentContact. An app sends PKContact written as JSON, with the objects `name`
    /// (`givenName`, `familyName`) and `postalAddress` (`street` with line feeds between lines, `subLocality`,
    /// `city`, `subAdministrativeArea`, `state`, `postalCode`, `country`, `isoCountryCode`), and with `phoneNumber`
    /// as a string or as an object with `stringValue`.
    ///
    /// - Throws: ``PaymentError`` with code `not-json`, then `malformed`.
    public init(json: [UInt8]) throws(PaymentError) {
        try self.init(try AnswerValue(object: json))
    }

    /// Reads a contact that is a member of another JSON text.
    package init(_ contact: AnswerValue) throws(PaymentError) {
        self.init()
        guard contact.isObject else { throw .gateway(.malformed) }
        emailAddress = try contact.plain(["emailAddress"])
        let hasName = try contact.object("name") != nil
        func name(_ member: String) throws(PaymentError) -> String? {
            try contact.plain((hasName ? ["name"] : []) + [member])
        }
        (givenName, familyName) = (try name("givenName"), try name("familyName"))
        let phone = contact["phoneNumber"]?.isObject == true ? ["stringValue"] : []
        phoneNumber = try contact.plain(["phoneNumber"] + phone)
        let hasAddress = try contact.object("postalAddress") != nil
        /// Reads a member that has another name in a PKContact's address, or the same.
        func address(_ name: String, _ other: String? = nil) throws(PaymentError) -> String? {
            try contact.plain(hasAddress ? ["postalAddress", other ?? name] : [name])
        }
        addressLines =
            hasAddress
            ? try (address("street") ?? "").split(whereSeparator: \.isNewline).map(String.init)
            : try contact.plainTexts("addressLines")
        locality = try address("locality", "city")
        administrativeArea = try address("administrativeArea", "state")
        countryCode = try address("countryCode", "isoCountryCode")?.uppercased()
        subLocality = try address("subLocality")
        subAdministrativeArea = try address("subAdministrativeArea")
        postalCode = try address("postalCode")
        country = try address("country")
    }
}

extension AnswerValue {
    /// Returns a member that is a string; nil if it is missing or empty.
    fileprivate func plain(_ names: [String]) throws(PaymentError) -> String? {
        var value: AnswerValue? = self
        for name in names { value = value?[name] }
        guard let value else { return nil }
        let text = try value.contactText(names.joined(separator: "."))
        return text.isEmpty ? nil : text
    }

    /// Returns a member that is an array of strings, without empty strings.
    fileprivate func plainTexts(_ name: String) throws(PaymentError) -> [String] {
        guard let value = self[name] else { return [] }
        guard value.isArray else { throw .gateway(.malformed, name) }
        return try value.elements.map { element throws(PaymentError) in
            try element.contactText(name)
        }.filter { !$0.isEmpty }
    }

    /// Returns the text of a contact's member.
    private func contactText(_ name: String) throws(PaymentError) -> String {
        guard isString else { throw .gateway(.malformed, name) }
        guard characterCount <= PaymentContact.textLimit else {
            throw .gateway(.malformed, name).because(
                "at most \(PaymentContact.textLimit) characters")
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
