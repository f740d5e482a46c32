internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrders
internal import ApplePayToken

/// `paytoken page`: creates a page of the gateway on which the customer pays an order, once.
struct PageCommand: PreparedCommand {
    static let options: [CommandOption] =
        Array(OrderMeans.options[..<1]) + [.orderFile.mandatory] + OrderMeans.options[1...]
        + [.again]

    private let means: OrderMeans
    private let order: Order
    private let serial: String?

    init(_ arguments: Arguments) throws(CommandFailure) {
        if let operand = arguments.operands.first {
            throw .usage("page takes no operand; leave out \(operand).")
        }
        serial = arguments.text(.again)
        means = try OrderMeans(arguments)
        guard means.gateway.abilities.hasPages else {
            throw .usage("\(means.account.name) has no pages on which customers pay.")
        }
        order = try arguments.requiredOrder()
        guard order.returnURL != nil else {
            throw .usage(
                "a page needs returnURL in \(CommandOption.order): the address to which the customer returns."
            )
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let payments = try means.payments(in: try means.open())
        let outcome: OrderOutcome
        do throws(PaymentTokenError) {
            outcome = try waiting { [order, serial] () async throws(PaymentTokenError) in
                try await payments.page(for: order, again: serial)
            }
        } catch {
            throw .unpaid(error)
        }
        let status = OrderJSON.write(outcome, as: ExitStatus(outcome))
        if let refusal = means.refusal(outcome) { Notice.write(refusal) }
        return status
    }
}
