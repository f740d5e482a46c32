internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayWire

extension CommandOption {
    static let session = CommandOption(
        "--session", "ID",
        "the gateway's identifier of the session or checkout in which the order is paid, if your app or page made one"
    )
    static let again = CommandOption(
        "--again", "SERIAL",
        "pay the order again after all of it was returned: the serial of its last attempt, as payments show writes it"
    )
    static let accepted = choice(
        "--accept", of: PayCommand.Accepted.self,
        "exit with 0 also for this outcome: capture before you ship")
}

/// `paytoken pay`: pays an order with a token, once, and writes its state as one JSON object.
struct PayCommand: PreparedCommand {
    static let options: [CommandOption] =
        [
            .gateway.mandatory, .orderFile.mandatory,
            .keys.described(
                "\(CommandOption.keys.summary); mandatory unless the gateway decrypts the tokens"),
        ] + KeyOptions.reading + OrderSetup.exchange
        + [.session, .again, .accepted] + TokenOptions.options

    /// The outcomes other than `paid` that can be accepted.
    enum Accepted: String, CaseIterable {
        case authorized
    }

    private let options: TokenOptions
    private let setup: OrderSetup
    private let order: Order
    private let opener: TokenOpener
    private let session: ExactText?
    private let serial: ExactText?
    private let isAuthorizedAccepted: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        isAuthorizedAccepted = try arguments.choice(.accepted, of: Accepted.self) == .authorized
        session = arguments.exactText(.session)
        serial = arguments.exactText(.again)
        setup = try OrderSetup(arguments)
        guard session == nil || setup.gateway.abilities.takesSessions else {
            throw .usage(
                "\(setup.account.name) has no sessions of its own; leave out \(CommandOption.session)."
            )
        }
        if setup.account.form == .decrypted {
            try arguments.require([.keys], for: "a payment at \(setup.account.name)")
        }
        order = try arguments.requiredOrder()
        opener = try TokenOpener(setup.account.form, arguments, options)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        opener.warn()
        let outcome = try options.judging { text throws(CommandFailure) -> OrderOutcome? in
            // Opened after the token was read, which the owner of the ledger may not be permitted to read.
            let payments = try setup.payments(with: opener, in: try setup.open())
            do throws(PaymentError) {
                return try waiting { [self] () async throws(PaymentError) in
                    try await payments.pay(
                        text, for: order, form: options.form, agePolicy: options.agePolicy,
                        session: session, again: serial)
                }
            } catch {
                // Nothing was sent.
                guard Interruption.signal == nil else { return nil }
                throw .unpaid(error)
            }
        }
        guard let outcome else { return .interrupted }
        let isDone = isAuthorizedAccepted && outcome.state == .authorized
        return OrderJSON.write(outcome, as: isDone ? .done : ExitStatus(outcome))
    }
}
