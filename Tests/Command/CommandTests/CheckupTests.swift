import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@testable import paytoken
@testable import paytokend

/// Checks the findings of the doctor that depend on the machine or take long to provoke.
@Suite("The checkups of the doctor")
struct CheckupTests {
    /// Returns a finding's members, those that are nil left out.
    private func text(_ finding: Finding) -> String {
        [finding.result.rawValue, finding.check, finding.text, finding.advice]
            .compactMap(\.self).joined(separator: " | ")
    }

    private func checkup(maximumAge: Int = 300) throws -> LedgerCheckup {
        LedgerCheckup(location: try LedgerLocation("claims"), maximumAge: maximumAge)
    }

    @Test("compare the ledger's window with the permitted age, and pass on the ledger's warnings")
    func ledger() async throws {
        let ledger = InMemoryLedger(window: 300)
        #expect(
            text(try checkup().window(ledger))
                == "passed | ledger | sqlite, for tokens of at most 300 s")
        #expect(
            text(try checkup(maximumAge: 301).window(ledger))
                == "failed | ledger | sqlite, for tokens of at most 300 s, but 301 s are permitted to them | Accept only "
                + "younger tokens, with --max-age 300 for all commands: `paytoken doctor --ledger claims --max-age 300` "
                + "checks that. The ledger's window cannot be changed.")
        #expect(
            try checkup().settings(["w"]).map(text) == ["warning | ledger | w"])
        let rights = "the user lacks rights, which the tables' owner must grant: "
        for (right, result) in [("DELETE on a", "warning"), ("DELETE on a, INSERT on b", "failed")]
        {
            let finding = try #require(checkup().settings([rights + right]).first)
            #expect(finding.result.rawValue == result)
            #expect(finding.text == rights + right)
            #expect(finding.advice?.contains("GRANT SELECT, UPDATE ON apple_pay_ledger") == true)
        }
    }

    @Test(
        "pass a plausible clock, and fail one before this version or after Apple's root",
        arguments: [
            (
                "2025-12-31T23:59:59Z",
                "failed | clock | 2025-12-31T23:59:59Z is before this version of paytoken existed | Set the clock, and "
                    + "let chrony or systemd-timesyncd correct it: timedatectl set-ntp true."
            ),
            ("2026-01-01T00:00:00Z", "passed | clock | 2026-01-01T00:00:00Z is plausible"),
            ("2039-04-30T18:19:06Z", "passed | clock | 2039-04-30T18:19:06Z is plausible"),
            (
                "2039-04-30T18:19:07Z",
                "failed | clock | 2039-04-30T18:19:07Z is after the end of Apple Root CA - G3 | Set the clock, or "
                    + "install a newer version of paytoken."
            ),
        ])
    func clock(_ time: String, _ expected: String) throws {
        let findings = SystemCheckup(now: try Date(time, strategy: .iso8601)).findings
        #expect(
            findings.map(\.check) == [
                "openssl", "legacy-provider", "clock", "synchronization", "apple-intermediate",
            ])
        #expect(text(findings[2]) == expected)
        #expect(findings[0].result == .passed)
        #expect(findings[0].text == "\(Version.library); Apple Root CA - G3 is usable")
    }

    @Test("report what the kernel answers about the clock")
    func synchronization() {
        for (answer, expected) in [
            (true, "passed | synchronization | the kernel reports a synchronized clock"),
            (
                false,
                "warning | synchronization | the kernel does not report a synchronized clock | Run chrony or "
                    + "systemd-timesyncd, for example with timedatectl set-ntp true: tokens are refused if the clock is "
                    + "wrong by five minutes."
            ),
            (
                nil,
                "warning | synchronization | the kernel does not report whether the clock is synchronized"
            ),
        ] as [(Bool?, String)] {
            #expect(text(SystemCheckup.synchronization(answer)) == expected)
        }
    }

    @Test("name the end of Apple's intermediate certificate, and warn of it in time")
    func intermediate() throws {
        let name = "apple-intermediate | Apple Application Integration CA - G3 ends on 2029-05-06"
        let advice =
            "Make sure that this version accepts a token that comes with its successor."
        for (time, expected) in [
            ("2028-11-07T23:46:29Z", "passed | \(name), in 180 days"),
            ("2028-11-07T23:46:30Z", "warning | \(name), in 180 days | \(advice)"),
        ] {
            let findings = SystemCheckup(now: try Date(time, strategy: .iso8601)).findings
            #expect(text(try #require(findings.last)) == expected)
        }
    }

    @Test("count failures and warnings in the doctor's heading")
    func page() throws {
        let words = ["--keys", "k", "--color", "never"]
        let command = try DoctorCommand(try Arguments(words, DoctorCommand.options))
        let good = Finding(.passed, "a", "b")
        let warning = Finding(.warning, "c", "d", advice: "Do e.")
        let bad = Finding(.failed, "f", "g")
        func page(_ findings: [Finding], isStrict: Bool = false) -> String {
            command.tree(findings, Verdict(findings, isStrict: isStrict)).text
        }
        #expect(page([good]) == "Ready\n\n✓ a  b\n")
        #expect(page([good], isStrict: true) == "Ready\n\n✓ a  b\n")
        #expect(
            page([good, warning])
                == "Ready, with 1 warning\n\n✓ a  b\n! c  d\n  → Do e.\n")
        #expect(page([warning], isStrict: true) == "Not ready: 1 warning\n\n! c  d\n  → Do e.\n")
        #expect(
            page([bad, warning, good, warning])
                == "Not ready: 1 of 4 checks failed, 2 warnings\n\n✗ f  g\n! c  d\n  → Do e.\n✓ a  b\n! c  d\n  → Do e.\n"
        )
    }

    @Test(
        "take the last part of a message with a command as the advice, and the given advice without one",
        arguments: [
            ("a is b; `c` corrects that.", "a is b", "`c` corrects that."),
            ("a is b; it is c. `d`, as root, and `e`", "a is b; it is c", "`d`, as root, and `e`."),
            ("a; b: do c with `d; e`", "a", "B: do c with `d; e`."),
            ("a is b; c.", "a is b; c.", "Given."),
            ("`a` is b.", "`a` is b.", "Given."),
        ])
    func parts(_ message: String, _ expected: String, _ advice: String) {
        let finding = Finding(.failed, "check", message: message, advice: "Given.")
        #expect(text(finding) == "failed | check | \(expected) | \(advice)")
    }

    @Test(
        "compare a server's time, in whole seconds, with the times before and after it was asked",
        arguments: [
            (1_000, "passed | time | o: its clock and this one agree to a minute"),
            (1_065, "passed | time | o: its clock and this one agree to a minute"),
            (939, "passed | time | o: its clock and this one agree to a minute"),
            (1_066, "failed | time | o: this machine's clock is 61 s behind the server's | "),
            (938, "failed | time | o: this machine's clock is 61 s ahead of the server's | "),
            (nil, "warning | time | o: its answer does not state a time"),
        ])
    func serverTime(_ seconds: Double?, _ expected: String) {
        func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
        let finding = ConnectionCheckup.clock(
            seconds.map(time), between: time(1_000), and: time(1_005), "o")
        #expect(text(finding).hasPrefix(expected))
        #expect((finding.result == .failed) == (finding.advice != nil))
    }

    @Test(
        "fail while a ledger that was restored refuses all tokens",
        arguments: [
            (nil, nil), (1_767_225_600, 301), (1_767_225_899, 2), (1_767_225_900, 1),
            (1_767_225_901, nil), (1_767_225_500, 401),
        ] as [(Double?, Int?)])
    func restored(_ now: Double?, _ left: Int?) {
        let history = LedgerHistory(
            created: .distantPast,
            restored: now == nil ? nil : Date(timeIntervalSince1970: 1_767_225_600),
            canLoseAttempts: false)
        let findings = LedgerCheckup.protection(
            after: history, at: Date(timeIntervalSince1970: now ?? 0)
        ).map(text)
        let expected = left.map {
            "failed | ledger | the ledger was restored at 2026-01-01T00:00:00Z, so it refuses all tokens as too-late until "
                + "2026-01-01T00:05:01Z, for \($0) more seconds | Wait until then: a token that was used before may be missing in "
                + "the backup. Nothing needs to be changed. For a day, an order is paid only if the backup has it, or its member "
                + "created is later than the restore."
        }
        #expect(findings == [expected].compactMap(\.self))
    }

    @Test("fail without certificate authorities, with the package that has them")
    func authorities() {
        #expect(SystemCheckup.authorities(true).result == .passed)
        let finding = SystemCheckup.authorities(false)
        #expect(finding.result == .failed)
        #expect(finding.advice?.contains("ca-certificates") == true)
    }

    @Test(
        "judge the room for the ledger: too little, little or enough space, and too few files",
        arguments: [
            (FreeSpace(bytes: (16 << 20) - 1, files: 100), "failed: 15 MiB are free"),
            (FreeSpace(bytes: 16 << 20, files: nil), "warning: 16 MiB are free"),
            (FreeSpace(bytes: (256 << 20) - 1, files: 8), "warning: 255 MiB are free"),
            (FreeSpace(bytes: 256 << 20, files: 8), "passed: 256 MiB are free"),
            (FreeSpace(bytes: 256 << 20, files: 7), "failed: 7 more files fit"),
            (FreeSpace(bytes: 0, files: 0), "failed: 0 more files fit"),
        ])
    func space(_ free: FreeSpace, _ expected: String) {
        let finding = LedgerCheckup.space(free)
        #expect(
            "\(finding.result.rawValue): \(finding.text)" == expected + " on the ledger's disk")
        #expect((finding.advice == nil) == (finding.result == .passed))
    }

    private static let ready =
        #"{"status":"ready","gateways":["bepaid","adyen"],"protections":{"noNewPrivileges":true,"#
        + #""systemCallFilter":true,"fileRules":true,"lockedMemory":true,"network":false,"#
        + #""device":false,"socketRules":true}}"#

    /// Returns the findings about an answer of a service, the passed ones without their texts.
    private func findings(_ answer: String) throws -> [String] {
        ServiceCheckup.findings(try AnswerValue(object: Array(answer.utf8)), path: "socket").map {
            $0.result == .passed ? "passed | \($0.check)" : text($0)
        }
    }

    @Test("report a service that is ready, with its gateways and each protection")
    func readyService() throws {
        #expect(
            try findings(Self.ready) == [
                "passed | service", "passed | no-new-privileges", "passed | system-call-filter",
                "passed | file-rules", "passed | locked-memory", "passed | network",
            ])
        let answer = try AnswerValue(object: Array(Self.ready.utf8))
        let texts = ServiceCheckup.findings(answer, path: "socket").map(\.text)
        #expect(texts.first == "socket: ready to pay at bepaid and adyen")
        #expect(texts.last == "the process with the keys cannot use the network")
        let networked = Self.ready.replacing("\"network\":false", with: "\"network\":true")
        let networkAnswer = try AnswerValue(object: Array(networked.utf8))
        let network = try #require(ServiceCheckup.findings(networkAnswer, path: "socket").last)
        #expect(
            network.result == .passed && network.text.hasPrefix("its process may use the network"))
    }

    @Test(
        "say what the filter of system calls and the rules about files leave",
        arguments: [
            ("", 2, "only the system calls that it needs are permitted"),
            (
                #""device":true"#, 2,
                "the most dangerous system calls are refused, and the others permitted, because nobody knows which a device's "
                    + "module needs"
            ),
            (
                "", 3,
                "only its own files can be opened; abstract sockets and signals to other processes are refused"
            ),
            (
                #""socketRules":false"#, 3,
                "only its own files can be opened; this kernel, older than Linux 6.12, refuses neither abstract sockets nor "
                    + "signals to other processes"
            ),
        ])
    func protections(_ change: String, _ index: Int, _ text: String) throws {
        let opposite =
            change.hasSuffix("true")
            ? change.replacing("true", with: "false") : change.replacing("false", with: "true")
        let answer = try AnswerValue(
            object: Array(Self.ready.replacing(opposite, with: change).utf8))
        let finding = ServiceCheckup.findings(answer, path: "socket")[index]
        #expect(finding.result == .passed && finding.text == text)
    }

    @Test(
        "warn of each protection that a service lacks, and name what to do",
        arguments: [
            ("noNewPrivileges", "no-new-privileges", "Run it on Linux."),
            ("systemCallFilter", "system-call-filter", "CONFIG_SECCOMP_FILTER"),
            ("fileRules", "file-rules", "Add landlock to the kernel's parameter lsm="),
            ("lockedMemory", "locked-memory", "Set LimitMEMLOCK=infinity in its unit"),
        ])
    func missingProtection(_ member: String, _ check: String, _ advice: String) throws {
        let found = try findings(
            Self.ready.replacing("\"\(member)\":true", with: "\"\(member)\":false"))
        let warnings = found.filter { !$0.hasPrefix("passed") }
        #expect(warnings.count == 1 && found.count == 6)
        #expect(warnings.first?.hasPrefix("warning | \(check) | ") == true)
        #expect(warnings.first?.contains(advice) == true)
    }

    @Test("warn of a service that trusts a test root")
    func testRoot() throws {
        let found = try findings(
            Self.ready.replacing(
                "\"protections\"", with: "\"testTrustAnchor\":true,\"protections\""))
        #expect(found.count == 7 && found[0] == "passed | service")
        #expect(
            found[1].hasPrefix(
                "warning | trust-anchor | socket: a test root is trusted in place of Apple's"))
        #expect(
            try findings(
                Self.ready.replacing(
                    "\"protections\"", with: "\"testTrustAnchor\":false,\"protections\"")
            ).count == 6)
    }

    @Test("fail for each account that cannot pay at its gateway, and name the cause")
    func gatewayFaults() throws {
        let faults =
            #""gatewayFaults":[{"gateway":"a","fault":"unreachable","reason":"b:443","since":"c"},"#
            + #"{"gateway":"d","fault":"account-refused","since":"e"}],"protections""#
        let found = try findings(Self.ready.replacing("\"protections\"", with: faults))
            .filter { !$0.hasPrefix("passed") }
        #expect(found.count == 2)
        #expect(
            found[0].hasPrefix("failed | gateway | socket: since c, a cannot be reached (b:443) | ")
        )
        #expect(
            found[1].hasPrefix(
                "failed | gateway | socket: since e, d refuses the account, its secrets or its settings | "
            ))
    }

    @Test("fail if the service uses old files, because it could not load new ones")
    func oldFiles() throws {
        let found = try findings(
            Self.ready.replacing(
                "\"protections\"", with: "\"reloadFailed\":true,\"protections\""))
        #expect(
            found.filter { !$0.hasPrefix("passed") } == [
                "failed | reload | socket: new keys or gateway files could not be loaded, and the old ones are used | "
                    + "Repair the file that the service's log names, then systemctl reload paytokend."
            ])
    }

    @Test("name keys that the service has not loaded, and keys that it uses and no file contains")
    func loadedKeys() throws {
        let descriptions = try KeyOptions(folder: TestVectors.keys.path()).survey().keyring
            .descriptions
        let key = try #require(
            descriptions.first { $0.merchantIdentifier == "merchant.example.one" })
        func findings(_ keys: String) throws -> [String] {
            let answer = Self.ready.replacing("\"protections\"", with: "\(keys)\"protections\"")
            return ServiceCheckup(
                path: "socket", answer: try AnswerValue(object: Array(answer.utf8))
            )
            .findings(about: [key]).map(text)
        }
        func loaded(_ hash: String) -> String { #"{"merchant":"m","publicKeyHash":"\#(hash)"}"# }
        #expect(try findings("") == [])
        #expect(try findings(#""keys":[\#(loaded(key.publicKeyHash))],"#) == [])
        #expect(
            try findings(#""keys":[],"#) == [
                "failed | reload | \(key.source), EC P-256, merchant.example.one: the service at socket has not loaded it | "
                    + "Load it: `systemctl reload paytokend`, as root."
            ])
        #expect(
            try findings(#""keys":[\#(loaded("x")),\#(loaded(key.publicKeyHash))],"#) == [
                "warning | reload | socket: the service uses a key that is in none of the given files: m, x | Give all its "
                    + "--keys. If the key's file is gone, put it back before the service reloads or starts again, unless no "
                    + "token comes for it."
            ])
    }

    @Test(
        "take the service's user from its answer, if it has both numbers",
        arguments: [
            (#""user":4294967295,"group":0,"#, true), (#""user":1,"#, false),
            (#""user":-1,"group":1,"#, false), (#""user":4294967296,"group":1,"#, false),
            (#""user":"1","group":1,"#, false), ("", false),
        ])
    func user(_ members: String, _ isTold: Bool) throws {
        let answer = Self.ready.replacing("\"protections\"", with: "\(members)\"protections\"")
        let user = ServiceCheckup(
            path: "socket", answer: try AnswerValue(object: Array(answer.utf8))
        )
        .user
        #expect((user?.number == 4_294_967_295 && user?.group == 0) == isTold)
        #expect((user != nil) == isTold)
    }

    @Test("fail for each reason why a service is not ready, and name what to do")
    func faultyService() throws {
        let answer = Self.ready.replacing(
            #""status":"ready""#,
            with:
                #""status":"not-ready","faults":["the process that sends requests does not run","decisions cannot be logged","x","the clock is wrong by years"]"#
        )
        let found = try findings(answer).filter { !$0.hasPrefix("passed") }
        #expect(found.count == 4)
        #expect(found[3].contains("timedatectl set-ntp true"))
        #expect(found.allSatisfy { $0.hasPrefix("failed | service | socket: ") })
        #expect(found[0].contains("systemctl start paytokend-send.socket"))
        #expect(found[1].contains("its standard output"))
        #expect(
            found[2].hasSuffix(
                "Run doctor with its --keys, --gateway and --ledger, which names what to do."))
    }

    @Test(
        "fail for an answer that is not one of the service's",
        arguments: [
            ("{}", "socket is not the socket of paytokend"),
            (#"{"status":"ready"}"#, "socket is not the socket of paytokend"),
            (
                ready.replacing("\"fileRules\":true", with: "\"fileRules\":1"),
                "socket is not the socket of paytokend"
            ),
            (
                ready.replacing("\"ready\"", with: "\"not-ready\""),
                "socket is not the socket of paytokend"
            ),
            (#"{"status":"error","code":"busy","message":"Try again."}"#, "socket: Try again."),
        ])
    func strangeAnswer(_ answer: String, _ expected: String) throws {
        let found = try findings(answer)
        #expect(found.count == 1 && found[0].hasPrefix("failed | service | \(expected) | "))
    }

    @Test(
        "read an object in an answer with status 200 or 503 whose end is certain, at most 1 MiB",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true),
            ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}", true),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", false),
            ("HTTP/1.1 200 OK\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", false),
            ("", false), ("\r\n\r\n", false),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n{}"
                    + String(repeating: " ", count: 1_048_574), true
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n{}"
                    + String(repeating: " ", count: 1_048_575), false
            ),
        ] as [(String, Bool)])
    func readiness(_ answer: String, _ isRead: Bool) throws {
        try KeyFolder.with([:]) { folder in
            let path = "\(folder)/socket"
            let listener = try UnixListener(at: path, mode: 0o600)
            let service = try #require(
                SystemThread {
                    let deadline = ContinuousClock.now + .seconds(5)
                    guard let socket = listener.accept(within: .seconds(5)) else { return }
                    _ = try? socket.receive(atMost: 4_096, by: deadline)
                    try? socket.send(Array(answer.utf8).span, by: deadline)
                })
            defer { service.join() }
            #expect(((try? ServiceQuestion.readiness(at: path)) != nil) == isRead)
        }
    }
}
