internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayTokenTesting
internal import ApplePayWire
internal import FoundationEssentials

extension CommandOption {
    static let recipient = CommandOption(
        "--for", "CERTIFICATE",
        "the payment processing certificate: one of the PKI's merchants, or one from Apple",
        kind: .file)
    static let amount = number("--amount", "MINOR", "the amount in minor units")
    static let currency = CommandOption(
        "--currency", "CODE", "the currency, a code of ISO 4217 such as EUR or 978")
    static let signingTime = CommandOption(
        "--signed-at", "TIME", "when it is signed (2026-05-04T09:30:00Z); default: now", kind: .time
    )
    static let accountNumber = CommandOption(
        "--account-number", "DIGITS",
        "12 to 19 digits; default: a number of the test range 400000")
    static let expiration = CommandOption(
        "--expires", "YYMMDD", "the expiration date of the account number; default: 491231")
    static let requestData = CommandOption(
        "--application-data", "TEXT", "applicationData of the payment request")
    static let emv = flag("--emv", "an EMV payment instead of 3-D Secure")
    static let merchantToken = CommandOption(
        "--merchant-token", "IDENTIFIER", "a merchant token, with metadata")
    static let signer = choice(
        "--environment", of: TestTokenOptions.Environment.self, "the name of the signer")
    static let wrapper = choice(
        "--wrapper", of: TokenWrapper.self, "what is around the token")
    static let fault = CommandOption(
        "--fault", "CODE",
        "a token that must be refused with this code, such as signature/message-digest-mismatch")
}

/// `paytoken-testing token`: writes a token to standard output.
struct TokenCommand: PreparedCommand {
    static let options: [CommandOption] = [
        .pki.mandatory, .recipient.mandatory, .amount.mandatory, .currency.mandatory,
        .signingTime, .accountNumber, .expiration, .requestData, .emv, .merchantToken, .signer,
        .wrapper, .fault,
    ]

    private let arguments: Arguments

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "token")
        self.arguments = arguments
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let contents = try contents()
        let fault = try fault()
        guard fault == nil || contents.wrapper == nil else {
            throw .usage(
                "\(CommandOption.fault) and \(CommandOption.wrapper) cannot be combined.")
        }
        let path = try arguments.required(.recipient)
        let folder = try arguments.required(.pki)
        let recipient: Recipient
        do throws(TestTokenError) {
            recipient = try Recipient(certificatePath: path)
        } catch {
            throw .means(error.description)
        }
        let version = recipient.version
        if let fault, !fault.versions.contains(version) {
            throw .usage(
                "\(fault.code.rawValue) is not a fault of \(version.rawValue) tokens; "
                    + "name a certificate with the other kind of key.")
        }
        let pki = try PKICommand.load(folder)
        do throws(TestTokenError) {
            var token = try pki.testToken(for: recipient, contents, fault: fault)
            // A line feed would change the code with which a malformed text is refused.
            if fault?.code.stage != .json { token.append(0x0A) }
            let bytes = Array(token)
            return StandardStream.output.write(bytes.span) == bytes.count ? .done : .means
        } catch {
            throw .means(error.description)
        }
    }

    /// Returns the contents of the token.
    private func contents() throws(CommandFailure) -> TestTokenOptions {
        var contents = TestTokenOptions()
        contents.amount = Int(clamping: try arguments.number(.amount) ?? 0)
        let currency = try arguments.required(.currency)
        guard
            let known = Currency(alphabetic: ExactText(currency))
                ?? Currency(numeric: ExactText(currency))
        else {
            throw .usage(
                "\(CommandOption.currency) takes a code of ISO 4217, such as EUR or 978, not \(currency)."
            )
        }
        contents.currencyCode = String(known.numeric)
        if let date = try arguments.time(.signingTime) { contents.signingTime = date }
        if let number = arguments.text(.accountNumber) {
            guard (12...19).contains(number.utf8.count), Self.areDigits(number) else {
                throw .usage("\(CommandOption.accountNumber) has 12 to 19 digits.")
            }
            contents.accountNumber = number
        }
        if let date = arguments.text(.expiration) {
            guard date.utf8.count == 6, Self.areDigits(date) else {
                throw .usage(
                    "\(CommandOption.expiration) is a date as YYMMDD, such as 491231, not \(date).")
            }
            contents.expirationDate = date
        }
        contents.applicationData = arguments.text(.requestData).map { Array($0.utf8) }
        contents.merchantTokenIdentifier = arguments.text(.merchantToken)
        if arguments.has(.emv) { contents.emvData = TestTokenOptions.sampleEMVData }
        contents.environment = try arguments.choice(.signer)
        contents.wrapper = try arguments.choice(.wrapper)
        return contents
    }

    private static func areDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the fault of `--fault`: `stage/code`, or a code that occurs in only one stage.
    private func fault() throws(CommandFailure) -> TokenFault? {
        guard let text = arguments.text(.fault) else { return nil }
        let codes = PaymentTokenError.Code.allCases.filter {
            $0.rawValue == text || $0.name == text
        }
        guard let code = codes.first else {
            throw .usage("there is no code \(text); paytoken-testing faults lists the codes.")
        }
        guard codes.count == 1 else {
            let names = codes.map(\.rawValue).alternatives
            throw .usage("\(CommandOption.fault) \(text) is ambiguous; write \(names).")
        }
        guard let fault = TokenFault.fault(code) else {
            let reason = TokenFault.reasonForAbsence(of: code) ?? ""
            throw .usage("a token alone cannot cause \(code.rawValue): \(reason).")
        }
        return fault
    }
}
