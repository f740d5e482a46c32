internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

extension CommandOption {
    static let returnAddress = CommandOption(
        "--return-url", "URL",
        "the address to which the cardholder's browser returns; without it, the app's flow with the SDK begins"
    )
}

/// `paytoken card add`: begins to add a card to Apple Wallet at the service that issued it.
struct CardCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.gateway.mandatory, .returnAddress] + Arguments.httpsOptions

    private let cards: Intergiro
    private let client: HTTPSClient
    private let identifier: ExactText
    private let returnURL: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.count == 1 else {
            throw .usage("card add takes one identifier of a card.")
        }
        identifier = ExactText(arguments.operands[0])
        returnURL = arguments.text(.returnAddress)
        cards = try GatewayFile.account(arguments).cardService()
        client = try arguments.client()
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let outcome: CardOutcome
        do throws(PaymentError) {
            outcome = try waiting { [self] () async throws(PaymentError) in
                try await cards.addCard(identifier, returnURL: returnURL, over: client)
            }
        } catch {
            throw .unpaid(error)
        }
        let isWritten = JSONLine { $0.card(outcome) }.write()
        return isWritten ? ExitStatus(outcome) : .means
    }
}

extension GatewayAccount {
    /// Returns the service of an account that adds cards to Wallet.
    func cardService() throws(CommandFailure) -> Intergiro {
        guard let cards else { throw .usage("\(name) adds no cards to Wallet.") }
        return cards
    }
}

extension ExitStatus {
    /// Creates the exit status for a card on its way to Wallet.
    fileprivate init(_ outcome: CardOutcome) {
        self =
            switch outcome.state {
            case .added: .done
            case .launch, .browser: .pending
            case .refused: .refused
            case .unknown: .unknown
            }
    }
}
