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

/// `paytoken pay`: pays an order with a token or a stored card, once, and writes its state as one JSON object.
struct PayCommand: PreparedCommand {
    static let options: [CommandOption] =
        [
            .gateway.mandatory, .orderFile.mandatory,
            .keys.described(
                "\(CommandOption.keys.summary); mandatory unless the gateway decrypts the tokens"),
        ] + KeyOptions.reading + OrderSetup.exchange
        + [.card, .initiator, .session, .again, .accepted] + TokenOptions.options

    /// The outcomes other than `paid` that can be accepted.
    enum Accepted: String, CaseIterable {
        case authorized
    }

    /// What pays the order.
    private enum Means {
        case token(TokenOptions, TokenOpener, session: ExactText?)
        case card(StoredCard, PaymentInitiator)
    }

    private let means: Means
    private let setup: OrderSetup
    private let order: Order
    private let serial: ExactText?
    private let isAuthorizedAccepted: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        isAuthorizedAccepted = try arguments.choice(.accepted, of: Accepted.self) == .authorized
        serial = arguments.exactText(.again)
        setup = try OrderSetup(arguments)
        means =
            arguments.has(.card)
            ? try Self.card(arguments, at: setup.gateway)
            : try Self.token(arguments, at: setup.account, setup.gateway)
        order = try arguments.requiredOrder()
    }

    private static func token(
        _ arguments: Arguments, at account: GatewayAccount, _ gateway: any PaymentGateway
    ) throws(CommandFailure) -> Means {
        guard !arguments.has(.initiator) else {
            throw .usage(
                "\(CommandOption.initiator) is about a stored card; give \(CommandOption.card), or leave it out."
            )
        }
        let options = try TokenOptions(arguments, path: arguments.token())
        let session = arguments.exactText(.session)
        guard session == nil || gateway.abilities.takesSessions else {
            throw .usage(
                "\(account.name) has no sessions of its own; leave out \(CommandOption.session)."
            )
        }
        if account.form == .decrypted {
            try arguments.require([.keys], for: "a payment at \(account.name)")
        }
        return .token(
            options, try TokenOpener(account.form, arguments, options), session: session)
    }

    private static func card(
        _ arguments: Arguments, at gateway: any PaymentGateway
    ) throws(CommandFailure) -> Means {
        let others = [.session, .keys] + TokenOptions.options
        let given = others.filter(arguments.has)
        guard arguments.operands.isEmpty, given.isEmpty else {
            let token = arguments.operands.first.map { "the token \($0)" }
            throw .usage(
                "a stored card pays without a token; leave out "
                    + "\(([token].compactMap(\.self) + given.map(\.description)).sentence), or \(CommandOption.card)."
            )
        }
        try arguments.require([.initiator], for: "a payment with a stored card")
        guard let initiator = try arguments.choice(.initiator, of: PaymentInitiator.self) else {
            throw .usage("give \(CommandOption.initiator.usage).")
        }
        let card = try StoredCardFile.card(try arguments.required(.card))
        do throws(PaymentError) {
            try card.check(for: initiator, at: gateway)
        } catch {
            throw .refused(error, status: .usage)
        }
        return .card(card, initiator)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let outcome: OrderOutcome?
        switch means {
        case .token(let options, let opener, let session):
            opener.warn()
            outcome = try options.judging { text throws(CommandFailure) in
                // The ledger is opened after the token was read, which its owner may not be permitted to read.
                try pay(with: opener) { payments throws(PaymentError) in
                    try await payments.pay(
                        text, for: order, form: options.form, agePolicy: options.agePolicy,
                        session: session, again: serial)
                }
            }
        case .card(let card, let initiator):
            outcome = try pay(with: nil) { payments throws(PaymentError) in
                try await payments.pay(card, for: order, initiator: initiator, again: serial)
            }
        }
        guard let outcome else { return .interrupted }
        let isDone = isAuthorizedAccepted && outcome.state == .authorized
        return OrderJSON.write(
            outcome, as: isDone ? .done : ExitStatus(outcome), showsCard: true)
    }

    /// Pays in the ledger; nil if a signal came before anything was sent.
    private func pay(
        with opener: TokenOpener?,
        _ work: @escaping @Sendable (OrderPayments) async throws(PaymentError) -> OrderOutcome
    ) throws(CommandFailure) -> OrderOutcome? {
        let payments = try setup.payments(with: opener, in: try setup.open())
        do throws(PaymentError) {
            return try waiting { () async throws(PaymentError) in try await work(payments) }
        } catch {
            guard Interruption.signal == nil else { return nil }
            throw .unpaid(error)
        }
    }
}
