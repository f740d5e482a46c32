import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The files that merchants mix up")
struct MerchantFileTests {
    private static let pki = TestPKI(seed: "files of a merchant")

    private static let time = ["--at", "2026-05-04T09:30:00Z"]

    /// The files of a merchant: both keys, both certificates, and the two kinds of domain association files.
    private static func files() throws -> [String: String] {
        let merchant = try pki.merchant("one")
        let identity = try pki.merchantIdentity("one")
        return [
            "payment.key.pem": merchant.keyPEM, "payment.cer": merchant.certificatePEM,
            "identity.key.pem": identity.key.pem, "identity.cer": identity.certificate.pem,
            "domain": DomainFiles.merchant("shop.example"), "platform": DomainFiles.platform,
        ]
    }

    /// Runs a command in a folder with these files and with more.
    private func run(
        _ words: [String], adding more: [String: String] = [:],
        _ check: (Command) throws -> Void
    ) throws {
        let files = try Self.files().merging(more) { $1 }
        try KeyFolder.with(files) { folder in
            let run = try Command(words.map { $0.replacing("FOLDER", with: folder) })
            #expect(!(run.output + run.error).contains("PRIVATE KEY-----"))
            try check(run)
        }
    }

    /// Runs `inspect --json`, checks its output against the schema, and returns the parts of the file.
    private func inspect(
        _ name: String, _ words: [String] = [], adding more: [String: String] = [:]
    ) throws -> [[String: JSONTree]] {
        let schema = TestVectors.directory.appending(path: "schemas/inspect-file.schema.json")
        var parts: [JSONTree] = []
        try run(["inspect", "--json", "FOLDER/\(name)"] + words + Self.time, adding: more) { run in
            #expect(run.status == 0, "\(run.error)")
            #expect(try JSONSchema(contentsOf: schema).faults(run.output) == [])
            let object = try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8))
            parts = object.members["contents"]?.elements ?? []
        }
        return parts.map(\.members)
    }

    @Test(
        "are named by inspect, with the merchant, the kind of key and the end",
        arguments: [
            ("payment.cer", "payment-processing-certificate", "EC P-256"),
            ("identity.cer", "merchant-identity-certificate", "RSA 2048"),
        ])
    func certificates(_ name: String, _ type: String, _ kind: String) throws {
        let parts = try inspect(name)
        #expect(parts.count == 1)
        let part = try #require(parts.first)
        #expect(part["type"]?.string == type)
        #expect(part["merchantIdentifier"]?.string == "merchant.example.one")
        #expect(part["kind"]?.string == kind)
        #expect(part["notAfter"]?.string == "2027-10-01T00:00:00Z")
        #expect(part["daysLeft"] == .number(514))
    }

    @Test("are named by inspect when they are keys or requests, with what each kind of key is for")
    func keys() throws {
        for (name, kind) in [("payment", "EC P-256"), ("identity", "RSA 2048")] {
            let part = try #require(try inspect("\(name).key.pem").first)
            #expect(part["type"]?.string == "private-key")
            #expect(part["kind"]?.string == kind)
            #expect(part["purpose"]?.string?.contains("merchant identity") == (name == "identity"))
        }
        let request = try KeyFolder.with(try Self.files()) { folder in
            let made = try Command(
                [
                    "keys", "csr", "--for", "identity", "--key", "\(folder)/identity.key.pem",
                    "--out", "\(folder)/identity",
                ])
            #expect(made.status == 0)
            #expect(made.error.contains("Apple Pay Merchant Identity Certificate > Create"))
            #expect(made.error.contains("merchant_id.cer, as \(folder)/identity.cer."))
            return try String(contentsOfFile: "\(folder)/identity.csr.pem", encoding: .utf8)
        }
        let parts = try inspect("request.pem", adding: ["request.pem": request])
        #expect(parts.map { $0["type"]?.string } == ["certificate-signing-request"])
        #expect(parts.first?["kind"]?.string == "RSA 2048")
        let key = try #require(try inspect("identity.key.pem").first)
        #expect(parts.first?["publicKeyHash"] == key["publicKeyHash"])
    }

    @Test("are named by inspect when they are PKCS#12, with the passphrase, and need one")
    func pkcs12() throws {
        let file = TestVectors.keyFiles.appending(path: "accepted/one.openssl-3.p12").path()
        let without = try Command(["inspect", file])
        #expect(without.status == 3 && without.output.isEmpty)
        #expect(without.error.contains("is encrypted; give its passphrase (--passphrase-file or"))
        let wrong = try Command(
            ["inspect", file, "--passphrase-env", "P"], environment: ["P": "wrong"])
        #expect(wrong.status == 3)
        #expect(wrong.error.contains("none of the given passphrases decrypts it"))
        let run = try Command(
            ["inspect", file, "--passphrase-env", "P"] + Self.time,
            environment: ["P": "apple-pay"])
        #expect(run.status == 0)
        #expect(
            run.output.hasPrefix("Not a token: payment processing certificate and private key\n"))
        #expect(run.output.contains("ends on 2027-10-01, in 514 days"))
    }

    @Test("are named by inspect when they are domain association files, with the domain")
    func domainFiles() throws {
        let part = try #require(try inspect("domain").first)
        #expect(part["type"]?.string == "domain-association-file")
        #expect(part["domain"]?.string == "shop.example")
        #expect(part["owner"]?.string == "TEAM123456")
        #expect(part["dateCreated"]?.string == "2026-04-13,07:40:03")
        let platform = try #require(try inspect("platform").first)
        #expect(platform["type"]?.string == "domain-association-file")
        #expect(platform["domain"] == nil)
        #expect(platform["owner"]?.string == String(repeating: "AB", count: 32))
    }

    @Test("are marked by inspect after the end of their certificate, with exit 0")
    func ended() throws {
        try run(["inspect", "FOLDER/identity.cer", "--at", "2027-10-02T00:00:00Z"]) { run in
            #expect(run.status == 0)
            #expect(run.output.contains("✗ merchant identity certificate"))
            #expect(run.output.contains("ended on 2027-10-01"))
        }
    }

    @Test("that are no longer readable, and other files, are refused by inspect as before")
    func others() throws {
        let cut = String(try Self.files()["payment.cer"]?.prefix(200) ?? "")
        for (name, text) in [("cut.pem", cut), ("text", "text"), ("empty", "")] {
            try run(["inspect", "FOLDER/\(name)"], adding: [name: text]) { run in
                #expect(run.status == 1, "\(name)")
                #expect(run.output.hasPrefix("Not a readable token: refused, json/"), "\(name)")
            }
        }
    }

    @Test("of another issuer or of an authority are not taken for Apple's by inspect")
    func foreign() throws {
        let server = try Self.pki.merchantIdentity("one") {
            $0.subject = DistinguishedName(commonName: "shop.example", organizationalUnit: "Web")
            $0.removeExtension(.merchantIdentifierHash)
        }
        let chain = server.certificate.pem + (try Self.pki.root.certificate.pem)
        let parts = try inspect("chain.pem", adding: ["chain.pem": chain])
        #expect(
            parts.map { $0["type"]?.string } == ["other-certificate", "authority-certificate"])
        #expect(parts.first?["subject"]?.string?.contains("CN=shop.example") == true)
    }

    @Test("are listed by keys list, the identity pair as not for tokens, and its end counts")
    func list() throws {
        let list = ["keys", "list", "--keys", "FOLDER"]
        try run(list + ["--json"] + Self.time) { run in
            #expect(run.status == 0 && run.error.isEmpty)
            let rows = try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8)).elements
                .map(\.members)
            #expect(rows.map { $0["kind"]?.string } == ["EC P-256", "merchant identity"])
            #expect(rows.map { $0["status"]?.string } == ["ready", "not-for-tokens"])
            #expect(rows.allSatisfy { $0["daysLeft"] == .number(514) })
            #expect(rows.last?["source"]?.string?.hasSuffix("/identity.cer") == true)
        }
        try run(
            ["keys", "list", "--keys", "FOLDER/identity.cer", "--fail-within", "600"]
                + Self.time
        ) { run in
            #expect(run.status == 1)
            #expect(run.output.contains("merchant identity  2027-10-01  514 "))
            #expect(
                run.error.contains(
                    "the last merchant identity certificate of merchant.example.one ends on"))
        }
        for (time, warning) in [
            ("2027-09-20T00:00:00Z", "ENDS SOON: create and install its successor"),
            ("2027-10-20T00:00:00Z", "EXPIRED: Apple opens no merchant session with it"),
        ] {
            try run(list + ["--at", time]) { run in
                let row = run.output.split(separator: "\n").first { $0.contains("identity.cer") }
                #expect(row?.hasSuffix(warning) == true)
            }
        }
    }

    @Test("do not keep decrypt from using the other keys, and it names the identity once")
    func decrypt() throws {
        let token = String(decoding: try Self.pki.token().json, as: UTF8.self)
        let root = try Self.pki.root.certificate.pem
        let files = ["token": token, "root": root]
        let words = ["decrypt", "FOLDER/token", "--test-trust-anchor", "FOLDER/root"] + Self.time
        try run(words + ["--keys", "FOLDER"], adding: files) { run in
            #expect(run.status == 0, "\(run.error)")
            let notices = run.error.split(separator: "\n").filter { $0.contains("identity.cer") }
            #expect(notices.count == 1)
            #expect(
                notices.first?.hasSuffix(
                    "identity.cer: merchant identity certificates are for TLS with Apple's servers; they and "
                        + "their keys decrypt no tokens.") == true)
        }
        for keys in [
            ["--keys", "FOLDER/identity.cer", "--keys", "FOLDER/identity.key.pem"],
            ["--keys", "FOLDER/identity.cer", "--keys", "FOLDER/payment.key.pem"],
        ] {
            try run(words + keys, adding: files) { run in
                #expect(run.status == 3)
                #expect(
                    run.error.contains(
                        "identity.cer contains a merchant identity certificate, which is for TLS"))
            }
        }
    }

    @Test("get an RSA key from keys new, and no request for an EC key")
    func newKeys() throws {
        try run(["keys", "new", "--for", "identity", "--out", "FOLDER/next"]) { run in
            #expect(run.status == 0)
            #expect(run.error.contains("next --for identity`."))
        }
        try run(["keys", "new", "--for", "identity", "--kind", "ec", "--out", "FOLDER/next"]) {
            #expect($0.status == 2)
            #expect($0.error.contains("needs an RSA key; leave out --kind."))
        }
        try run(
            ["keys", "csr", "--for", "identity", "--key", "FOLDER/payment.key.pem", "--out", "x"]
        ) {
            #expect($0.status == 3)
            #expect($0.error.contains("contains an EC key, and Apple takes only RSA keys"))
        }
    }
}
