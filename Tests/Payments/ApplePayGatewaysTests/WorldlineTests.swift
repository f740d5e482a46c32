import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import Foundation
import TestVectors
import Testing

@Suite("Worldline Direct and Connect")
struct WorldlineTests {
    @Test(
        "get the signatures that the vendor's SDKs compute",
        arguments: [
            (
                "GET", nil, [], "/v2/1/tokens/2", "6Kj5HT0MQKC6D8eb7W3lTg71kVKVDSt1",
                "vCos01y77soPNJOW6kDCm4Bu5b2darAZ09PP7Wa+jRA="
            ),
            (
                "GET", nil, [], "/v1/9991/tokens/123456789", "6Kj5HT0MQKC6D8eb7W3lTg71kVKVDSt1",
                "9ond5EIN05dBXJGCLRK5om9pxHsyrh/12pZJ7bvmwNM="
            ),
            (
                "DELETE", "application/json",
                ["X-GCS-ServerMetaInfo", "X-GCS-CustomerHeader", "x-gcs-clientmetainfo"],
                "/v2/1/tokens/2", "secretApiKey", "jXG/ESTtRWawO4OOyxOrtWcQA8XkrZKeoHeGGIj4jws="
            ),
        ] as [(String, String?, [String], String, String, String)]
    )
    func signature(
        _ method: String,
        _ type: String?,
        _ names: [String],
        _ target: String,
        _ secret: String,
        _ expected: String
    ) throws {
        let text = Worldline.textToSign(
            method: method, contentType: type, date: "Fri, 06 Jun 2014 13:39:43 GMT",
            headers: names.map { ($0, "processed header value") } + [("X-Other", "unsigned")],
            target: target)
        let code = try Worldline.signature(of: text, GatewayFixture.secret(secret))
        let base64 = code.withRevealedBytes { bytes in
            Data(bytes.indices.map { bytes[$0] }).base64EncodedString()
        }
        #expect(base64 == expected)
    }

    @Test("get signed headers with the same name in their order")
    func signedHeaders() {
        let text = Worldline.textToSign(
            method: "GET", contentType: nil, date: "d",
            headers: [("x-gcs-b", "3"), ("X-GCS-A", "1"), ("x-gcs-a", "2"), ("Date", "d")],
            target: "/t")
        #expect(text == "GET\n\nd\nx-gcs-a:1\nx-gcs-a:2\nx-gcs-b:3\n/t\n")
    }

    private func sign(
        _ id: String = "key-1", _ secret: String = "k", seconds: Double = 0
    ) throws -> GatewayRequest {
        try Worldline.authorize(
            WorldlineFixture.direct().statusRequest("p", suffix: ""),
            .init(apiKeyId: id, secretAPIKey: GatewayFixture.secret(secret)),
            date: Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "get the date in the form of HTTP, and a masked signature",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_402_061_983, "Fri, 06 Jun 2014 13:39:43 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, nil), (253_402_300_800, nil),
            (.infinity, nil), (.nan, nil),
        ] as [(Double, String?)])
    func date(_ seconds: Double, _ text: String?) throws {
        guard let text else {
            GatewayFixture.expectRefusal(.unsupportedValue, "Date") { try sign(seconds: seconds) }
            return
        }
        let signed = try sign(seconds: seconds)
        #expect(signed.headers.map(\.name) == ["Date", "Authorization"])
        #expect(signed.headers.first?.revealValue() == text)
        #expect(!"\(signed)".contains("GCS"))
    }

    @Test("get every request signed when it is sent")
    func calls() throws {
        let attempt = try GatewayFixture.attempt(paymentID: "1")
        let accepted = try GatewayFixture.accepted()
        for gateway in [WorldlineFixture.direct(), WorldlineFixture.connect()]
            as [any TestedGateway]
        {
            let report = PaymentReport(gateway: gateway.name)
            let refund = PaymentOperation(.refund, name: "r")
            let requests: [(Date) throws -> GatewayRequest] = [
                try gateway.payment(accepted).request,
                try gateway.status(of: attempt).request,
                try gateway.perform(refund, on: report, of: attempt).request,
            ]
            for request in requests {
                let signed = try request(Date(timeIntervalSince1970: 0))
                #expect(signed.headers.suffix(2).map(\.name) == ["Date", "Authorization"])
                #expect(
                    try request(Date(timeIntervalSince1970: 1)).headers.last?.revealValue()
                        != signed.headers.last?.revealValue())
            }
        }
    }

    /// Returns the member `order` of a payment at Direct without its amount and reference, after comparing it with
    /// Connect's and with those of the pages.
    private func members(_ change: (inout Order) throws -> Void, indicator: String? = nil) throws
        -> String
    {
        let order = try GatewayFixture.order(with: change)
        let attempt = try GatewayFixture.attempt(order)
        let page = with(Worldline.PageOptions()) { $0.addressIndicator = indicator }
        let direct = with(WorldlineFixture.direct { $0.addressIndicator = indicator }) {
            $0.pageOptions = page
        }
        let connect = with(WorldlineFixture.connect { $0.addressIndicator = indicator }) {
            $0.pageOptions = page
        }
        let bodies = try [
            direct.body(order), connect.body(order),
            GatewayFixture.body(
                WorldlineFixture.signed(direct.page(for: order, attempt: attempt))),
            GatewayFixture.body(
                WorldlineFixture.signed(connect.page(for: order, attempt: attempt))),
        ]
        let members = try bodies.map { body in
            let start = try #require(
                body.firstRange(of: #""references":{"merchantReference":"order-1001"}"#))
            let name = body.contains("hosted") ? "hostedCheckout" : "mobilePaymentMethod"
            let end = try #require(body.firstRange(of: #"},"\#(name)SpecificInput""#))
            return String(body[start.upperBound..<end.lowerBound])
        }
        #expect(Set(members).count == 1)
        return members[0]
    }

    private static let contact = with(PaymentContact()) {
        $0.givenName = "given"
        $0.familyName = "family"
        $0.emailAddress = "email"
        $0.phoneNumber = "phone"
        $0.addressLines = ["line 1", "line 2", "line 3"]
        $0.houseNumber = "number"
        $0.subLocality = "district"
        $0.locality = "city"
        $0.postalCode = "code"
        $0.subAdministrativeArea = "county"
        $0.administrativeArea = "state"
        $0.country = "country"
        $0.countryCode = "BE"
    }

    @Test("get each member of the contacts from its own, and the shipping contact's for the rest")
    func contacts() throws {
        let name = #""name":{"firstName":"given","surname":"family"}"#
        let address =
            #""street":"line 1","houseNumber":"number","additionalInfo":"line 2, line 3, district","#
            + #""zip":"code","city":"city","state":"state","countryCode":"BE""#
        let details = #""contactDetails":{"emailAddress":"email","phoneNumber":"phone"}"#
        #expect(
            try members { $0.customer = Self.contact }
                == #","customer":{\#(details),"personalInformation":{\#(name)},"#
                + #""billingAddress":{\#(address)}}"#)
        let shipping =
            #""shipping":{"emailAddress":"email","addressIndicator":"i","#
            + #""address":{\#(name),\#(address)}}"#
        #expect(
            try members({ $0.shipping = Self.contact }, indicator: "i")
                == #","customer":{\#(details)},\#(shipping)"#)
        let both = try members {
            $0.customer = with(PaymentContact()) {
                $0.givenName = "Jane"
                $0.emailAddress = "j@example.com"
            }
            $0.shipping = with(PaymentContact()) {
                $0.givenName = "John"
                $0.emailAddress = "e"
                $0.phoneNumber = "+1"
            }
        }
        #expect(
            both
                == #","customer":{"contactDetails":{"emailAddress":"j@example.com","#
                + #""phoneNumber":"+1"},"personalInformation":{"name":{"firstName":"Jane"}}},"#
                + #""shipping":{"emailAddress":"e","address":{"name":{"firstName":"John"}}}"#)
    }

    @Test("receive neither objects without members nor empty members")
    func emptyContacts() throws {
        let empty = with(PaymentContact()) {
            $0.country = "Belgium"
            $0.subAdministrativeArea = "county"
        }
        #expect(try members { _ in } == "")
        #expect(
            try members {
                $0.customer = empty
                $0.shipping = empty
            } == "")
        #expect(
            try members({ _ in }, indicator: "same-as-billing")
                == #","shipping":{"addressIndicator":"same-as-billing"}"#)
        let blank = try PaymentContact(
            json: Array(#"{"givenName":"","addressLines":[""],"locality":""}"#.utf8))
        #expect(try members { $0.customer = blank } == "")
    }

    @Test("receive a contact with one member like one with all")
    func singleMembers() throws {
        typealias Member = WritableKeyPath<PaymentContact, String?>
        let name = { (member: String) in #"{"name":{"\#(member)":"xx"}}"# }
        let members: [(Member, String, String?)] = [
            (\.emailAddress, #""contactDetails":{"emailAddress":"xx"}"#, #""emailAddress":"xx""#),
            (\.phoneNumber, #""contactDetails":{"phoneNumber":"xx"}"#, nil),
            (
                \.givenName, #""personalInformation":\#(name("firstName"))"#,
                #""address":\#(name("firstName"))"#
            ),
            (
                \.familyName, #""personalInformation":\#(name("surname"))"#,
                #""address":\#(name("surname"))"#
            ),
        ]
        for (member, customer, shipping) in members {
            let contact = with(PaymentContact()) { $0[keyPath: member] = "xx" }
            #expect(try self.members { $0.customer = contact } == #","customer":{\#(customer)}"#)
            let details = customer.hasPrefix(#""contact"#) ? #","customer":{\#(customer)}"# : ""
            #expect(
                try self.members { $0.shipping = contact }
                    == details + (shipping.map { #","shipping":{\#($0)}"# } ?? ""))
        }
        let lines: [((inout PaymentContact) -> Void, String)] = [
            ({ $0.addressLines = ["xx"] }, "street"), ({ $0.houseNumber = "xx" }, "houseNumber"),
            ({ $0.subLocality = "xx" }, "additionalInfo"), ({ $0.postalCode = "xx" }, "zip"),
            ({ $0.locality = "xx" }, "city"), ({ $0.administrativeArea = "xx" }, "state"),
            ({ $0.countryCode = "xx" }, "countryCode"),
        ]
        for (change, name) in lines {
            let contact = with(PaymentContact(), change)
            #expect(
                try self.members {
                    $0.customer = contact
                    $0.shipping = contact
                } == #","customer":{"billingAddress":{"\#(name)":"xx"}},"#
                    + #""shipping":{"address":{"\#(name)":"xx"}}"#)
        }
    }
}
