internal import ApplePayGateways
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// The checks of a running service: whether it can pay, and which protections its process has on this kernel.
struct ServiceCheckup {
    /// The path of the service's socket.
    let path: String

    private let answer: Result<AnswerValue, FileError>

    /// Asks a service, as the user of this process.
    init(asking path: String) {
        self.path = path
        do throws(FileError) {
            answer = .success(try ServiceQuestion.readiness(at: path))
        } catch {
            answer = .failure(error)
        }
    }

    /// Takes an answer.
    init(path: String, answer: AnswerValue) {
        self.path = path
        self.answer = .success(answer)
    }

    /// The numbers of the user and the group of its process; nil if it did not tell.
    var user: (number: UInt32, group: UInt32)? {
        guard let answer = try? answer.get(),
            let user = answer["user"]?.wholeNumber.flatMap(UInt32.init(exactly:)),
            let group = answer["group"]?.wholeNumber.flatMap(UInt32.init(exactly:))
        else { return nil }
        return (user, group)
    }

    /// Compares keys in files with those that the service uses.
    ///
    /// - Parameter descriptions: The keys in files that decrypt tokens.
    /// - Returns: A finding for each key that the service has not loaded, and for each that no file contains; none if the
    ///   service did not tell its keys.
    func findings(about descriptions: [MerchantKeyDescription]) -> [Finding] {
        guard let keys = (try? answer.get())?["keys"], keys.isArray else { return [] }
        let used = Set(keys.elements.compactMap { $0["publicKeyHash"]?.string })
        let present = Set(descriptions.map { ExactText($0.publicKeyHash) })
        let missing = descriptions.filter { !used.contains(ExactText($0.publicKeyHash)) }
        let gone = keys.elements.filter { key in
            key["publicKeyHash"]?.string.map { !present.contains($0) } ?? false
        }
        return missing.map { key in
            Finding(
                .failed, "reload",
                "\(key.source), \(key.kind.rawValue), \(key.merchant): the service at \(path) has not loaded it",
                advice: "Load it: `systemctl reload paytokend`, as root.")
        }
            + gone.map { key in
                let words = [key["merchant"]?.string, key["publicKeyHash"]?.string]
                    .compactMap { $0?.printable }
                return Finding(
                    .warning, "reload",
                    "\(path): the service uses a key that is in none of the given files: \(words.joined(separator: ", "))",
                    advice:
                        "Give all its \(CommandOption.keys). If the key's file is gone, put it back before the service reloads or starts "
                        + "again, unless no token comes for it.")
            }
    }

    /// The results.
    var findings: [Finding] {
        do throws(FileError) {
            return Self.findings(try answer.get(), path: path)
        } catch {
            return [
                Finding(
                    .failed, "service", error.description,
                    advice:
                        "Start the service, or give the \(CommandOption.socket) with which it runs; if this user may not connect to "
                        + "it, run doctor as root, who judges files as the service's user."
                )
            ]
        }
    }

    /// Judges the answer of a service.
    ///
    /// - Parameters:
    ///   - answer: The object that the service sent.
    ///   - path: The path of its socket.
    /// - Returns: A finding about the service, or one for each reason why it cannot pay; one for each account that cannot; one if
    ///   its files could not be loaded anew, and one if it trusts a test root; then one for each protection.
    static func findings(_ answer: AnswerValue, path: String) -> [Finding] {
        let names = [
            "noNewPrivileges", "systemCallFilter", "fileRules", "lockedMemory", "network", "device",
            "socketRules",
        ]
        let values = names.compactMap { answer["protections", $0]?.truth }
        let faults = (answer["faults"]?.elements ?? []).compactMap { $0.string?.printable }
        let isReady = answer["status"]?.string == "ready"
        guard isReady == faults.isEmpty, values.count == names.count else {
            // For example, that it handles as many requests as it may.
            let message = answer["message"]?.string?.printable
            return [
                Finding(
                    .failed, "service",
                    message.map { "\(path): \($0)" }
                        ?? "\(path) is not the socket of paytokend",
                    advice: "Run doctor again, with the \(CommandOption.socket) of the service.")
            ]
        }
        let gateways = (answer["gateways"]?.elements ?? []).compactMap { $0.string?.printable }
        let readiness =
            isReady
            ? [
                Finding(
                    .passed, "service",
                    "\(path): ready to "
                        + (gateways.isEmpty
                            ? "verify and decrypt tokens, without a gateway"
                            : "pay at \(gateways.sentence)"))
            ]
            : faults.map {
                Finding(.failed, "service", "\(path): \($0)", advice: Self.advice(forFault: $0))
            }
        let anchor = Finding(
            .warning, "trust-anchor", "\(path): a test root is trusted in place of Apple's",
            advice:
                "Start the service without \(CommandOption.testTrustAnchor) before real customers pay: it refuses their tokens, "
                + "and whoever has the test authority's key can make others.")
        let reload = Finding(
            .failed, "reload",
            "\(path): new keys or gateway files could not be loaded, and the old ones are used",
            advice: "Repair the file that the service's log names, then systemctl reload paytokend."
        )
        let gatewayFaults = (answer["gatewayFaults"]?.elements ?? []).map { Self.finding($0, path) }
        let isTest = answer["testTrustAnchor"]?.truth == true
        let isOld = answer["reloadFailed"]?.truth == true
        return readiness + gatewayFaults + (isOld ? [reload] : []) + (isTest ? [anchor] : [])
            + Self.protections(values)
    }

    /// Judges why an account cannot pay at its gateway.
    private static func finding(_ fault: AnswerValue, _ path: String) -> Finding {
        func text(_ name: String) -> String { fault[name]?.string?.printable ?? "" }
        let reason = text("reason").isEmpty ? "" : " (\(text("reason")))"
        let (state, advice) =
            fault["fault"]?.string == ExactText("unreachable")
            ? (
                "cannot be reached",
                "Check the network and the proxy of paytokend send, the origin of the gateway file, and the gateway's status page."
            )
            : (
                "refuses the account, its secrets or its settings",
                "Look for the text in the audit log, and repair the gateway file, then systemctl reload paytokend."
            )
        return Finding(
            .failed, "gateway",
            "\(path): since \(text("since")), \(text("gateway")) \(state)\(reason)", advice: advice)
    }

    private static func advice(forFault fault: String) -> String {
        switch ExactText(fault) {
        case ExactText(ServiceFault.sender):
            "Start it: systemctl start paytokend-send.socket, or paytokend send with the socket that is \(CommandOption.sender)'s."
        case ExactText(ServiceFault.clock):
            "Set the clock, and let chrony or systemd-timesyncd correct it: timedatectl set-ntp true."
        case ExactText(ServiceFault.audit):
            "Make room where its standard output goes, such as the journal, or start what reads it."
        default:
            "Run doctor with its \(CommandOption.keys), \(CommandOption.gateway) and \(CommandOption.ledger), which names what to do."
        }
    }

    /// Judges the protections, in the order of their names.
    private static func protections(_ values: [Bool]) -> [Finding] {
        let texts = [
            (
                "no-new-privileges", "programs that it starts can gain no rights",
                "programs that it starts could gain rights", "Run it on Linux."
            ),
            (
                "system-call-filter",
                values[5]
                    ? "the most dangerous system calls are refused, and the others permitted, because nobody knows which a "
                        + "device's module needs"
                    : "only the system calls that it needs are permitted",
                "this kernel does not filter its system calls",
                "Use a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or ARM64."
            ),
            (
                "file-rules",
                values[6]
                    ? "only its own files can be opened; abstract sockets and signals to other processes are refused"
                    : "only its own files can be opened; this kernel, older than Linux 6.12, refuses neither abstract sockets "
                        + "nor signals to other processes",
                "it can open all files that its user may",
                "Add landlock to the kernel's parameter lsm=, which /sys/kernel/security/lsm shows; with keys in a device "
                    + "the rules are omitted, so rely on ProtectSystem= and InaccessiblePaths= of its unit."
            ),
            (
                "locked-memory", "its memory is never written to swap space",
                "its memory can be written to swap space",
                "Set LimitMEMLOCK=infinity in its unit, or ulimit -l unlimited before it starts; or use no swap space."
            ),
        ]
        let network = Finding(
            .passed, "network",
            values[4]
                ? "its process may use the network, because its ledger is a database or its keys are in a device; let its "
                    + "unit reach these only, with IPAddressDeny= and IPAddressAllow="
                : "the process with the keys cannot use the network")
        return zip(texts, values).map { text, isThere in
            isThere
                ? Finding(.passed, text.0, text.1)
                : Finding(.warning, text.0, text.2, advice: text.3)
        } + [network]
    }
}
