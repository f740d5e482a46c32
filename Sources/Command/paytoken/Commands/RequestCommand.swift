internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms

extension CommandOption {
    static let orderFile = order.described("the order file: one order, as JSON")
}

extension Arguments {
    /// Returns the order of `--order`, which must be given and have a reference.
    func requiredOrder() throws(CommandFailure) -> Order {
        try OrderFile.order(required(.order), needsReference: true)
    }
}

/// `paytoken request`: writes the body of a gateway's payment, for a shop that sends it with a client of its own.
struct RequestCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.gateway.mandatory, .orderFile.mandatory, .keys.mandatory]
        + KeyOptions.reading + [Acceptance.ledger] + TokenOptions.options

    private let options: TokenOptions
    private let gateway: any PaymentGateway
    private let order: Order
    private let acceptance: Acceptance

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        gateway = try GatewayFile.accountWithoutSecrets(arguments).payments()
        order = try arguments.requiredOrder()
        acceptance = try Acceptance(arguments, options)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let request = try options.judging { text throws(CommandFailure) in
            do throws(PaymentError) {
                return try acceptance.accept(text, options) { payment throws(PaymentError) in
                    try gateway.paymentRequest(payment, for: order)
                }
            } catch  where error.code == .unsupportedOperation {
                throw .usage(
                    "only pay can send a payment of \(gateway.name), which needs earlier answers or contains credentials: "
                        + "`paytoken pay \(CommandOption.help)`.")
            } catch {
                throw .unpaid(error)
            }
        }
        let isWritten = request.body?.withRevealedBytes { StandardStream.output.writeAll($0) }
        guard isWritten ?? true else { return .means }
        Notice.write(Self.advice(request, isClaimed: acceptance.isClaiming))
        return .done
    }

    /// Returns where the body belongs.
    private static func advice(_ request: GatewayRequest, isClaimed: Bool) -> String {
        let parts =
            ["\(request.method) \(request.url)"]
            + request.headers.map { "\($0.name): \($0.revealValue())" } + ["your credentials"]
        let claim =
            isClaimed
            ? "The transaction is claimed, the order is not: another tap gives another body."
            : "Nothing was claimed: the same token gives this body again."
        return "nothing was sent; send it with \(parts.sentence). \(claim)"
    }
}
