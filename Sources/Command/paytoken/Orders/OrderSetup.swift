internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrograms

/// The account, the client and the ledger with which orders are paid.
///
/// The ledger is opened last, because a process of root's then becomes its owner, who may not be permitted to read
/// secrets.
struct OrderSetup: Sendable {
    /// The options, in the order of the help text.
    static let options: [CommandOption] = [.gateway.mandatory] + exchange

    /// The options without the gateway's file.
    static let exchange: [CommandOption] =
        [
            .ledger.mandatory.described(
                "the ledger of orders and transactions, which ledger init creates: a file, or a postgresql:// URI if "
                    + "PostgreSQL was built in")
        ] + Arguments.httpsOptions

    /// The merchant's account.
    let account: GatewayAccount

    /// The gateway file.
    private let path: String

    /// The account's gateway.
    let gateway: any PaymentGateway

    private let location: LedgerLocation
    private let client: HTTPSClient

    init(_ arguments: Arguments) throws(CommandFailure) {
        location = try LedgerLocation(try arguments.required(.ledger))
        account = try GatewayFile.account(arguments)
        path = try arguments.required(.gateway)
        gateway = try account.payments()
        client = try arguments.client()
    }

    /// Returns a command with the gateway file and the ledger, for a message.
    func command(_ words: String, _ ledger: LedgerLocation) -> String {
        ledger.command(words, "\(CommandOption.gateway) \(path.shellWord)")
    }

    /// Opens the ledger.
    func open() throws(CommandFailure) -> any AttemptLedger { try location.open() }

    /// Returns payments for operations and questions, which take no token.
    func payments(in ledger: any AttemptLedger) throws(CommandFailure) -> OrderPayments {
        let opener = try Self.opener(for: ledger)
        var payments = try failing { () throws(LedgerError) in
            try opener.payments(in: ledger, at: gateway, over: client)
        }
        payments.permission.sending = { () throws(PaymentError) in
            try OrderInterruption.hold()
        }
        return payments
    }

    /// Returns an opener where no token is verified, so that any window does that the ledger permits.
    private static func opener(
        for ledger: any AttemptLedger
    ) throws(CommandFailure) -> TokenOpener {
        let window = FreshnessWindow(
            maximumAge: min(FreshnessWindow().maximumAge, ledger.window))
        return .verifier(
            try failing { () throws(PaymentTokenError) in
                try PaymentTokenVerifier(window: window)
            })
    }

    /// Returns payments with tokens or stored cards, which a signal ends until money may move.
    ///
    /// - Parameters:
    ///   - opener: Verifies tokens, and decrypts them if the merchant has the key; nil without a token.
    ///   - ledger: The ledger.
    /// - Returns: The payments.
    /// - Throws: The refusal `replay/window-too-wide`.
    func payments(
        with opener: TokenOpener?, in ledger: any AttemptLedger
    ) throws(CommandFailure) -> OrderPayments {
        let opener = if let opener { opener } else { try Self.opener(for: ledger) }
        var payments: OrderPayments
        do {
            payments = try opener.payments(
                in: ledger, at: gateway, over: InterruptibleTransport(client: client))
        } catch {
            throw .unpaid(PaymentError(error))
        }
        payments.permission.claim = { () throws(PaymentError) in
            try OrderInterruption.postpone()
        }
        payments.permission.sending = { () throws(PaymentError) in
            try OrderInterruption.hold()
        }
        return payments
    }
}

extension CommandFailure {
    /// Creates a failure for a payment or an operation that was refused before anything was sent.
    static func unpaid(_ error: PaymentError) -> CommandFailure {
        switch error.code {
        case .referenceChanged, .invalidReference: .refused(error, status: .usage)
        default: .refused(error, status: error.disposition == .operator ? .means : .refused)
        }
    }
}
