internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayWire

/// The keys and the merchant's accounts, as their files state them.
final class ServiceAccounts: Sendable {
    /// An account at a gateway, and the payments there.
    struct Gateway: Sendable {
        let account: GatewayAccount
        let payments: OrderPayments

        /// Whether an attempt is one of this account.
        func has(_ attempt: AttemptRecord) -> Bool {
            account.gateway.map(AttemptAccount.init) == attempt.account
        }
    }

    /// Verifies tokens.
    let verifier: PaymentTokenVerifier
    /// Decrypts tokens; nil without keys.
    let decryptor: PaymentTokenDecryptor?
    /// The keys that decrypt tokens.
    let keys: [MerchantKeyDescription]
    /// The accounts, in the order of the command line.
    let gateways: [Gateway]
    /// The accounts of services that add cards to Wallet.
    let cards: [GatewayAccount]
    /// Whether a test root is trusted instead of Apple's.
    let trustsTestRoot: Bool

    /// Reads all files.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - ledger: The ledger of all accounts.
    ///   - transport: Sends the requests.
    ///   - observer: Receives a report about each token.
    /// - Throws: A failure that names the file.
    init(
        _ arguments: Arguments, _ ledger: any AttemptLedger, _ transport: SenderTransport,
        _ observer: any PaymentTokenObserver
    ) throws(CommandFailure) {
        let options = try TokenOptions(arguments, path: "-")
        let verifier = try options.verifier(observer: observer)
        var decryptor: PaymentTokenDecryptor?
        var keys: [MerchantKeyDescription] = []
        if arguments.has(.keys) {
            let keyring = try KeyOptions(arguments).keyring()
            keys = keyring.descriptions
            decryptor = try options.decryptor(keyring, observer: observer)
        }
        var gateways: [Gateway] = []
        var cards: [GatewayAccount] = []
        for path in arguments.all(.gateway) {
            let account = try GatewayFile.account(path)
            let others = gateways.map(\.account.name) + cards.map(\.name)
            guard !others.contains(account.name) else {
                throw .usage(
                    "\(path) is a second file with the name \(account.name); give one of them another \"name\"."
                )
            }
            guard account.cards == nil else {
                cards.append(account)
                continue
            }
            guard decryptor != nil || account.form != .decrypted else {
                throw .usage(
                    "\(account.name) takes decrypted tokens; give the keys with \(CommandOption.keys)."
                )
            }
            let opener = decryptor.map(TokenOpener.decryptor) ?? .verifier(verifier)
            let gateway = try account.payments()
            let payments = try failing { () throws(LedgerError) in
                try opener.payments(in: ledger, at: gateway, over: transport.of(account.name))
            }
            gateways.append(Gateway(account: account, payments: payments))
        }
        self.verifier = verifier
        self.decryptor = decryptor
        self.keys = keys
        self.gateways = gateways
        self.cards = cards
        trustsTestRoot = arguments.has(.testTrustAnchor)
    }

    /// Returns the gateway with a name; without one, the only gateway.
    func gateway(_ name: ExactText?) -> Gateway? {
        guard let name else { return gateways.count == 1 ? gateways[0] : nil }
        return gateways.first { $0.account.name == name }
    }
}
