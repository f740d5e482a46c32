internal import ApplePayPrograms

/// The program `paytoken-testing`, which creates a test PKI and tokens, and judges verifiers.
///
/// It is separate from `paytoken`, so that the production command does not contain code that signs tokens.
@main
enum PaytokenTesting {
    static func main() { Program.testing.main() }
}

extension Program {
    static let testing = Program(
        name: "paytoken-testing",
        summary: "makes Apple Pay test tokens, and judges verifiers with test vectors",
        description: """
            Takes the place of Apple in tests: creates a test PKI, issues certificates for
            certificate signing requests, and makes payment tokens. No production verifier
            trusts its root. Judges what any verifier answers to test vectors.
            """,
        operand: "No production verifier trusts the root of these tokens.",
        exits: [
            .done: "done",
            .refused: "for conform with \(CommandOption.check): a verifier is wrong",
            .usage: "the command line is wrong",
            .means: "a file or other means failed",
            .interrupted: "SIGINT or SIGTERM ended the command",
        ],
        commands: {
            let pki = "\(CommandOption.pki) pki"
            let keys = "\(CommandOption.keys) keys"
            return [
                Subcommand(
                    "quickstart", "FOLDER",
                    "make a PKI and an order in a new folder, and print the five commands that come next: check the "
                        + "installation, decrypt a token, start test gateways, pay and refund the order",
                    QuickstartCommand.self, examples: "quickstart shop"),
                Subcommand(
                    "pki", CommandOption.newFolder.usage,
                    "write a new PKI: root.pem, merchants with keys and certificates of the merchants one and three "
                        + "(EC_v1) and two (RSA_v1), identity with the merchant identity certificate of one, and signing "
                        + "with the signing keys",
                    PKICommand.self, examples: "pki \(CommandOption.newFolder) pki"),
                Subcommand(
                    "token",
                    "\(CommandOption.pki.usage) \(CommandOption.recipient.usage) \(CommandOption.amount.usage) "
                        + CommandOption.currency.usage,
                    "write a token for the holder of a payment processing certificate, whose key decides between EC_v1 and "
                        + "RSA_v1",
                    TokenCommand.self,
                    examples: "token \(pki) \(CommandOption.recipient) pki/merchants/one.cert.pem "
                        + "\(CommandOption.amount) 1099 \(CommandOption.currency) EUR"),
                Subcommand(
                    "faults", "",
                    "the codes that \(CommandOption.fault) of token takes, the versions, and what is wrong: three columns, "
                        + "separated by tabs",
                    FaultsCommand.self, examples: "faults", "faults \(CommandOption.others)"),
                Subcommand(
                    "certificate",
                    "\(CommandOption.pki.usage) \(CommandOption.request.usage) \(CommandOption.merchant.usage) "
                        + CommandOption.newFile.usage,
                    "issue the certificate for a certificate signing request, as Apple's portal does, in DER",
                    CertificateCommand.self,
                    examples:
                        "certificate \(pki) \(CommandOption.request) shop.csr.pem \(CommandOption.merchant) "
                        + "merchant.example.shop \(CommandOption.newFile) shop.cer"),
                Subcommand(
                    "conform",
                    "CASES \(CommandOption.trustAnchor) ROOT.pem \(CommandOption.keys) FOLDER",
                    "verdicts for a file of test vectors; with \(CommandOption.check), a comparison of any verifier's "
                        + "verdicts with the expected ones, without root and keys",
                    ConformCommand.self,
                    examples: "conform cases.jsonl \(CommandOption.trustAnchor) root.pem \(keys)",
                    "conform - \(CommandOption.trustAnchor) root.pem \(keys)"),
                .completions, .manual(of: "token"),
            ]
        }())
}
