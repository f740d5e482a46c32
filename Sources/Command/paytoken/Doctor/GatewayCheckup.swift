internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayOtherGateways
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// The checks of a gateway file: whether it and its secrets can be read, which account it is for, which servers get the
/// requests, and who can read or change the files.
struct GatewayCheckup {
    /// The permissions that other users must not have to a secret: the group may read it, because a service often reads
    /// files that root owns.
    private static let forbiddenForSecrets: UInt32 = 0o027

    /// The permissions that they must not have to the gateway file, which decides where payments go but contains no secret.
    private static let forbidden: UInt32 = 0o022

    /// The gateway file.
    let path: String

    /// Connects to the servers; nil if no connection is to be made.
    let connections: ConnectionCheckup?

    /// A file or variable that the gateway file names.
    private struct Named: Sendable {
        let source: SecretSource
        /// Whether it is a public key, which everybody may read.
        var isPublic = false
    }

    /// The results.
    var findings: [Finding] {
        let secrets = Lock([Named]())
        let found: Finding
        var origins: [String] = []
        do throws(CommandFailure) {
            let read = try GatewayFile.read(path) { source throws(FileError) in
                secrets.withLock { $0.append(Named(source: source)) }
                let secret = try GatewayFile.secret(source)
                let isPublic =
                    secret.withRevealedBytes { ContentKind($0) } == .pem(label: "PUBLIC KEY")
                secrets.withLock { $0[$0.count - 1].isPublic = isPublic }
                return secret
            }
            found = finding(read.account, read.file)
            origins = read.account.origins.withoutRepetitions
        } catch {
            found = Finding(
                .failed, "gateway", message: error.message,
                advice: advice(secrets.withLock { $0.last?.source }))
        }
        return [found]
            + permissions(secrets.withLock { $0 }, isReadable: found.result != .failed)
            + origins.flatMap { connections?.findings($0, of: path) ?? [] }
    }

    /// Returns what to do about a gateway file or a secret that cannot be read.
    ///
    /// - Parameter last: The secret that was read last; nil if none was.
    /// - Returns: A sentence with a command.
    private func advice(_ last: SecretSource?) -> String {
        switch last {
        case nil:
            FileRemedy(path: path, original: "FILE").advice
                ?? FileRemedy.correction
        case .environment:
            "Set the variable that the file names, in a shell with `read -rs NAME && export NAME`."
        case .file(let secret):
            FileRemedy(path: secret, original: "SECRET").advice
                ?? "Write the secret to it: \(FileRemedy.install("SECRET", as: secret))."
        }
    }

    /// Names the account and the servers.
    private func finding(_ account: GatewayAccount, _ file: AnswerValue) -> Finding {
        let members = DeclaredGateway.named(account.gatewayName)?.members ?? []
        let origin = file["origin"]?.string
        let facts =
            [String(account.gatewayName), account.environment.rawValue, origin.map { "at \($0)" }]
            .compactMap(\.self) + Self.identity(file, members)
        let text = "\(path): \(facts.joined(separator: ", "))"
        let hasOwnServers = members.contains { $0.name == "origin" && !$0.isMandatory }
        if origin != nil, hasOwnServers {
            return Finding(
                .warning, "gateway", "\(text); its requests do not go to the vendor's servers",
                advice:
                    "Leave out origin, unless this is the address of your proxy: `paytoken gateway example \(account.gatewayName)` "
                    + "shows a file without it.")
        }
        guard account.environment == .live else {
            return Finding(
                .warning, "gateway", "\(text); its payments are tests, which move no money",
                advice:
                    "Use a file of a live account for sales: `paytoken gateway example \(account.gatewayName)` shows one, in which "
                    + "environment and the account are yours to set.")
        }
        return Finding(.passed, "gateway", "\(text); the file and its secrets can be read")
    }

    /// Returns the texts with which the file names the account, such as `merchantId shop`.
    ///
    /// A file of a gateway without identifiers of accounts names the account by its credentials. Only members that are
    /// declared as texts are shown, and never a secret.
    private static func identity(_ file: AnswerValue, _ members: [MemberDescription]) -> [String] {
        for group in ["account", "credentials"] {
            guard case .object(let inner)? = members.first(where: { $0.name == group })?.kind
            else { continue }
            let texts = inner.compactMap { member -> String? in
                guard case .text = member.kind else { return nil }
                return file[group, member.name]?.string.map { "\(member.name) \($0)" }
            }
            if !texts.isEmpty { return texts }
        }
        return []
    }

    /// Judges who can read or change the file and those with its secrets.
    private func permissions(_ secrets: [Named], isReadable: Bool) -> [Finding] {
        let change = Finding.fault(
            ofFile: path, with: "a merchant's account", forbidden: Self.forbidden)
        let faults =
            [change].compactMap(\.self)
            + secrets.compactMap { named -> Finding? in
                guard case .file(let path) = named.source else { return nil }
                return named.isPublic
                    ? .fault(ofFile: path, with: "a public key", forbidden: Self.forbidden)
                    : .fault(ofFile: path, with: "a secret", forbidden: Self.forbiddenForSecrets)
            }
        guard faults.isEmpty else { return faults }
        return isReadable
            ? [
                Finding(
                    .passed, "permissions",
                    "other users can neither change \(path) nor read its secrets in files")
            ] : []
    }
}
