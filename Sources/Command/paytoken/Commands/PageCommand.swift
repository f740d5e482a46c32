internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrograms
internal import ApplePayWire

/// `paytoken page`: creates a page of the gateway on which the customer pays an order, once.
struct PageCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.gateway.mandatory, .orderFile.mandatory] + OrderSetup.exchange + [.again]

    private let setup: OrderSetup
    private let order: Order
    private let serial: ExactText?

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "page")
        serial = arguments.exactText(.again)
        setup = try OrderSetup(arguments)
        guard setup.gateway.abilities.hasPages else {
            throw .usage("\(setup.account.name) has no pages on which customers pay.")
        }
        order = try arguments.requiredOrder()
        guard order.returnURL != nil else {
            throw .usage(
                "a page needs returnURL in \(CommandOption.order): the address to which the customer returns."
            )
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let payments = try setup.payments(in: try setup.open())
        let outcome: OrderOutcome
        do throws(PaymentError) {
            outcome = try waiting { [order, serial] () async throws(PaymentError) in
                try await payments.page(for: order, again: serial)
            }
        } catch {
            throw .unpaid(error)
        }
        return OrderJSON.write(outcome, as: ExitStatus(outcome))
    }
}
