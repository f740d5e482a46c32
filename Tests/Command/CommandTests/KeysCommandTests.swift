import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The command keys")
struct KeysCommandTests {
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// Creates an empty folder for the duration of the call.
    private func withFolder(_ body: (String) throws -> Void) throws {
        try KeyFolder.with([String: String]()) { try body($0 + "/") }
    }

    /// Returns the output of the openssl command, both streams together.
    private func openssl(_ words: [String]) throws -> (text: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(
            decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "new makes a key that only its owner reads, and csr a request that openssl verifies",
        .enabled(if: hasOpenSSL, "needs the openssl command"),
        arguments: [
            ("ec", "BEGIN PRIVATE KEY", "ASN1 OID: prime256v1", [String]()),
            ("rsa", "BEGIN PRIVATE KEY", "2048 bit", []),
            ("ec", "BEGIN ENCRYPTED PRIVATE KEY", "ASN1 OID: prime256v1", ["--passphrase-env"]),
        ])
    func made(_ kind: String, _ label: String, _ text: String, _ options: [String]) throws {
        try withFolder { folder in
            let options = options.flatMap { [$0, "APPLEPAYTOKEN_PASSPHRASE"] }
            let environment = ["APPLEPAYTOKEN_PASSPHRASE": "p ä ss"]
            let name = folder + "merchant"
            let key = name + ".key.pem"
            let new = try Command(
                ["keys", "new", "--kind", kind, "--out", name] + options, environment: environment)
            #expect(new.status == 0)
            #expect(try mode(key) == 0o600)
            #expect(try String(contentsOfFile: key, encoding: .utf8).contains(label))
            let shown = try openssl([
                "pkey", "-in", key, "-noout", "-text_pub", "-text", "-passin", "pass:p ä ss",
            ])
            #expect(shown.status == 0 && shown.text.contains(text))
            let csr = try Command(
                ["keys", "csr", "--key", key, "--out", name, "--country", "DE"] + options,
                environment: environment)
            #expect(csr.status == 0)
            let verified = try openssl([
                "req", "-verify", "-noout", "-subject", "-in", name + ".csr.pem",
            ])
            #expect(verified.status == 0)
            #expect(verified.text.contains("verify OK"))
            #expect(verified.text.contains("CN = Apple Pay Payment Processing"))
            let hash = try Command(["keys", "hash", key] + options, environment: environment)
            let der = folder + "public.der"
            _ = try openssl([
                "pkey", "-in", key, "-pubout", "-outform", "der", "-out", der, "-passin",
                "pass:p ä ss",
            ])
            _ = try openssl(["dgst", "-sha256", "-binary", "-out", folder + "hash", der])
            let base64 = try Data(contentsOf: URL(filePath: folder + "hash")).base64EncodedString()
            #expect(hash.output == "\(base64)  \(key)\n")
        }
    }

    @Test("new and csr never overwrite a file or follow a link")
    func exclusive() throws {
        try withFolder { folder in
            let name = folder + "merchant"
            #expect(try Command(["keys", "new", "--out", name]).status == 0)
            let key = try Data(contentsOf: URL(filePath: name + ".key.pem"))
            let again = try Command(["keys", "new", "--out", name])
            #expect(again.status == 3)
            #expect(
                again.error
                    == "paytoken: \(name).key.pem exists already and is not overwritten; choose another name.\n"
            )
            #expect(try Data(contentsOf: URL(filePath: name + ".key.pem")) == key)
            try FileManager.default.createSymbolicLink(
                atPath: folder + "link.key.pem", withDestinationPath: folder + "target")
            #expect(try Command(["keys", "new", "--out", folder + "link"]).status == 3)
            #expect(!FileManager.default.fileExists(atPath: folder + "target"))
            let csr = ["keys", "csr", "--key", name + ".key.pem", "--out", name]
            #expect(try Command(csr).status == 0)
            #expect(try Command(csr).status == 3)
            let subject = try Command(csr.dropLast() + [folder + "other", "--country", "DEU"])
            #expect(subject.status == 2)
            #expect(!FileManager.default.fileExists(atPath: folder + "other.csr.pem"))
        }
    }

    @Test("new refuses an empty passphrase, and names a folder that does not exist")
    func unwritten() throws {
        try withFolder { folder in
            let empty = try Command(
                ["keys", "new", "--out", folder + "empty", "--passphrase-env", "EMPTY"],
                environment: ["EMPTY": ""])
            #expect(empty.status == 3)
            #expect(empty.error.contains("the passphrase is empty"))
            #expect(!FileManager.default.fileExists(atPath: folder + "empty.key.pem"))
            let nowhere = try Command(["keys", "new", "--out", folder + "absent/merchant"])
            #expect(nowhere.status == 3)
            #expect(nowhere.error.contains("cannot be created: No such file or directory"))
        }
    }

    @Test("hash refuses a file that contains only an authority's certificate")
    func authority() throws {
        let root = TestVectors.root.path()
        let refused = try Command(["keys", "hash", root])
        #expect(refused.status == 3)
        #expect(
            refused.error
                == "paytoken: \(root) contains only the certificate of a certificate authority; name a key or a "
                + "merchant's certificate.\n")
    }

    private let keys = TestVectors.keys.path() + "/"

    @Test("list shows hash, merchant, kind, end and days left, and fails if a certificate ends")
    func list() throws {
        let list = try Command(["keys", "list", "--keys", keys, "--at", "2027-09-11T00:00:00Z"])
        #expect(list.status == 0)
        let rows = list.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        #expect(rows.count == 5)
        let one = try #require(rows.first { $0.contains("merchant.example.one") })
        #expect(
            Array(one.prefix(8)) == [
                "aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4=", "merchant.example.one", "EC",
                "P-256", "2027-10-01", "20", "\(keys)one.key.pem", "ENDS",
            ])
        let past = try #require(rows.first { $0.contains("merchant.example.past") })
        #expect(past.contains("EXPIRED:"))
        let pair = ["one.key.pem", "one.cert.pem"].flatMap { ["--keys", keys + $0] }
        // The certificate of merchant one expires on 2027-10-01T00:00:00Z, the last second of its
        // validity.
        for (days, at, status) in [
            ("30", "2027-09-01T00:00:00Z", 1), ("30", "2027-08-31T23:59:59Z", 0),
            ("0", "2027-10-01T00:00:01Z", 1), ("0", "2027-09-30T23:59:59Z", 0),
        ] as [(String, String, Int32)] {
            let words = ["keys", "list", "--fail-within", days, "--at", at]
            #expect(try Command(words + pair).status == status)
        }
        // If the merchant's next certificate is also loaded, the check fails only when that one is
        // about to expire.
        let successor = try TestPKI(seed: "the next generation").merchant("one") {
            $0.notAfter = CivilTime.day(2029, 10, 1)
        }
        try KeyFolder.with(["next.pem": successor.keyPEM + successor.certificatePEM]) { folder in
            for (at, status) in [("2027-12-01", 0), ("2029-09-11", 1)] as [(String, Int32)] {
                let words = ["keys", "list", "--fail-within", "30", "--at", "\(at)T00:00:00Z"]
                let list = try Command(words + pair + ["--keys", folder])
                #expect(list.status == status)
            }
        }
        let json = try Command(["keys", "list", "--json"] + pair).output
        let objects = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(objects.first?["notAfter"] as? String == "2027-10-01T00:00:00Z")
        #expect(
            objects.first?["merchantIdentifierHash"] as? String
                == "835d66efc94d7fe63d75521f58fa8a4403113732c114e5826210c78f791a6069")
    }

    @Test(
        "list warns on standard error from 180 days before a certificate's end on",
        arguments: [
            // The certificate of merchant one expires on 2027-10-01T00:00:00Z.
            ("2027-04-04T00:00:00Z", "ends on 2027-10-01, in 180 days"),
            ("2027-04-03T23:59:59Z", nil), ("2027-09-29T12:00:00Z", "ends on 2027-10-01, in 1 day"),
            ("2027-09-30T12:00:00Z", "ends on 2027-10-01, in less than a day"),
            ("2027-10-01T00:00:00Z", "ends on 2027-10-01, in less than a day"),
            ("2027-10-01T00:00:01Z", "ended on 2027-10-01"),
        ] as [(String, String?)])
    func warning(_ time: String, _ expected: String?) throws {
        let pair = try ["one.key.pem", "one.cert.pem"].map {
            try String(contentsOfFile: keys + $0, encoding: .utf8)
        }.joined()
        let sentence = expected.map { expected in
            "paytoken: the last EC P-256 certificate of merchant.example.one \(expected) "
                + "(key aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4= in FOLDER/one.pem); create and "
                + "activate its successor.\n"
        }
        try KeyFolder.with(["one.pem": pair]) { folder in
            let list = try Command(["keys", "list", "--json", "--at", time, "--keys", folder])
            #expect(list.status == 0)
            #expect(list.error.replacing(folder, with: "FOLDER") == sentence ?? "")
            _ = try JSONSerialization.jsonObject(with: Data(list.output.utf8))
        }
        let successor = try TestPKI(seed: "the next generation").merchant("one") {
            $0.notAfter = CivilTime.day(2032, 10, 1)
        }
        let files = ["one.pem": pair, "next.pem": successor.keyPEM + successor.certificatePEM]
        try KeyFolder.with(files) { folder in
            let both = try Command(["keys", "list", "--at", time, "--keys", folder])
            #expect(both.error.isEmpty)
        }
    }

    @Test(
        "list names each merchant that --fail-within finds, also after the 180 days, in one order")
    func failWithin() throws {
        let pki = TestPKI(seed: "certificates that end on one day")
        // More than three merchants, because three could be in the right order by chance.
        let merchants = try ["a", "b", "c", "d", "e"].map { name in
            try pki.merchant(name) { $0.notAfter = CivilTime.day(2027, 10, 1) }
        }
        let later = try pki.merchant("later") { $0.notAfter = CivilTime.day(2028, 10, 1) }
        try KeyFolder.with(merchants + [later]) { folder in
            func list(_ days: String?) throws -> Command {
                let option = days.map { ["--fail-within", $0] } ?? []
                return try Command(
                    ["keys", "list", "--keys", folder, "--at", "2026-12-05T00:00:00Z"] + option)
            }
            let expected = merchants.map {
                let hash = Data($0.publicKeyHash).base64EncodedString()
                return (
                    hash,
                    "paytoken: the last EC P-256 certificate of \($0.identifier) ends on 2027-10-01, "
                        + "in 300 days (key \(hash) in \(folder)/\($0.name).pem); create and activate "
                        + "its successor.\n"
                )
            }
            .sorted { $0.0 < $1.0 }.map(\.1).joined()
            let failed = try list("300")
            #expect(failed.status == 1)
            #expect(failed.error == expected)
            for days in ["299", nil] {
                let passed = try list(days)
                #expect(passed.status == 0 && passed.error.isEmpty)
            }
        }
    }

    @Test(
        "list warns on standard error of the end of Apple's intermediate",
        arguments: [
            ("2028-11-07T23:46:29Z", nil), ("2028-11-07T23:46:30Z", "in 180 days"),
            ("2029-05-06T23:46:30Z", "in less than a day"), ("2029-05-06T23:46:31Z", nil),
        ] as [(String, String?)])
    func intermediate(_ time: String, _ expected: String?) throws {
        let successor = try TestPKI(seed: "the next generation").merchant("one") {
            $0.notAfter = CivilTime.day(2032, 10, 1)
        }
        try KeyFolder.with(["next.pem": successor.keyPEM + successor.certificatePEM]) { folder in
            let list = try Command(["keys", "list", "--at", time, "--keys", folder])
            #expect(list.status == 0)
            let sentence = expected.map { expected in
                "paytoken: Apple's intermediate certificate, Apple Application Integration CA - G3, "
                    + "ends on 2029-05-06, \(expected); make sure that this version accepts a token "
                    + "that comes with its successor.\n"
            }
            #expect(list.error == sentence ?? "")
        }
    }

    @Test(
        "list shows a key that awaits its certificate, also as JSON, and other commands refuse it"
    )
    func pending() throws {
        try KeyFolder.with(["next.key.pem": TestPKI(seed: "next").merchant("next").keyPEM]) {
            folder in
            let list = try Command(["keys", "list", "--keys", folder, "--fail-within", "30"])
            #expect(list.status == 0)
            #expect(list.output.contains("  unknown   EC P-256  awaiting certificate  "))
            let json = try Command(["keys", "list", "--keys", folder, "--json"]).output
            let objects = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let object = try #require((objects as? [[String: Any]])?.first)
            #expect(object["status"] as? String == "awaiting-certificate")
            #expect(object["notAfter"] == nil)
            let decrypt = try Command(
                ["decrypt", TestVectors.demoToken.path(), "--keys", folder])
            #expect(decrypt.status == 3)
            #expect(decrypt.error.contains("contains an EC key without its certificate"))
        }
        let ready = try Command(["keys", "list", "--json", "--keys", keys]).output
        #expect(ready.components(separatedBy: #""status":"ready""#).count == 5)
    }

    @Test("hash names no key for a certificate signing request")
    func request() throws {
        try withFolder { folder in
            let name = folder + "next"
            #expect(try Command(["keys", "new", "--out", name]).status == 0)
            #expect(
                try Command(["keys", "csr", "--key", name + ".key.pem", "--out", name]).status == 0)
            let hash = try Command(["keys", "hash", name + ".csr.pem"])
            #expect(hash.status == 3)
            #expect(
                hash.error.hasSuffix(
                    "contains only a certificate signing request, which one uploads to Apple; name the file with its private "
                        + "key, or with the certificate that Apple gives back.\n"
                ))
        }
    }

    @Test(
        "reads keys from the environment, as PEM, as base64 and encrypted",
        arguments: ["one.bag-attributes.pem", "one.literal-newlines.pem", "one.base64-of-p12.key"])
    func environment(_ name: String) throws {
        let file = TestVectors.keyFiles.appending(path: "accepted/\(name)")
        let environment = [
            "MERCHANT_KEY": try String(contentsOf: file, encoding: .utf8),
            "MERCHANT_PASSPHRASE": "apple-pay",
        ]
        let list = try Command(
            [
                "keys", "list", "--json", "--keys", "env:MERCHANT_KEY", "--passphrase-env",
                "MERCHANT_PASSPHRASE",
            ], environment: environment)
        #expect(list.status == 0)
        #expect(list.output.contains("aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4="))
        #expect(list.output.contains(#""source":"env:MERCHANT_KEY""#))
        let without = try Command(["keys", "list", "--keys", "env:MERCHANT_KEY"])
        #expect(without.status == 3)
        #expect(
            without.error
                == "paytoken: env:MERCHANT_KEY is not set; set the variable for this command and for your service.\n"
        )
    }

    @Test(
        "names what it needs, with exit 2",
        arguments: [
            (["keys"], "keys needs one of list, new, csr and hash"),
            (["keys", "new"], "keys new needs --out NAME."),
            (["keys", "new", "--kind", "dsa", "--out", "x"], "--kind takes ec or rsa, not dsa"),
            (["keys", "csr", "--out", "x"], "keys csr needs --key FILE."),
            (["keys", "csr"], "keys csr needs --key FILE and --out NAME."),
            (
                ["keys", "new", "x", "--out", "y"],
                "keys new takes --out NAME and writes NAME.key.pem; leave out x."
            ),
            (
                ["keys", "csr", "x", "--key", "y", "--out", "z"],
                "keys csr takes --key FILE and --out NAME and writes NAME.csr.pem; leave out x."
            ),
            (["keys", "hash"], "keys hash needs a file with a key or certificate."),
            (["keys", "list"], "keys list needs --keys PATH."),
        ] as [([String], String)])
    func usage(_ words: [String], _ sentence: String) throws {
        let refused = try Command(words)
        #expect(refused.status == 2)
        #expect(refused.error.contains(sentence))
    }
}
