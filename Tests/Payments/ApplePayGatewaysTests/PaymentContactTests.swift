import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import TestVectors
import Testing

@Suite("A contact of a customer")
struct PaymentContactTests {
    private static let web =
        #"{"givenName":"given","familyName":"family","phoneticGivenName":"","emailAddress":"email","#
        + #""phoneNumber":"phone","addressLines":["line 1","","line 2"],"subLocality":"district","#
        + #""locality":"city","postalCode":"code","subAdministrativeArea":"county","#
        + #""administrativeArea":"state","country":"country","countryCode":"be"}"#

    private static let native =
        #"{"name":{"givenName":"given","familyName":"family"},"givenName":"x","familyName":"x","#
        + #""emailAddress":"email","phoneNumber":{"stringValue":"phone"},"locality":"x","#
        + #""postalAddress":{"street":"line 1\n\nline 2","subLocality":"district","city":"city","#
        + #""postalCode":"code","subAdministrativeArea":"county","state":"state","#
        + #""country":"country","isoCountryCode":"be"}}"#

    private static func contact(_ json: String) throws -> PaymentContact {
        try PaymentContact(json: Array(json.utf8))
    }

    private static func texts(_ contact: PaymentContact) -> [String?] {
        [
            contact.givenName, contact.familyName, contact.emailAddress, contact.phoneNumber,
            contact.subLocality, contact.locality, contact.postalCode,
            contact.subAdministrativeArea, contact.administrativeArea, contact.country,
            contact.countryCode,
        ]
    }

    @Test("is read from either form, each member into its property", arguments: [web, native])
    func members(_ json: String) throws {
        let contact = try Self.contact(json)
        let texts = Self.texts(contact)
        let expected = [
            "given", "family", "email", "phone", "district", "city", "code", "county", "state",
            "country", "BE",
        ]
        #expect(texts == expected && contact.addressLines == ["line 1", "line 2"])
        #expect(contact.houseNumber == nil && "\(contact)" == "PaymentContact(masked)")
    }

    @Test("ignores null and empty texts")
    func missing() throws {
        for json in [
            "{}",
            #"{"givenName":"","locality":null,"addressLines":[""],"subAdministrativeArea":""}"#,
        ] {
            let contact = try Self.contact(json)
            #expect(Self.texts(contact).allSatisfy { $0 == nil } && contact.addressLines.isEmpty)
        }
        #expect(try Self.contact(#"{"phoneNumber":"1"}"#).phoneNumber == "1")
    }

    @Test("reports the member at fault with its path")
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
                let error = #expect(throws: PaymentError.self) {
                    try Self.contact(object.isEmpty ? member : #"{"\#(object)":\#(member)}"#)
                }
                #expect(error?.code == .malformed)
                #expect(error?.members.first == (object.isEmpty ? "\(name)" : "\(object).\(name)"))
            }
        }
    }

    @Test(
        "is refused if the document is not a contact",
        arguments: [
            ("[]", .malformed, ""), ("{", .notJSON, ""),
            (#"{"givenName":1}"#, .malformed, "givenName"),
            (#"{"name":"Jane"}"#, .malformed, "name"),
            (#"{"addressLines":"x"}"#, .malformed, "addressLines"),
            (#"{"addressLines":[1]}"#, .malformed, "addressLines"),
            (#"{"postalAddress":{"city":[]}}"#, .malformed, "postalAddress.city"),
            (#"{"phoneNumber":{"stringValue":1}}"#, .malformed, "phoneNumber.stringValue"),
            (#"{"phoneNumber":1}"#, .malformed, "phoneNumber"),
        ] as [(String, PaymentError.Code, String)]
    )
    func malformed(_ json: String, _ code: PaymentError.Code, _ field: String) {
        let error = #expect(throws: PaymentError.self) { try Self.contact(json) }
        #expect(error?.code == code && (error?.members.first ?? "") == field)
    }

    @Test("loses its empty texts in an order")
    func emptyTexts() throws {
        let empty = with(PaymentContact()) {
            $0.givenName = ""
            $0.familyName = ""
            $0.emailAddress = ""
            $0.phoneNumber = ""
            $0.addressLines = ["", ""]
            $0.houseNumber = ""
            $0.subLocality = ""
            $0.locality = ""
            $0.postalCode = ""
            $0.subAdministrativeArea = ""
            $0.administrativeArea = ""
            $0.country = ""
            $0.countryCode = ""
        }
        for gateway in try ExampleMerchant.example.gateways() {
            let order = try GatewayFixture.order { _ in }
            let other = with(order) {
                $0.customer = empty
                $0.shipping = empty
            }
            #expect(try gateway.body(other) == gateway.body(order), "\(gateway.name)")
        }
    }
}
