internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayTokenTesting
internal import FoundationEssentials

extension CommandOption {
    static let request = CommandOption(
        "--csr", "FILE", "the certificate signing request", kind: .file)
    static let merchant = CommandOption(
        "--merchant-id", "IDENTIFIER", "the merchant identifier in the certificate")
    static let newFile = CommandOption("--out", "FILE", "the new file", kind: .file)
    static let certificateKind = choice(
        "--kind", of: TestPKI.CertificateKind.self,
        "payment, or identity for TLS with Apple's servers; default: payment")
    static let days = number(
        "--days", "N", "how long it is valid from now on; default: 761, about 25 months")
}

/// `paytoken-testing certificate`: issues the certificate for a request, so that a rotation can be rehearsed.
struct CertificateCommand: OptionCommand {
    static let options: [CommandOption] = [
        .pki.mandatory, .request.mandatory, .merchant.mandatory, .newFile.mandatory,
        .certificateKind, .days,
    ]

    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        try arguments.requireNoOperand(of: "certificate")
        let folder = try arguments.required(.pki)
        let request = try arguments.required(.request)
        let identifier = try arguments.required(.merchant)
        guard !identifier.isEmpty else { throw .usage("\(CommandOption.merchant) is empty.") }
        let path = try arguments.required(.newFile)
        let kind: TestPKI.CertificateKind = try arguments.choice(.certificateKind) ?? .payment
        let days = try arguments.number(.days) ?? 761
        guard (1...36_500).contains(days) else {
            throw .usage("\(CommandOption.days) takes a number from 1 to 36500, not \(days).")
        }
        let pki = try PKICommand.load(folder)
        let certificate: Data
        do throws(TestTokenError) {
            certificate = try pki.certificate(
                forRequestAt: request, merchantIdentifier: identifier, kind: kind, days: Int(days))
        } catch {
            throw .means(error.description)
        }
        do throws(FileError) {
            try ExclusiveFile.create(
                path, mode: 0o644, contents: SensitiveBytes(copying: Array(certificate).span))
        } catch {
            throw .means("\(error.description).")
        }
        return .done
    }
}
