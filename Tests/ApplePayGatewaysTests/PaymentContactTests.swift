import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@testable import ApplePayGateways

@Suite("A contact of a customer")
struct PaymentContactTests {
    private static let web =
        #"{"givenName":"given","familyName":"family","emailAddress":"email","phoneNumber":"phone","#
        + #""addressLines":["line 1","","line 2"],"subLocality":"district","locality":"city","#
        + #""postalCode":"code","subAdministrativeArea":"county","administrativeArea":"state","#
        + #""country":"country","countryCode":"be"}"#

    private static let native =
        #"{"name":{"givenName":"given","familyName":"family"},"givenName":"x","familyName":"x","#
        + #""emailAddress":"email","phoneNumber":{"stringValue":"phone"},"locality":"x","#
        + #""postalAddress":{"street":"line 1\n\nline 2","subLocality":"district","city":"city","#
        + #""postalCode":"code","subAdministrativeArea":"county","state":"state","#
        + #""country":"country","isoCountryCode":"be"}}"#

    private static func contact(_ json: String) throws -> PaymentContact {
        try PaymentContact(json: Array(json.utf8))
    }

    @Test("has each member of either form in its property", arguments: [web, native])
    func members(_ json: String) throws {
        let contact = try Self.contact(json)
        let texts = [
            contact.givenName, contact.familyName, contact.emailAddress, contact.phoneNumber,
            contact.subLocality, contact.locality, contact.postalCode,
            contact.subAdministrativeArea, contact.administrativeArea, contact.country,
            contact.countryCode,
        ]
        let expected = [
            "given", "family", "email", "phone", "district", "city", "code", "county", "state",
            "country", "BE",
        ]
        #expect(texts == expected && contact.addressLines == ["line 1", "line 2"])
    }

    @Test("names the member at fault with its path")
    func faults() {
        for (object, names) in [
            (
                "",
                "emailAddress phoneNumber givenName familyName locality administrativeArea countryCode"
            ),
            ("", "subLocality subAdministrativeArea postalCode country"),
            ("name", "givenName familyName"),
            ("postalAddress", "street city state isoCountryCode subLocality postalCode country"),
            ("postalAddress", "subAdministrativeArea"),
        ] {
            for name in names.split(separator: " ") {
                let member = #"{"\#(name)":true}"#
                let error = #expect(throws: UnreadableJSONError.self) {
                    try Self.contact(object.isEmpty ? member : #"{"\#(object)":\#(member)}"#)
                }
                #expect(error?.code == .wrongType)
                #expect(error?.field == (object.isEmpty ? "\(name)" : "\(object).\(name)"))
            }
        }
    }

    @Test("becomes Worldline's customer and shipping address, each member from its own")
    func worldline() throws {
        let contact = try Self.contact(Self.web)
        let other = try Self.contact(
            #"{"givenName":"g","familyName":"f","emailAddress":"e","phoneNumber":"p","locality":"l"}"#
        )
        func texts(_ customer: Worldline.Customer) -> [String?] {
            [customer.emailAddress, customer.phoneNumber, customer.firstName, customer.surname]
        }
        let customer = Worldline.Customer(billing: contact, shipping: other)
        #expect(texts(customer) == ["email", "phone", "given", "family"])
        #expect(texts(.init(billing: nil, shipping: other)) == ["e", "p", nil, nil])
        #expect(texts(.init(billing: nil)) == [nil, nil, nil, nil])
        let shipping = Worldline.Shipping(contact, addressIndicator: "indicator")
        #expect(shipping.emailAddress == "email" && shipping.addressIndicator == "indicator")
        #expect(shipping.firstName == "given" && shipping.surname == "family")
        for address in [customer.billingAddress, shipping.address] {
            #expect(
                address?.members.map { "\($0.name) \($0.value ?? "-")" } == [
                    "street line 1", "houseNumber -", "additionalInfo line 2, district", "zip code",
                    "city city", "state state", "countryCode BE",
                ])
        }
        for (json, name) in [
            (#"{"addressLines":["x"]}"#, "street"), (#"{"subLocality":"x"}"#, "additionalInfo"),
            (#"{"postalCode":"x"}"#, "zip"), (#"{"locality":"x"}"#, "city"),
            (#"{"administrativeArea":"x"}"#, "state"),
        ] {
            let members = try Worldline.Address(Self.contact(json))?.members ?? []
            #expect(members.filter { $0.value == "x" }.map(\.name) == [name])
            #expect(members.filter { $0.value == nil }.count == 6)
        }
        for json in [#"{"country":"x"}"#, #"{"subAdministrativeArea":"x"}"#, #"{"givenName":"x"}"#]
        {
            #expect(try Worldline.Address(Self.contact(json)) == nil)
        }
    }

    /// Returns the member `order` without its amount.
    private func order(
        _ customer: Worldline.Customer? = nil,
        _ shipping: Worldline.Shipping? = nil
    ) throws -> String {
        let page = with(Worldline.HostedCheckout(returnURL: "a:b")) {
            $0.customer = customer
            $0.shipping = shipping
        }
        let request = try WorldlineDirect.createHostedCheckout(
            order: GatewayFixture.order(), page)
        let body = try #require(request.body?.revealText())
        let start = try #require(body.firstRange(of: #""currencyCode":"EUR"}"#)?.upperBound)
        let end = try #require(body.firstRange(of: #"},"hostedCheckoutSpecificInput""#)?.lowerBound)
        return String(body[start..<end])
    }

    @Test("is sent to Worldline with one member as with all")
    func singleMembers() throws {
        let customers: [(WritableKeyPath<Worldline.Customer, String?>, String)] = [
            (\.emailAddress, #""contactDetails":{"emailAddress":"x"}"#),
            (\.phoneNumber, #""contactDetails":{"phoneNumber":"x"}"#),
            (\.firstName, #""personalInformation":{"name":{"firstName":"x"}}"#),
            (\.surname, #""personalInformation":{"name":{"surname":"x"}}"#),
        ]
        for (member, text) in customers {
            let customer = with(Worldline.Customer()) { $0[keyPath: member] = "x" }
            #expect(try order(customer) == #","customer":{\#(text)}"#)
        }
        let destinations: [(WritableKeyPath<Worldline.Shipping, String?>, String)] = [
            (\.emailAddress, #""emailAddress":"x""#),
            (\.addressIndicator, #""addressIndicator":"x""#),
            (\.firstName, #""address":{"name":{"firstName":"x"}}"#),
            (\.surname, #""address":{"name":{"surname":"x"}}"#),
        ]
        for (member, text) in destinations {
            let shipping = with(Worldline.Shipping()) { $0[keyPath: member] = "x" }
            #expect(try order(nil, shipping) == #","shipping":{\#(text)}"#)
        }
        let members: [(WritableKeyPath<Worldline.Address, String?>, String)] = [
            (\.street, "street"), (\.houseNumber, "houseNumber"),
            (\.additionalInfo, "additionalInfo"), (\.zip, "zip"), (\.city, "city"),
            (\.state, "state"), (\.countryCode, "countryCode"),
        ]
        for (member, name) in members {
            let address = with(Worldline.Address()) { $0[keyPath: member] = "xx" }
            let customer = with(Worldline.Customer()) { $0.billingAddress = address }
            let shipping = with(Worldline.Shipping()) { $0.address = address }
            #expect(
                try order(customer, shipping)
                    == #","customer":{"billingAddress":{"\#(name)":"xx"}},"#
                    + #""shipping":{"address":{"\#(name)":"xx"}}"#)
        }
        #expect(try order(.init(), .init()) == "")
    }
}
