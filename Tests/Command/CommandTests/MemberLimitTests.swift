import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayTransport
import ApplePayWire
import Testing

@testable import paytokend

@Suite("The limits of texts in files and requests")
struct MemberLimitTests {
    /// A kind of file or request.
    struct Place: CustomTestStringConvertible {
        let testDescription: String
        let members: [MemberDescription]
        let read: @Sendable (AnswerValue) throws -> Void
    }

    static let places: [Place] =
        DeclaredGateway.all.map { gateway in
            Place(testDescription: "the file of \(gateway.name)", members: gateway.members) {
                let file = FileValue($0) { _ throws(FileError) in
                    throw FileError(path: "", reason: "was read")
                }
                _ = try gateway.account(file)
            }
        }
        + ServiceBodyTests.Kind.allCases.map { kind in
            Place(testDescription: "the body of a \(kind)", members: kind.members) {
                try kind.read($0)
            }
        } + [
            Place(testDescription: "an order file", members: OrderFile.members) {
                _ = try OrderFile.order($0)
            },
            Place(testDescription: "the body of a session", members: ServiceBody.Session.members) {
                _ = try ServiceBody.Session($0)
            },
        ]

    /// A JSON value with a text that is one character too long.
    struct TooLong {
        var json: String
        /// The path in the refusal.
        var path: String
        let reason: String

        /// Returns the object with a member that has this value.
        func inObject(_ name: String) -> TooLong {
            TooLong(json: #"{"\#(name)":\#(json)}"#, path: "\(name)\(path)", reason: reason)
        }

        /// Returns this value as the one in a part of the file.
        func inPart(_ path: String, _ opening: String, _ end: String) -> TooLong {
            TooLong(json: opening + json + end, path: path + self.path, reason: reason)
        }
    }

    /// The members whose refusal says what they must be, and the limit if that does not state it.
    static let reasons = [
        "currency": "must be a currency code of ISO 4217 in capitals, such as EUR",
        "created": "must be a time such as 2026-11-28T09:30:00Z",
        "applicationData": "must be a string with at most 65536 characters of base64",
        "body": "must be a string with at most 1048576 characters of base64",
    ]

    private static func text(_ count: Int) -> String {
        "\"\(String(repeating: "a", count: count))\""
    }

    /// Returns a value with each text of a member too long; every kind of member has a limit.
    static func tooLong(_ name: String, _ kind: MemberDescription.Kind) -> [TooLong] {
        switch kind {
        case .text(let counts):
            let (most, count) = (counts.upperBound, counts.upperBound + 1)
            #expect(most <= 1 << 20, "\(name)")
            return [
                TooLong(
                    json: text(count), path: "",
                    reason: reasons[name] ?? "must have at most \(most) characters; it has \(count)"
                )
            ]
        case .choice(let names):
            let count = names.map(\.count).max() ?? 0
            return [
                TooLong(json: text(count + 1), path: "", reason: "must be \(names.alternatives)")
            ]
        case .secret:
            return ["env", "file"].map {
                TooLong(
                    json: #"{"\#($0)":\#(text(4_097))}"#, path: "",
                    reason: "must name its source with at most 4096 characters")
            }
        case .texts(let counts):
            return tooLong(name, .text(counts)).map { $0.inPart("[0]", "[", "]") }
        case .map(let kind):
            let name = String(repeating: "k", count: 256)
            return tooLong("k", kind).map { $0.inPart(".k", #"{"k":"#, "}") } + [
                TooLong(
                    json: #"{"\#(name)":1}"#, path: ".\(name.prefix(64))",
                    reason: "has a name of 256 characters; at most 255 are permitted")
            ]
        case .object(let members):
            return members.flatMap { member in
                tooLong(member.name, member.kind).map {
                    $0.inPart(".\(member.name)", #"{"\#(member.name)":"#, "}")
                }
            }
        case .objects(let members):
            return tooLong(name, .object(members)).map { $0.inPart("[0]", "[", "]") }
        case .contact:
            let reason =
                "must have the type that it has in Apple's form, and at most 1024 characters"
            let long = text(1_025)
            let inner = [
                "name": ["givenName", "familyName"], "phoneNumber": ["stringValue"],
                "postalAddress": [
                    "street", "subLocality", "city", "subAdministrativeArea", "state",
                    "postalCode", "country", "isoCountryCode",
                ],
            ]
            return [
                "emailAddress", "givenName", "familyName", "phoneNumber", "locality",
                "administrativeArea", "countryCode", "subLocality", "subAdministrativeArea",
                "postalCode", "country",
            ].map { TooLong(json: #"{"\#($0)":\#(long)}"#, path: ".\($0)", reason: reason) }
                + [
                    TooLong(
                        json: #"{"addressLines":["",\#(long)]}"#, path: ".addressLines",
                        reason: reason)
                ]
                + inner.flatMap { outer, names in
                    names.map {
                        TooLong(
                            json: #"{"\#(outer)":{"\#($0)":\#(long)}}"#, path: ".\(outer).\($0)",
                            reason: reason)
                    }
                }
        // No text; the token's length is judged with the token (`json/text-too-long`).
        case .boolean, .integer, .token: return []
        }
    }

    @Test(
        "are stated by every member, and a text that is one character longer is refused",
        arguments: places)
    func limits(_ place: Place) throws {
        for member in place.members {
            for tooLong in Self.tooLong(member.name, member.kind) {
                let whole = tooLong.inObject(member.name)
                let value = try AnswerValue(
                    Array(whole.json.utf8), limits: .init(textLength: 2 << 20))
                let error = #expect(throws: FileError.self, "\(whole.path)") {
                    try place.read(value)
                }
                #expect(error?.path == whole.path)
                #expect(error?.reason == whole.reason, "\(whole.path)")
            }
        }
    }

    @Test(
        "count characters and not bytes, also of escapes",
        arguments: ["a", "\u{E9}", #"\u00e9"#, "\u{1F600}"])
    func characters(_ character: String) throws {
        func read(_ count: Int) throws -> Order {
            let reference = String(repeating: character, count: count)
            return try OrderFile.order(
                AnswerValue(
                    Array(#"{"reference":"\#(reference)","amount":1,"currency":"EUR"}"#.utf8)))
        }
        #expect(try read(255).reference.characterCount == 255)
        let error = #expect(throws: FileError.self) { try read(256) }
        #expect(error?.reason == "must have at most 255 characters; it has 256")
    }
}
