internal import ApplePayPrimitives
internal import ApplePayTokenTesting
internal import FoundationEssentials

/// `paytoken-testing certificate`: issues the certificate for a request, so that a rotation can be rehearsed.
struct CertificateCommand {
    /// The options, which all have a value.
    static let values = ["--pki", "--csr", "--merchant-id", "--out", "--kind", "--days"]

    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() throws(CommandFailure) {
        let folder = try options.required("--pki")
        let request = try options.required("--csr")
        let identifier = try options.required("--merchant-id")
        guard !identifier.isEmpty else { throw .usage("--merchant-id is empty.") }
        let path = try options.required("--out")
        let name = options.text("--kind") ?? TestPKI.CertificateKind.payment.rawValue
        guard let kind = TestPKI.CertificateKind(rawValue: name) else {
            throw .usage("--kind is payment or identity, not \(name).")
        }
        let text = options.text("--days") ?? "761"
        guard let days = Int(text), (1...36_500).contains(days) else {
            throw .usage("--days is a whole number from 1 to 36500, not \(text).")
        }
        let pki = try PKICommand.load(folder)
        let certificate: Data
        do throws(TestTokenError) {
            certificate = try pki.certificate(
                forRequestAt: request, merchantIdentifier: identifier, kind: kind, days: days)
        } catch {
            throw .means(error.description)
        }
        do throws(FileError) {
            try ExclusiveFile.create(
                path, mode: 0o644, contents: SensitiveBytes(copying: Array(certificate).span))
        } catch {
            throw .means("\(error.description).")
        }
    }
}
