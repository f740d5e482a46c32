internal import ApplePayToken
internal import ApplePayTokenTesting
internal import FoundationEssentials

/// `paytoken-testing token`: writes a token to standard output.
struct TokenCommand {
    /// The options with a value.
    static let values = [
        "--pki", "--for", "--amount", "--currency", "--signed-at", "--account-number", "--expires",
        "--application-data", "--merchant-token", "--environment", "--wrapper", "--fault",
    ]

    /// The options without one.
    static let flags = ["--emv", "--list-faults", "--list-other-codes"]

    /// The names of the wrappers, for help.
    static let wrappers = TokenWrapper.allCases.map(\.rawValue).joined(separator: ", ")

    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run() throws(CommandFailure) {
        for list in ["--list-faults", "--list-other-codes"] where options.has(list) {
            guard options.names == [list] else { throw .usage("\(list) is given alone.") }
            let lines = list == "--list-faults" ? Self.faults : Self.otherCodes
            return try PaytokenTesting.write(lines.joined().utf8)
        }
        let contents = try contents()
        let fault = try fault()
        guard fault == nil || contents.wrapper == nil else {
            throw .usage("--fault and --wrapper cannot be combined.")
        }
        let path = try options.required("--for")
        let folder = try options.required("--pki")
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
            try Self.write(token)
        } catch {
            throw .means(error.description)
        }
    }

    private static func write(_ token: Data) throws(TestTokenError) {
        do throws(CommandFailure) {
            try PaytokenTesting.write(token)
        } catch {
            throw TestTokenError(error.message)
        }
    }

    /// Returns the contents of the token.
    private func contents() throws(CommandFailure) -> TestTokenOptions {
        var contents = TestTokenOptions()
        let amount = try options.required("--amount")
        guard let number = Int(amount), number >= 0, "\(number)" == amount else {
            throw .usage(
                "--amount is a whole number of minor units, such as 1099 for 10.99, not \(amount).")
        }
        contents.amount = number
        let currency = try options.required("--currency")
        guard let known = Currency(alphabetic: currency) ?? Currency(numeric: currency) else {
            throw .usage("--currency is a code of ISO 4217, such as EUR or 978, not \(currency).")
        }
        contents.currencyCode = known.numeric
        if let text = options.text("--signed-at") {
            let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            guard
                let date = (try? Date(text, strategy: .iso8601))
                    ?? (try? Date(text, strategy: fraction))
            else {
                throw .usage("--signed-at is a time such as 2026-05-04T09:30:00Z, not \(text).")
            }
            contents.signingTime = date
        }
        if let number = options.text("--account-number") {
            guard (12...19).contains(number.utf8.count), Self.areDigits(number) else {
                throw .usage("--account-number has 12 to 19 digits.")
            }
            contents.accountNumber = number
        }
        if let date = options.text("--expires") {
            guard date.utf8.count == 6, Self.areDigits(date) else {
                throw .usage("--expires is a date as YYMMDD, such as 491231, not \(date).")
            }
            contents.expirationDate = date
        }
        contents.applicationData = options.text("--application-data").map { Array($0.utf8) }
        contents.merchantTokenIdentifier = options.text("--merchant-token")
        if options.has("--emv") { contents.emvData = TestTokenOptions.sampleEMVData }
        contents.environment = try choice("--environment")
        contents.wrapper = try choice("--wrapper")
        return contents
    }

    private static func areDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(CommandFailure) -> Choice? {
        guard let text = options.text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(name) is one of \(names), not \(text).")
        }
        return choice
    }

    /// Returns the fault of `--fault`: `stage/code`, or a code that occurs in only one stage.
    private func fault() throws(CommandFailure) -> TokenFault? {
        guard let text = options.text("--fault") else { return nil }
        let codes = PaymentTokenError.Code.allCases.filter {
            $0.rawValue == text || $0.name == text
        }
        guard let code = codes.first else {
            throw .usage("there is no code \(text); --list-faults lists the codes.")
        }
        guard codes.count == 1 else {
            let names = codes.map(\.rawValue).joined(separator: " or ")
            throw .usage("--fault \(text) is ambiguous; write \(names).")
        }
        guard let fault = TokenFault.fault(code) else {
            let reason = TokenFault.reasonForAbsence(of: code) ?? ""
            throw .usage("a token alone cannot cause \(code.rawValue): \(reason).")
        }
        return fault
    }

    private static var faults: [String] {
        TokenFault.all.map { fault in
            let versions = fault.versions.map(\.rawValue).joined(separator: ",")
            return "\(fault.code.rawValue)\t\(versions)\t\(fault.sentence)\n"
        }
    }

    private static var otherCodes: [String] {
        PaymentTokenError.Code.allCases.compactMap { code in
            TokenFault.reasonForAbsence(of: code).map { "\(code.rawValue)\t\($0)\n" }
        }
    }
}
