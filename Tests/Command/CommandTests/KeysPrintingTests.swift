import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("What the command prints for people")
struct KeysPrintingTests {
    /// Escape sequence, bell, line break, C1 controls, DEL, bidirectional override and line separator.
    private static let hostile =
        "a\u{1B}[2J\u{07}\r\nb\u{80}\u{9B}31m\u{9F}\u{7F}\u{202E}\u{2066}\u{2028}\u{200B}c"
    private static let escaped =
        #"a\1B[2J\07\0D\0Ab\C2\80\C2\9B31m\C2\9F\7F\E2\80\AE\E2\81\A6\E2\80\A8\E2\80\8Bc"#

    /// Returns the characters of a text that control a terminal, except line feeds.
    private func controls(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\n"
            default: false
            }
        }
    }

    private func merchant(_ identifier: String) throws -> Merchant {
        try TestPKI(seed: "printing").merchant("one") { recipe in
            recipe.subject = DistinguishedName(
                userIdentifier: identifier, commonName: "Tests", organizationalUnit: "Tests")
            recipe.removeExtension(.merchantIdentifierHash)
        }
    }

    @Test("has one row for a key, whatever its certificate and its file are called")
    func row() throws {
        let merchant = try merchant(Self.hostile)
        let file = "k\u{1B}]0;x\u{07}\n\u{85}.pem"
        try KeyFolder.with([file: merchant.keyPEM + merchant.certificatePEM]) { folder in
            let list = try Command(["keys", "list", "--keys", folder])
            #expect(list.status == 0)
            #expect(controls(list.output + list.error) == [])
            #expect(list.output.split(separator: "\n").count == 2)
            #expect(list.output.contains("  \(Self.escaped)  EC P-256  "))
            #expect(list.output.contains(#"/k\1B]0;x\07\0A\C2\85.pem"#))
            let hash = try Command(["keys", "hash", folder + "/" + file])
            #expect(controls(hash.output) == [])
            #expect(hash.output.split(separator: "\n").count == 1)
            let json = try Command(["keys", "list", "--json", "--keys", folder]).output
            #expect(!json.contains("\u{1B}") && json.split(separator: "\n").count == 1)
            let objects =
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
            #expect(objects?.first?["merchantIdentifier"] as? String == Self.hostile)
        }
    }

    @Test("is clean in inspect with keys")
    func inspect() throws {
        let merchant = try merchant(Self.hostile)
        try KeyFolder.with(["\u{1B}.pem": merchant.keyPEM + merchant.certificatePEM]) { folder in
            let inspect = try Command([
                "inspect", TestVectors.demoToken.path(), "--keys", folder, "--test-trust-anchor",
                TestVectors.root.path(), "--at", "2026-05-04T09:30:00Z",
            ])
            #expect(inspect.status == 0)
            #expect(controls(inspect.output + inspect.error) == [])
            #expect(inspect.output.contains(" \(Self.escaped)\n"))
        }
    }

    @Test(
        "is one clean line for a word or a file that the command refuses",
        arguments: [
            ([hostile], "there is no command"),
            (["gateway", "schema", hostile], "there is no gateway"),
            (["verify", hostile], "cannot be read"),
            (["verify", "--" + hostile], "is not an option"),
            (["verify", "--at", hostile], "--at takes"),
            (["verify", "a", hostile], "one file at a time, not both a and"),
            (["keys", "list", "--keys", hostile], "cannot be read"),
            (["keys", "new", "--kind", hostile, "--out", "x"], "--kind takes ec or rsa, not"),
            (["verify", "--test-trust-anchor", hostile], "cannot be read"),
        ] as [([String], String)])
    func refused(_ words: [String], _ sentence: String) throws {
        let refused = try Command(words)
        #expect(refused.status == 2 || refused.status == 3)
        #expect(refused.output.isEmpty)
        #expect(refused.error.contains(sentence))
        #expect(refused.error.contains(Self.escaped))
        #expect(controls(refused.error) == [])
        #expect(refused.error.split(separator: "\n").count == 1)
    }

    @Test("names a readable key file, its mode and the next step, and counts more than three")
    func modes() throws {
        let merchant = try merchant("merchant.example.one")
        let certificate = merchant.certificatePEM
        var files = ["a.pem": merchant.keyPEM + certificate]
        func warnings(_ mode: Int) throws -> [Substring] {
            try KeyFolder.with(files) { folder in
                for file in files.keys {
                    try FileManager.default.setAttributes(
                        [.posixPermissions: mode], ofItemAtPath: folder + "/" + file)
                }
                let list = try Command(["keys", "list", "--keys", folder])
                #expect(list.status == 0)
                return list.error.split(separator: "\n")
            }
        }
        #expect(try warnings(0o600) == [])
        #expect(try warnings(0o640) == [])
        #expect(try warnings(0o440) == [])
        let warning = try warnings(0o644)
        #expect(warning.count == 1)
        #expect(warning.first?.hasPrefix("paytoken: warning: ") == true)
        let sentence =
            "/a.pem contains a private key and has mode 0644, so other users can read or change it; "
            + "take this permission away: `chmod g-w,o= /"
        #expect(warning.first?.contains(sentence) == true)
        #expect(warning.first?.hasSuffix("/a.pem`.") == true)
        for name in ["b", "c"] { files["\(name).pem"] = merchant.keyPEM }
        #expect(try warnings(0o644).count == 3)
        for name in ["d", "e"] { files["\(name).pem"] = merchant.keyPEM }
        let many = try warnings(0o644)
        #expect(many.count == 4)
        #expect(
            many.last
                == "paytoken: warning: other users can read or change 2 more files with private keys."
        )
    }

    @Test("names the package that OpenSSL's legacy provider is in, where RC2-40 is missing")
    func legacy() throws {
        let file = TestVectors.keyFiles.appending(path: "accepted/one.keychain.p12").path()
        let environment = ["OPENSSL_MODULES": "/nowhere", "PASSPHRASE": "apple-pay"]
        let list = try Command(
            ["keys", "list", "--keys", file, "--passphrase-env", "PASSPHRASE"],
            environment: environment)
        #expect(list.status == 3)
        #expect(list.error.contains("openssl-provider-legacy"))
        #expect(list.error.hasPrefix("paytoken: \(file) is encrypted with an algorithm that"))
    }

    private static let tracer = "/usr/bin/strace"

    /// Returns the folders that a command synchronizes after it has written a file, according to
    /// strace.
    private func syncedFolders(_ words: [String]) throws -> [String] {
        let paytoken = Command.path(of: "paytoken")
        let traced = try Command(
            // The first thread writes; tracing the other threads too would make strace split calls
            // into two lines.
            ["-y", "-e", "trace=fsync", paytoken] + words, program: Self.tracer,
            // LeakSanitizer does not work in a traced process.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        #expect(traced.status == 0)
        return traced.error.split(separator: "\n").filter { $0.contains("fsync(") }
            .compactMap { line in
                guard line.hasSuffix("= 0"), let start = line.firstIndex(of: "<"),
                    let end = line.lastIndex(of: ">")
                else { return nil }
                return URL(filePath: String(line[line.index(after: start)..<end]))
                    .lastPathComponent
            }
    }

    @Test(
        "comes after a new key and a request are on the disk with their folder",
        .enabled(
            if: (try? Command(["-e", "trace=fsync", "true"], program: tracer).status) == 0,
            "needs strace"))
    func synced() throws {
        try KeyFolder.with([String: String]()) { folder in
            let name = URL(filePath: folder).lastPathComponent
            let path = folder + "/merchant"
            let key = try syncedFolders(["keys", "new", "--out", path])
            #expect(key == ["merchant.key.pem", name])
            let request = try syncedFolders([
                "keys", "csr", "--key", path + ".key.pem", "--out", path,
            ])
            #expect(request == ["merchant.csr.pem", name])
        }
    }
}
