package import ApplePayGateways
internal import ApplePayMerchantKeys
internal import ApplePayOtherGateways
package import ApplePayPrimitives
package import ApplePayPrograms
package import ApplePayWire

extension CommandOption {
    package static let gateway = CommandOption(
        "--gateway", "FILE", "the gateway file: the merchant's account at one gateway", kind: .file)
}

/// A file with a merchant's account at a gateway (`--gateway`).
package enum GatewayFile {
    /// The most bytes of a gateway file, and of a file with a secret.
    private static let (limit, secretLimit) = (1 << 18, 1 << 16)

    /// Reads the account of `--gateway`.
    package static func account(_ arguments: Arguments) throws(CommandFailure) -> GatewayAccount {
        try account(try arguments.required(.gateway))
    }

    /// Reads the account of `--gateway` for a body, in which no secret occurs: each secret is a placeholder, and what verifies
    /// messages is left out.
    package static func accountWithoutSecrets(
        _ arguments: Arguments
    ) throws(CommandFailure) -> GatewayAccount {
        // CyberSource's secret is base64.
        let placeholder = Array("cGxhY2Vob2xkZXI=".utf8)
        return try read(try arguments.required(.gateway), omitting: ["webhooks"]) { _ in
            SensitiveBytes(copying: placeholder.span)
        }.account
    }

    /// Reads an account from a file.
    package static func account(_ path: String) throws(CommandFailure) -> GatewayAccount {
        try read(path, secrets: secret).account
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - omitted: The members of the file that are not read.
    ///   - secrets: Reads the secrets that the file names.
    /// - Returns: The account, and the file's JSON.
    /// - Throws: A failure that names the file and the member at fault.
    package static func read(
        _ path: String, omitting omitted: Set<ExactText> = [], secrets: @escaping SecretReader
    ) throws(CommandFailure) -> (account: GatewayAccount, file: AnswerValue) {
        guard
            DeclaredGateway.named(ExactText(path)) == nil
                || FileRight.read.obstacle(to: path) != .missing
        else {
            throw .means(
                "\(path) is the name of a gateway, and there is no file of this name. \(example(path))"
            )
        }
        let text = try FileContents.bytes(of: path, limit: limit, "a gateway file")
        let file: AnswerValue
        do throws(JSONError) {
            file = try AnswerValue(text)
        } catch {
            throw .usage(
                "\(path) is not a gateway file\(WrongFile.fault(text, error)) \(example(quoted(in: text)))"
            )
        }
        let names = DeclaredGateway.all.map(\.name.description)
        let name = file["gateway"]?.string ?? ""
        guard let declared = DeclaredGateway.named(name) else {
            if name.isEmpty, let other = WrongFile.object(file) {
                throw .usage("\(path) is not a gateway file; it is \(other.rawValue). \(example())")
            }
            throw .usage(
                "\(path) is not a gateway file: its member gateway must be \(names.alternatives). "
                    + example(names.suggestion(for: String(name))))
        }
        do throws(FileError) {
            let value = FileValue(file, omitting: omitted, secrets: secrets)
            return (try declared.account(value), file)
        } catch {
            let member = error.path.isEmpty ? "the file" : "its member \(error.path.printable)"
            let text = "\(path) cannot be used: \(member) \(error.reason)."
            throw error.isUnavailable ? .means(text) : .usage("\(text) \(example(String(name)))")
        }
    }

    /// Returns the paths of the secrets that a file names, without reading them; none if it is not a gateway file.
    package static func secretFiles(_ path: String) throws(CommandFailure) -> [String] {
        let text = try FileContents.bytes(of: path, limit: limit, "a gateway file")
        guard let file = try? AnswerValue(text) else { return [] }
        var paths: [String] = []
        var values = [file]
        while let value = values.popLast() {
            for (name, member) in value.members {
                if name == "file", let path = member.string { paths.append(String(path)) }
                if member.isObject { values.append(member) }
            }
        }
        return paths
    }

    /// Returns the name of the gateway that a broken file quotes; nil if there is none.
    private static func quoted(in text: [UInt8]) -> String? {
        DeclaredGateway.all.map(\.name.description).first { name in
            ["\"", "'"].contains { text.contains(Array("\($0)\(name)\($0)".utf8)) }
        }
    }

    /// Returns the command that shows a file of a gateway, or the command that lists the gateways if it is not known.
    private static func example(_ name: String? = nil) -> String {
        if let name { return "`paytoken gateway example \(name)` shows a file." }
        return "`paytoken gateway list` lists the gateways, and `paytoken gateway example "
            + "\(DeclaredGateway.all[0].name)` shows a file of one."
    }

    /// Reads a secret; the end of a file's last line is not part of it.
    package static func secret(_ source: SecretSource) throws(FileError) -> SensitiveBytes {
        switch source {
        case .environment(let name):
            guard let secret = EnvironmentVariable.read(name), secret.count > 0 else {
                let variable =
                    EnvironmentVariable.isName(name)
                    ? "the environment variable \(name), which" : "an environment variable that"
                throw FileError(
                    path: "",
                    reason:
                        "names \(variable) is not set or is empty; set it for this command and for your service",
                    isUnavailable: true)
            }
            return secret
        case .file(let path):
            do throws(FileError) {
                let contents = try FileContents.read(path, limit: secretLimit)
                let secret = contents.withSpan { text in
                    var end = text.count
                    if end > 0, text[end - 1] == UInt8(ascii: "\n") { end -= 1 }
                    if end > 0, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
                    return SensitiveBytes(copying: text.extracting(0..<end))
                }
                guard secret.count > 0 else {
                    throw FileError(path: path, reason: "is empty", isMissing: true)
                }
                return secret
            } catch {
                // A hint would examine a path whose disk does not answer.
                let hint = error.isLate || error.isMissing ? "" : PathHint.text(for: path)
                let remedy =
                    error.isMissing
                    ? "; write the secret to it" : "; correct this, or name another file"
                throw FileError(
                    path: "",
                    reason: "names a file that cannot be used: \(error.path) \(error.reason)"
                        + (hint.isEmpty ? remedy : hint),
                    isUnavailable: true)
            }
        }
    }
}

extension GatewayAccount {
    /// Returns the gateway of an account that takes payments.
    package func payments() throws(CommandFailure) -> any PaymentGateway {
        guard let gateway else {
            throw .usage("\(name) makes no payments; it adds cards to Wallet.")
        }
        return gateway
    }
}

extension GatewayAccount {
    /// Returns the gateway of an account that gives merchant sessions.
    package func sessionGateway() throws(CommandFailure) -> BePaid {
        guard let gateway = gateway as? BePaid else {
            throw .usage("\(name) gives no merchant sessions; ask Apple's server.")
        }
        return gateway
    }
}
