internal import ApplePayHTTPS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let domainFile = CommandOption(
        "--domain-file", "FILE", "the domain association file from Apple's portal to check",
        kind: .file)
    static let served = CommandOption(
        "--served", "FILE", "what the shop serves for it, such as the output of curl -s",
        kind: .file)
    static let quiet = flag("--quiet", "print only what warns or fails, and nothing if all is well")
    static let strict = flag("--strict", "exit with 3 also if a check warns")
}

/// `paytoken doctor`: checks an installation, and reports what must be fixed.
struct DoctorCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.keys.mandatory(unless: .gateway, .identity, .domainFile, .ledger, .socket)]
        + KeyOptions.reading + [
            .identity.described("the key of the merchant identity certificate, to check both"),
            .certificate, .domainFile, .served,
            .gateway.repeatable.described("a gateway file to check, with its secrets"),
            .ledger.described("the ledger to check: a file, or a postgresql:// URI"),
            .socket.described(
                "the socket of a running paytokend, to ask whether it is ready, and which keys it has loaded"
            ),
            .maximumAge.described("the age that decrypt permits with this ledger; default: 300"),
            .receiptTime.described("judge clock and certificates at this time; default: now"),
            .connect, .clock,
        ] + Arguments.httpsOptions + [.quiet, .strict, .json, .color]

    private let arguments: Arguments
    private let identity: String?
    private let certificate: String?
    private let domainFile: DomainFileCheckup?
    private let gateways: [String]
    private let connections: ConnectionCheckup?
    private let ledger: LedgerLocation?
    private let socket: String?
    private let maximumAge: Int
    private let now: Date
    private let isQuiet: Bool
    private let isStrict: Bool
    private let isForMachines: Bool
    private let style: TerminalStyle

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.isEmpty else {
            throw .usage(
                "doctor takes its keys with \(CommandOption.keys.usage); write \(CommandOption.keys) before "
                    + "\(arguments.operands[0]).")
        }
        try Self.require(.identity, for: .certificate, in: arguments)
        try Self.require(.domainFile, for: .served, in: arguments)
        self.arguments = arguments
        identity = arguments.text(.identity)
        certificate = arguments.text(.certificate)
        domainFile = arguments.text(.domainFile).map {
            DomainFileCheckup(downloaded: $0, served: arguments.text(.served))
        }
        try Self.require(.gateway, for: .connect, in: arguments)
        try Self.require(.connect, for: .clock, in: arguments)
        try Self.require(.connect, for: .proxy, in: arguments)
        connections = try ConnectionCheckup(arguments)
        gateways = arguments.all(.gateway)
        ledger = try arguments.text(.ledger).map(LedgerLocation.init)
        socket = arguments.text(.socket)
        maximumAge =
            try arguments.number(.maximumAge).map { Int(clamping: $0) }
            ?? FreshnessWindow().maximumAge
        now = try arguments.time(.receiptTime) ?? Date()
        isQuiet = arguments.has(.quiet)
        isStrict = arguments.has(.strict)
        isForMachines = arguments.has(.json)
        style = try TerminalStyle(arguments)
    }

    // A loop over pairs of options would be shorter, but Swift 6.3 then orders the copies of the two values at random, and no two
    // builds are the same.
    private static func require(
        _ other: CommandOption, for option: CommandOption, in arguments: Arguments
    ) throws(CommandFailure) {
        guard !arguments.has(option) || arguments.has(other) else {
            throw .usage("\(option) needs \(other.usage).")
        }
    }

    /// Runs all checks; fails if one of them found something that must be fixed, or that warns, with `--strict`.
    func run() throws(CommandFailure) -> ExitStatus {
        // The web server's files and the socket are the caller's; everything else is judged as the service's user.
        let served = domainFile?.findings ?? []
        let service = socket.map(ServiceCheckup.init(asking:))
        var findings = SystemCheckup(now: now).findings + (try becomeUser(of: service))
        let (keys, passphraseProblems) = try KeyOptions.surveying(arguments)
        let remedies = KeyRemedies(options: keys, now: now)
        findings += passphraseProblems.map {
            Finding(
                .failed, "passphrase", $0.commandDescription,
                advice: remedies.advice(forPassphrase: $0))
        }
        // If the gateway decrypts the tokens, the merchant needs no keys.
        if !keys.paths.isEmpty {
            findings += KeyCheckup(options: keys, now: now, service: service).findings
        }
        if let identity {
            let loaded = keys.paths.isEmpty ? nil : try keys.survey()
            findings +=
                IdentityCheckup(
                    keyPath: identity, certificatePath: certificate, keys: keys, loaded: loaded,
                    now: now
                ).findings
        }
        findings += served
        if let ledger {
            findings += LedgerCheckup(location: ledger, maximumAge: maximumAge).findings
        }
        findings += gateways.flatMap {
            GatewayCheckup(path: $0, connections: connections).findings
        }
        if identity != nil || !gateways.isEmpty {
            findings.append(SystemCheckup.authorities(HTTPSClient().hasAuthorities))
        }
        findings += service?.findings ?? []
        let verdict = Verdict(findings, isStrict: isStrict)
        let shown = isQuiet ? findings.filter { $0.result != .passed } : findings
        guard !isQuiet || !shown.isEmpty else { return .done }
        let isWritten =
            isForMachines
            ? json(shown, verdict).write()
            : StandardStream.output.write(tree(shown, verdict).text)
        return isWritten && verdict.isReady ? .done : .means
    }

    /// Lets root's process become the user of the service: that of the running one, or that to whom the ledger belongs.
    ///
    /// - Parameter service: The running service; nil if it was not asked.
    /// - Returns: A finding about the user; none for another process than root's, for a service of root, and if no file is
    ///   judged.
    /// - Throws: A failure if the system refuses.
    private func becomeUser(of service: ServiceCheckup?) throws(CommandFailure) -> [Finding] {
        guard FileStatus.user == 0 else { return [] }
        let name = "user"
        let readsFiles = arguments.has(.keys) || identity != nil || !gateways.isEmpty
        if let user = service?.user, readsFiles || ledger != nil {
            // libpq looks for a password in the home.
            guard ProcessUser.become(user.number, group: user.group, entersHome: true) else {
                throw .means(
                    "this process is root's, and cannot become the user \(user.number) of the service; run it as that user."
                )
            }
        } else if let file = ledger?.file {
            try LedgerOwner.become(of: file)
        } else if readsFiles {
            return [
                Finding(
                    .warning, name, "root may read all files, which the service's user may not",
                    advice:
                        "Give the service's \(CommandOption.socket) or its \(CommandOption.ledger) in a file, so that doctor judges as "
                        + "its user, or run doctor as that user.")
            ]
        }
        guard FileStatus.user != 0 else { return [] }
        return [
            Finding(.passed, name, "files are judged as \(ProcessUser.name), the service's user")
        ]
    }

    /// Returns the text for people: whether payments can be made, and the findings.
    func tree(_ findings: [Finding], _ verdict: Verdict) -> TreeText {
        TreeText(
            verdict.text, verdict.isReady ? .passed : .failed,
            findings.map {
                TreeEntry($0.result, $0.check, $0.text, advice: $0.advice.map { [$0] } ?? [])
            }, style: style)
    }

    private func json(_ findings: [Finding], _ verdict: Verdict) -> JSONLine {
        JSONLine { json in
            json.member("status", verdict.isReady ? "ok" : "error")
            json.member("verdict", verdict.name)
            json.objects("checks", findings) { json, finding in
                json.member("check", finding.check)
                json.member("result", finding.result.rawValue)
                json.member("message", finding.text)
                json.member("advice", finding.advice)
            }
        }
    }
}

/// Whether an installation is ready for payments, from the results of all checks.
struct Verdict: Sendable {
    /// Whether payments can be made.
    let isReady: Bool

    /// The verdict as JSON shows it: `ready`, `ready-with-warnings` or `not-ready`.
    let name: String

    /// The verdict as a heading, with the numbers of failures and warnings.
    let text: String

    /// Judges results.
    ///
    /// - Parameters:
    ///   - findings: The results of all checks.
    ///   - isStrict: Whether warnings count as failures.
    init(_ findings: [Finding], isStrict: Bool) {
        let faults = findings.count { $0.result == .failed }
        let warnings = findings.count { $0.result == .warning }
        let warned = warnings == 1 ? "1 warning" : "\(warnings) warnings"
        isReady = faults == 0 && !(isStrict && warnings > 0)
        guard !isReady else {
            name = warnings == 0 ? "ready" : "ready-with-warnings"
            text = warnings == 0 ? "Ready" : "Ready, with \(warned)"
            return
        }
        let failed = faults == 0 ? [] : ["\(faults) of \(findings.count) checks failed"]
        name = "not-ready"
        text = "Not ready: " + (failed + (warnings == 0 ? [] : [warned])).joined(separator: ", ")
    }
}

/// The result of one check of the installation.
struct Finding: Sendable {
    /// The result: passed, a warning, or failed, which must be fixed.
    let result: CheckResult

    /// The name of the check.
    let check: String

    /// The state that was found.
    let text: String

    /// What to do, one sentence; nil if nothing is to be done.
    let advice: String?

    init(_ result: CheckResult, _ check: String, _ text: String, advice: String? = nil) {
        self.result = result
        self.check = check
        self.text = text
        self.advice = advice
    }

    /// Creates a finding from a message that ends with what to do, if it has a command: the last part before the command,
    /// the command and what follows become the advice.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - check: The name of the check.
    ///   - message: The message, such as ``a is b; `c` corrects that.``
    ///   - advice: What to do if the message has no command.
    init(_ result: CheckResult, _ check: String, message: String, advice: String) {
        let start = message.prefix { $0 != "`" }
        guard start.endIndex < message.endIndex,
            let end = ["; ", ". "].compactMap({ start.ranges(of: $0).last }).max(by: {
                $0.lowerBound < $1.lowerBound
            })
        else {
            self.init(result, check, message, advice: advice)
            return
        }
        let rest = message[end.upperBound...]
        self.init(
            result, check, String(message[..<end.lowerBound]),
            advice: rest.prefix(1).uppercased() + rest.dropFirst()
                + (rest.hasSuffix(".") ? "" : "."))
    }

    /// Returns why a file is not protected.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - contents: The kind of contents, such as `a secret`.
    ///   - forbidden: The permissions that it must not have.
    /// - Returns: A failure; nil if it has none of these permissions, or is not a regular file.
    static func fault(ofFile path: String, with contents: String, forbidden: UInt32) -> Finding? {
        guard let permissions = FileContents.permissions(path), permissions & forbidden != 0
        else { return nil }
        let (abilities, mode) =
            forbidden & 0o044 == 0 ? ("change", "go-w") : ("read or change", "g-w,o=")
        return Finding(
            .failed, "permissions",
            "\(path) contains \(contents) and has mode \(FileStatus.octal(permissions)), so other users can \(abilities) it",
            advice: protection(of: path, mode))
    }

    /// Returns how other users lose a right to a file or folder.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - mode: The change as chmod(1) writes it.
    /// - Returns: A sentence, with a command that harms no other program.
    static func protection(of path: String, _ mode: String) -> String {
        guard (try? FileStatus(path))?.isShared != true else {
            return
                "Every program needs this folder as it is: use a folder that only its owner may write."
        }
        return switch FileRight.write.obstacle(to: Folder(containing: path).path) {
        case .readOnlyFileSystem:
            "The file system is read-only: set the mode where it is made, such as defaultMode: 0440 of a volume of "
                + "Kubernetes."
        case nil: "Take this permission away: `chmod \(mode) \(path.shellWord)`."
        default:
            "Take this permission away: `chmod \(mode) \(path.shellWord)`, as the file's owner."
        }
    }
}
