import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The doctor on what a merchant session needs")
struct DoctorFileTests {
    private static let pki = TestPKI(seed: "doctor's files")

    /// Returns the findings about a pair and about a domain association file: `result check: message | advice`.
    private func findings(
        _ words: [String], _ files: [String: String], at time: String = "2026-05-04T09:30:00Z"
    ) throws -> (status: Int32, findings: [String]) {
        try KeyFolder.with(files) { folder in
            for name in files.keys where name.hasSuffix(".open") {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: "\(folder)/\(name)")
            }
            let words = words.map { $0.replacing("FOLDER", with: folder) }
            let run = try Command(["doctor", "--json", "--at", time] + words)
            #expect(!run.output.contains("PRIVATE KEY-----"))
            let object = try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8))
            let checks = (object.members["checks"]?.elements ?? []).map(\.members)
            let texts = checks.map { check in
                ["result", "check", "message", "advice"].compactMap { check[$0]?.string }
                    .joined(separator: " | ").replacing(folder, with: "FOLDER")
            }
            return (run.status, texts)
        }
    }

    private static func files() throws -> [String: String] {
        let merchant = try pki.merchant("one")
        let identity = try pki.merchantIdentity("one")
        let other = try pki.merchantIdentity("three")
        return [
            "payment.key": merchant.keyPEM, "payment.cer": merchant.certificatePEM,
            "identity.key": identity.key.pem, "identity.cer": identity.certificate.pem,
            "both.pem": identity.key.pem + identity.certificate.pem,
            "both.open": identity.key.pem + identity.certificate.pem,
            "other.pem": other.key.pem + other.certificate.pem,
            "root.pem": try pki.root.certificate.pem,
        ]
    }

    private static let payment = ["--keys", "FOLDER/payment.key", "--keys", "FOLDER/payment.cer"]
    private static let passed =
        "merchant identity certificate of merchant.example.one: ends on 2027-10-01, in 514 days"

    @Test(
        "confirms a merchant identity pair, in one file or in two, with its merchant and its end",
        arguments: [
            ["--identity", "FOLDER/both.pem"],
            ["--identity", "FOLDER/identity.key", "--certificate", "FOLDER/identity.cer"],
        ])
    func pair(_ words: [String]) throws {
        for keys in [[], Self.payment] {
            let (status, findings) = try findings(words + keys, Self.files())
            #expect(status == 0)
            #expect(findings.contains { $0.contains(Self.passed) && $0.hasPrefix("passed | id") })
            #expect(findings.contains { $0.hasPrefix("passed | permissions") })
        }
    }

    @Test(
        "names each mix-up of the pair",
        arguments: [
            (
                ["payment.key", "payment.cer"],
                "FOLDER/payment.cer is the payment processing certificate of merchant.example.one; the session needs "
                    + "the merchant identity certificate | Give it with --keys, and the pair for the session with --identity: "
                    + "`paytoken doctor --keys FOLDER/payment.key --keys FOLDER/payment.cer --identity KEY --certificate "
                    + "CERTIFICATE`."
            ),
            (
                ["identity.cer", "identity.key"],
                "FOLDER/identity.cer contains a certificate, but no private key | Give the file with the private key with --identity"
            ),
            (
                ["payment.key", "identity.cer"],
                "the EC key in FOLDER/payment.key does not belong to the merchant identity certificate in FOLDER/identity.cer"
            ),
            (
                ["other.pem", "identity.cer"],
                "the RSA key in FOLDER/other.pem does not belong to the merchant identity certificate in FOLDER/identity.cer"
            ),
            (["identity.key"], "FOLDER/identity.key contains no certificate of a merchant"),
            (
                ["identity.key", "root.pem"],
                "FOLDER/root.pem contains no certificate of a merchant"
            ),
            (["identity.key", "nowhere"], "FOLDER/nowhere cannot be read"),
        ] as [([String], String)])
    func mixUps(_ names: [String], _ sentence: String) throws {
        let options = zip(["--identity", "--certificate"], names).flatMap { [$0, "FOLDER/\($1)"] }
        let (status, findings) = try findings(options, Self.files())
        #expect(status == 3)
        #expect(
            findings.contains { $0.hasPrefix("failed | identity | \(sentence)") }, "\(findings)")
    }

    @Test("names two pairs that are swapped")
    func swapped() throws {
        let identity = ["--keys", "FOLDER/identity.key", "--keys", "FOLDER/identity.cer"]
        let words = ["--identity", "FOLDER/payment.key", "--certificate", "FOLDER/payment.cer"]
        let (status, findings) = try findings(words + identity, Self.files())
        #expect(status == 3)
        #expect(
            findings.contains {
                $0.hasSuffix(
                    "| The two are swapped: FOLDER/identity.cer, given with --keys, contains it, so run `paytoken doctor "
                        + "--keys FOLDER/payment.key --keys FOLDER/payment.cer --identity FOLDER/identity.key "
                        + "--certificate FOLDER/identity.cer`.")
            }, "\(findings)")
        #expect(
            findings.contains { $0.contains("contains a merchant identity certificate, which") })
        let both = try self.findings(words + identity + Self.payment, Self.files())
        #expect(
            both.findings.contains {
                $0.hasSuffix(
                    "--identity FOLDER/identity.key --certificate FOLDER/identity.cer`."
                )
            }, "\(both.findings)")
    }

    @Test("fails for a pair of another merchant, or one that others can read, or that has ended")
    func state() throws {
        let other = try findings(["--identity", "FOLDER/other.pem"] + Self.payment, Self.files())
        #expect(other.status == 3)
        #expect(
            other.findings.contains {
                $0.contains("of merchant.example.three: none of the keys decrypts tokens of this")
            })
        let open = try findings(["--identity", "FOLDER/both.open"], Self.files())
        #expect(open.status == 3)
        #expect(open.findings.contains { $0.contains("both.open contains a private key and has") })
        let pair = ["--identity", "FOLDER/both.pem"]
        let soon = try findings(pair, Self.files(), at: "2027-09-01T00:00:00Z")
        #expect(soon.status == 0)
        #expect(soon.findings.contains { $0.hasPrefix("warning | identity | ") })
        let late = try findings(pair, Self.files(), at: "2027-10-02T00:00:00Z")
        #expect(late.status == 3)
        #expect(
            late.findings.contains {
                $0.contains(
                    "ended on 2027-10-01 | Create a key with `paytoken keys new --out FOLDER/2027 --for identity` and get"
                )
            })
    }

    @Test("does not fail for a merchant identity pair among the keys")
    func amongKeys() throws {
        let words = Self.payment + ["--keys", "FOLDER/both.pem"]
        let (status, findings) = try findings(words, Self.files())
        #expect(status == 0)
        #expect(
            findings.contains {
                $0.hasPrefix(
                    "passed | key | FOLDER/both.pem, \(Self.passed); it and its key decrypt")
            }, "\(findings)")
    }

    /// Returns the findings about a file with this text and, if it is served, with another text.
    private func domain(_ downloaded: Data, served: Data?) throws -> [String] {
        try KeyFolder.with(["file": "", "served": ""]) { folder in
            try downloaded.write(to: URL(filePath: "\(folder)/file"))
            try served?.write(to: URL(filePath: "\(folder)/served"))
            let words = served == nil ? [] : ["--served", "\(folder)/served"]
            let run = try Command(["doctor", "--json", "--domain-file", "\(folder)/file"] + words)
            let object = try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8))
            return (object.members["checks"]?.elements ?? []).map(\.members)
                .filter { $0["check"]?.string?.hasSuffix("-file") == true }
                .map { check in
                    ["result", "message", "advice"].compactMap { check[$0]?.string }
                        .joined(separator: " | ").replacing("\(folder)/", with: "")
                }
        }
    }

    private static let file = DomainFiles.merchant("shop.example")

    @Test("confirms served bytes that are the downloaded ones, and explains renewals")
    func served() throws {
        let form = "passed | file: domain association file "
        for (text, subject) in [
            (
                Self.file,
                "for shop.example, team TEAM123456, made on 2026-04-13,07:40:03 | Serve it"
            ),
            (DomainFiles.platform, "of the payment platform ABABABABABABABAB… | Serve it"),
            (DomainFiles.platform + "\n", "of the payment platform ABABABABABABABAB… | Serve it"),
            (
                DomainFiles.platform.lowercased(),
                "of the payment platform ABABABABABABABAB… | Serve it"
            ),
        ] {
            let findings = try domain(Data(text.utf8), served: Data(text.utf8))
            #expect(findings.first?.hasPrefix(form + subject) == true, "\(findings)")
            #expect(
                findings.last?.hasPrefix("passed | served has the same bytes as file | ") == true)
            #expect(findings.last?.contains("renew the domain's TLS certificate") == true)
        }
        let address =
            "https://shop.example/.well-known/apple-developer-merchantid-domain-association"
        #expect(try domain(Data(Self.file.utf8), served: nil).first?.contains(address) == true)
    }

    @Test("does not refuse a file in an unknown form, and compares it")
    func unknownForm() throws {
        let findings = try domain(Data("unknown".utf8), served: Data("unknown".utf8))
        #expect(findings.count == 2)
        #expect(findings.first?.hasPrefix("warning | file has neither of the known forms") == true)
        #expect(findings.last?.hasPrefix("passed | ") == true)
    }

    /// Served bytes, and how they differ from the downloaded ones.
    private static let alterations: [(Data, String)] = [
        (Data(), "is empty, as the body of a redirect can be"),
        (Data("<!doctype html><title>404".utf8), "is an HTML page, such as an error page"),
        (Data("\n <html>Moved".utf8), "is an HTML page"),
        (
            Data("HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n".utf8),
            "is a redirect (HTTP 301), which Apple does not follow"
        ),
        (
            Data("HTTP/2 200\r\n\r\n\(file)".utf8),
            "begins with the head of an HTTP answer; save the body alone, without curl's -i"
        ),
        (Data([0x1F, 0x8B, 8, 0]), "is compressed with gzip"),
        (Data("\u{FEFF}\(file)".utf8), "begins with a byte order mark, which an editor added"),
        (Data(file.utf16.flatMap { [UInt8($0), 0] }), "is UTF-16 text"),
        (
            Data("-----BEGIN CERTIFICATE-----\nAA==\n".utf8), "is PEM with a certificate"
        ),
        (Data([0x30, 0x82, 1, 0]), "is DER, such as a certificate"),
        (
            Data(DomainFiles.platformObject.utf8),
            "is JSON: a token, or a domain association file that was decoded"
        ),
        (
            Data(file.replacing("\n", with: "\r\n").utf8),
            "has other line ends (CRLF instead of LF, or LF instead of CRLF)"
        ),
        (
            Data("\(file)\n".utf8),
            "has a byte of white space at its end, which an editor or the server added"
        ),
        (
            Data(file.dropLast().utf8),
            "lacks a byte of white space at its end, which an editor or the server removed"
        ),
        (Data(file.replacing("\n", with: "").utf8), "has other line breaks or spaces"),
        (Data(file.utf8).base64EncodedData(), "is base64 of the downloaded file"),
        (Data(file.utf8.prefix(1000)), "ends after 1000 of \(file.utf8.count) bytes"),
        (
            Data(DomainFiles.merchant("other.example").utf8),
            "is another file, a domain association file for other.example, team TEAM123456"
        ),
        (
            Data(DomainFiles.merchant("shop.example", date: "2025-01-02,03:04:05").utf8),
            "is another file, a domain association file for shop.example, team TEAM123456, made on 2025-01-02"
        ),
        (Data(DomainFiles.platform.utf8), "is another file, a domain association file of the"),
        (Data(("x" + file.dropFirst()).utf8), "differs from byte 0 on"),
        (Data((file.dropLast(3) + "..\n").utf8), "differs from byte \(file.utf8.count - 3) on"),
    ]

    @Test(
        "names each change that a server or an editor makes",
        arguments: alterations)
    func changes(_ served: Data, _ predicate: String) throws {
        let findings = try domain(Data(Self.file.utf8), served: served)
        #expect(findings.count == 2)
        #expect(findings.last?.hasPrefix("failed | served \(predicate)") == true, "\(findings)")
        #expect(findings.last?.contains("with status 200 and without a redirect: `install") == true)
    }

    @Test("names a download that cannot be a domain association file")
    func download() throws {
        for (text, predicate) in [("", "is empty"), ("<html>", "is an HTML page")] {
            let findings = try domain(Data(text.utf8), served: nil)
            #expect(findings.first?.hasPrefix("failed | file \(predicate)") == true)
        }
    }

    @Test("takes --certificate only with --identity, and --served only with --domain-file")
    func usage() throws {
        for (words, sentence) in [
            (["--keys", "x", "--certificate", "y"], "--certificate needs --identity KEY."),
            (["--keys", "x", "--served", "y"], "--served needs --domain-file FILE."),
        ] {
            let run = try Command(["doctor"] + words)
            #expect(run.status == 2)
            #expect(run.error.contains(sentence))
        }
    }
}
