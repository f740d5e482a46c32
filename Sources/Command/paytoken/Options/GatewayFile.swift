internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayWire

extension CommandOption {
    static let gateway = CommandOption(
        "--gateway", "FILE", "the gateway file: the merchant's account at one gateway", kind: .file)
}

/// A file with a merchant's account at a gateway (`--gateway`).
enum GatewayFile {
    /// The most bytes of a gateway file, and of a file with a secret.
    private static let (limit, secretLimit) = (1 << 18, 1 << 16)

    /// Reads the account that the options name.
    static func account(_ arguments: Arguments) throws(CommandFailure) -> GatewayAccount {
        guard let path = arguments.text(.gateway) else {
            throw .usage(
                "the gateway is needed; give its file with \(CommandOption.gateway.usage).")
        }
        return try account(path)
    }

    /// Reads an account from a file.
    static func account(_ path: String) throws(CommandFailure) -> GatewayAccount {
        let text = try FileContents.bytes(of: path, limit: limit, "a gateway file")
        let value: AnswerValue
        do throws(JSONError) {
            value = try AnswerValue(text)
        } catch {
            throw .usage(
                "\(path) is not a gateway file\(WrongFile.fault(text, error)) \(example("NAME"))")
        }
        let names = DeclaredGateway.all.map(\.name)
        guard let name = value["gateway"]?.string, let declared = DeclaredGateway.named(name) else {
            throw .usage(
                "\(path) is not a gateway file: its member gateway must be \(names.alternatives). "
                    + example("NAME"))
        }
        do throws(MemberFault) {
            return try declared.account(FileValue(value, secrets: secret))
        } catch {
            let member = error.name.isEmpty ? "the file" : "its member \(error.name.printable)"
            let text = "\(path) cannot be used: \(member) \(error.fault). \(example(name))"
            throw error.isUnavailable ? .means(text) : .usage(text)
        }
    }

    private static func example(_ name: String) -> String {
        "`paytoken gateway example \(name)` shows a file."
    }

    /// Reads a secret; the end of a file's last line is not part of it.
    private static func secret(_ source: SecretSource) throws(MemberFault) -> SensitiveBytes {
        switch source {
        case .environment(let name):
            // The name is not repeated, because it may be the secret itself.
            guard let secret = EnvironmentVariable.read(name), secret.count > 0 else {
                throw MemberFault(
                    "", "names an environment variable that is not set or is empty",
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
                    throw FileError(path: path, reason: "is empty")
                }
                return secret
            } catch {
                throw MemberFault(
                    "", "names a file that cannot be used: \(error.path) \(error.reason)",
                    isUnavailable: true)
            }
        }
    }
}
