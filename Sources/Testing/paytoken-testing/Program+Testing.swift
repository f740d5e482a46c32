internal import ApplePayTokenTestingPrimitives
internal import Glibc

/// The command `paytoken-testing`, which creates a test PKI and tokens.
///
/// It is separate from `paytoken`, so that the production command does not contain code that signs tokens.
@main
enum PaytokenTesting {
    static let usage = """
        paytoken-testing makes tokens for tests, signed by a test PKI that no production verifier trusts.

          paytoken-testing quickstart DIR
              makes a PKI and an order in the new folder DIR, and prints the five commands that come next:
              check the installation, decrypt a token, start test gateways, pay and refund the order;
              paytoken-testing quickstart DIR | sh runs them

          paytoken-testing pki --out DIR
              writes a new PKI: DIR/root.pem, DIR/merchants with keys and certificates of the merchants
              one and three (EC_v1) and two (RSA_v1), DIR/identity with the merchant identity certificate of
              one, and DIR/signing with the signing keys

          paytoken-testing token --pki DIR --for CERTIFICATE --amount MINOR-UNITS --currency CODE
              writes a token for the holder of a payment processing certificate: one of DIR/merchants, or
              one from Apple; its key decides between EC_v1 and RSA_v1

              --signed-at TIME              ISO 8601; now without it
              --account-number DIGITS       12 to 19 digits; drawn from the test range 400000 without it
              --expires YYMMDD              expiration date of the account number; 491231 without it
              --application-data TEXT       applicationData of the payment request
              --emv                         an EMV payment instead of 3-D Secure
              --merchant-token IDENTIFIER   a merchant token, with metadata
              --environment NAME            name of the signer: production or sandbox
              --wrapper NAME                what is around the token: \(TokenCommand.wrappers)
              --fault CODE                  a token that must be refused with this code, such as
                                            signature/message-digest-mismatch

          paytoken-testing certificate --pki DIR --csr FILE --merchant-id IDENTIFIER --out FILE
              issues the certificate for a certificate signing request, as Apple's portal does, in DER

              --kind NAME                   payment, or identity for TLS with Apple's servers; payment
                                            without it
              --days N                      how long it is valid from now on; 761 without it, about 25
                                            months

          paytoken-testing --list-faults
              the codes that --fault takes, the versions, and what is wrong: three columns, separated by tabs

          paytoken-testing --list-other-codes
              the codes that a token alone cannot cause, and why

        Exit: 0 done, 2 the command line is wrong, 3 files or other means failed.

        """

    static func main() {
        do throws(CommandFailure) {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            StandardStream.error.write("paytoken-testing: \(error.message)\n".utf8)
            exit(error.status)
        }
    }

    private static func run(_ words: [String]) throws(CommandFailure) {
        guard let command = words.first else {
            throw .usage(
                "name a command: quickstart, pki, token or certificate; --help describes them.")
        }
        guard !words.contains("--help"), command != "-h", command != "help" else {
            return try write(usage.utf8)
        }
        switch command {
        case "quickstart": try QuickstartCommand(words.dropFirst()).run()
        case "pki": try PKICommand(Options(words.dropFirst(), values: ["--out"], flags: [])).run()
        case "token", "--list-faults", "--list-other-codes":
            try TokenCommand(
                Options(
                    command == "token" ? words.dropFirst() : words[...],
                    values: TokenCommand.values, flags: TokenCommand.flags)
            ).run()
        case "certificate":
            try CertificateCommand(
                Options(words.dropFirst(), values: CertificateCommand.values, flags: [])
            ).run()
        default:
            throw .usage(
                "there is no command \(command); --help describes quickstart, pki, token and certificate."
            )
        }
    }

    /// Writes to standard output.
    static func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
        guard StandardStream.output.write(bytes) else {
            throw .means("standard output cannot be written.")
        }
    }
}
