import ApplePayTransport
import Foundation
import Testing

@testable import ApplePaySession

@Suite("An answer to the request for a merchant session")
struct MerchantSessionTests {
    /// The SHA-256 of `merchant.example.shop`, as Apple's server writes it.
    private static let hashOfShop =
        "66ca37d187b073c2c6cd3cb84cb9e7cd8675f61cf32fc87e4642b647f354f5a7"

    /// The members of a session that ends an hour after it was made, at 1,700,000,000 s.
    private static let members = [
        "epochTimestamp": "1700000000000", "expiresAt": "1700003600000",
        "merchantSessionIdentifier": #""SSH1""#, "nonce": #""ab""#,
        "merchantIdentifier": #""merchant.example.shop""#, "domainName": #""shop.example""#,
        "displayName": #""Shop""#, "signature": #""30""#, "retries": "0",
    ]

    /// Returns an answer with some members replaced; nil leaves one out.
    private static func answer(_ changes: [String: String?] = [:]) -> [UInt8] {
        var members = members
        for (name, value) in changes { members[name] = value }
        let body = members.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }
        return Array("{ \(body.joined(separator: ",\n")) }".utf8)
    }

    private static func session(
        _ body: [UInt8], for domain: String? = "shop.example", at seconds: Double = 1_700_000_000
    ) throws(ApplePayServerError) -> MerchantSession {
        try MerchantSession(
            GatewayResponse(status: 200, body: body), for: domain,
            merchantIdentifier: "merchant.example.shop", at: Date(timeIntervalSince1970: seconds))
    }

    @Test("is handed on byte for byte, with members that are not known")
    func unchanged() throws {
        let session = try Self.session(Self.answer())
        #expect(session.json == Self.answer() && session.warnings == [])
        #expect(try Self.session(Self.answer(), for: nil).json == Self.answer())
        let upper = try Self.session(Self.answer(["domainName": #""Shop.Example""#]))
        #expect(upper.warnings == [])
    }

    @Test(
        "is refused without one of a session's members, or with one of another type",
        arguments: members.keys.filter { $0 != "retries" })
    func missing(_ name: String) {
        for value in [nil, "null", "[]", "true", #""""#] as [String?] {
            let error = #expect(throws: ApplePayServerError.self) {
                try Self.session(Self.answer([name: value]))
            }
            #expect(error?.code == .unreadableAnswer)
            #expect(error?.detail?.hasPrefix("\(name) is missing, or not a ") == true)
        }
    }

    @Test(
        "is refused for another domain, for times that cannot be, and for an error with status 200")
    func refused() {
        for (body, code, text) in [
            (
                Self.answer(["domainName": #""other.example""#]),
                ApplePayServerError.Code.unreadableAnswer, "its domainName is not shop.example"
            ),
            (
                Self.answer(["expiresAt": "1700000000000"]), .unreadableAnswer,
                "its expiresAt is not after its epochTimestamp"
            ),
            (Array(#"{"x":1}"#.utf8), .unreadableAnswer, "is missing"),
            (Array("[]".utf8), .unreadableAnswer, "is not the documented one"),
            (
                Array(
                    #"{"statusMessage":"Payment Services Exception merchantId=ABC not registered for domain=shop.example","statusCode":"400"}"#
                        .utf8), .refused, "Register and verify the domain"
            ),
            (Array(#"{"errorMessage":"no"}"#.utf8), .refused, "no"),
        ] {
            let error = #expect(throws: ApplePayServerError.self) { try Self.session(body) }
            #expect(error?.code == code && error?.description.contains(text) == true)
        }
    }

    @Test("is handed on with a warning if the clock or the merchant differs")
    func warnings() throws {
        for (seconds, changes, warning) in [
            (1_700_003_600, [:], "has ended by this machine's clock"),
            (1_700_000_301, [:], "more than 5 minutes before or after"),
            (1_699_999_699, [:], "more than 5 minutes before or after"),
            (
                1_700_000_000, ["merchantIdentifier": #""merchant.example.other""#],
                "not that of the certificate, merchant.example.shop, nor its SHA-256"
            ),
        ] as [(Double, [String: String?], String)] {
            let session = try Self.session(Self.answer(changes), at: seconds)
            #expect(session.warnings.count == 1)
            #expect(session.warnings.first?.contains(warning) == true)
        }
        #expect(try Self.session(Self.answer(), at: 1_700_000_300).warnings == [])
    }

    @Test("may have the merchant identifier as the SHA-256 that Apple writes in hexadecimal")
    func merchantIdentifier() throws {
        let hash = Self.hashOfShop
        for text in [hash, hash.uppercased()] {
            let session = try Self.session(Self.answer(["merchantIdentifier": "\"\(text)\""]))
            #expect(session.warnings == [])
        }
        for (text, isOurs) in [
            (hash.uppercased(), true), (String(repeating: "A", count: 64), false),
        ] {
            let body =
                #"{"statusMessage":"merchantId=\#(text) not registered for domain=shop.example"}"#
            let error = ApplePayServerError(
                GatewayResponse(status: 417, body: Array(body.utf8)),
                merchantIdentifier: "merchant.example.shop")
            let relation = isOurs ? "is the SHA-256 of" : "is not the SHA-256 of"
            #expect(error.description.contains("\(relation) merchant.example.shop"))
        }
    }

    @Test(
        "of a proxy is called one",
        arguments: [(301, true), (302, true), (407, true), (511, true), (400, false), (403, false)])
    func proxy(_ status: Int, _ isProxy: Bool) {
        let error = ApplePayServerError(
            GatewayResponse(status: status, body: []), merchantIdentifier: "merchant.example.shop")
        #expect(error.code == .refused && error.status == status)
        #expect(error.description.hasPrefix("A proxy answered") == isProxy)
        #expect(error.advice.contains("compare the merchant identifier") == false || status == 400)
        if status == 403 {
            #expect(error.advice.contains("proxy") && error.advice.contains("revoked"))
            #expect(error.advice.contains("merchant identifier"))
        }
    }
}
