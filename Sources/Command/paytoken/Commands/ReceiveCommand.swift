internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire

/// `paytoken receive`: verifies a gateway's message, and asks the gateway for the state of the order that it is about.
struct ReceiveCommand: PreparedCommand {
    static let options = OrderSetup.options

    private let setup: OrderSetup
    private let path: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.count <= 1 else {
            throw .usage("one message at a time: leave out \(arguments.operands[1]).")
        }
        path = arguments.operands.first ?? "-"
        setup = try OrderSetup(arguments)
        guard setup.gateway.abilities.messages else {
            throw .usage(
                "\(setup.account.name) sends no messages that can be verified; `paytoken payments recover "
                    + "\(CommandOption.help)` describes how to ask about open payments instead.")
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let bytes = try FileContents.bytes(of: path, limit: MessageText.limit, "a message")
        guard let message = MessageText.message(bytes) else {
            return Self.write(400, reason: MessageText.noMessage(bytes))
        }
        let payments = try setup.payments(in: try setup.open())
        let reply = try waiting { () async throws(CommandFailure) in
            await payments.receive(message)
        }
        return Self.write(
            reply.status, body: reply.body, reply.outcome, reason: reply.reason)
    }

    /// Writes the answer for the gateway, and returns the exit status: 0 if the message was verified.
    private static func write(
        _ status: Int, body: ExactText = "", _ outcome: OrderOutcome? = nil, reason: ExactText?
    ) -> ExitStatus {
        let isWritten = JSONLine {
            $0.reply(status, body: body, outcome, reason: reason)
        }.write()
        guard isWritten else { return .means }
        return status == 200 ? .done : status == 400 ? .refused : .means
    }
}
