internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// `paytoken request`: the body that a gateway wants.
struct RequestCommand {
    private let options: TokenOptions
    private let decryptor: PaymentTokenDecryptor
    private let order: StatedOrder
    private let createPayment: WorldlineDirect.CreatePaymentOptions
    private let isDryRun: Bool

    init(_ words: [String]) throws(CommandFailure) {
        guard let gateway = words.first, !gateway.hasPrefix("-") else {
            throw .usage(
                "request needs a gateway's name: paytoken request worldline-direct [TOKEN] ….")
        }
        guard gateway == "worldline-direct" else {
            throw .usage("there is no gateway \(gateway); this version knows worldline-direct.")
        }
        let arguments = try Arguments(
            Array(words.dropFirst()),
            options: TokenOptions.options.union(TokenOptions.keyOptions).union(StatedOrder.options)
                .union(["--authorization-mode", "--requires-approval", "--merchant-reference"]),
            flags: TokenOptions.flags.union(["--dry-run-http"])
        )
        options = try TokenOptions(arguments, path: arguments.token())
        order = try StatedOrder(arguments)
        createPayment = WorldlineDirect.CreatePaymentOptions(
            authorizationMode: try Self.authorizationMode(arguments),
            requiresApproval: try Self.requiresApproval(arguments),
            merchantReference: try arguments.one("--merchant-reference")
        )
        isDryRun = arguments.has("--dry-run-http")
        decryptor = try options.decryptor(arguments)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let text = try options.text()
        do throws(PaymentTokenError) {
            let payment = try decryptor.decrypt(
                text, form: options.form, agePolicy: options.agePolicy)
            let request = try WorldlineDirect.createPayment(
                payment, order: try order.order(for: payment), options: createPayment)
            return write(request) ? .done : .means
        } catch {
            return Answer.refused(error).write() ? .refused : .means
        }
    }

    /// The body alone; or all of the request with the body masked.
    private func write(_ request: GatewayRequest) -> Bool {
        guard !isDryRun else {
            return StandardStream.output.write("\(request)\n")
        }
        let body = SecretBuffer()
        request.body?.withRevealedBytes { body.append($0) }
        body.append(UInt8(ascii: "\n"))
        return body.withSpan { StandardStream.output.write($0) }
    }

    private static func authorizationMode(
        _ arguments: Arguments
    ) throws(CommandFailure) -> WorldlineDirect.AuthorizationMode? {
        guard let text = try arguments.one("--authorization-mode") else { return nil }
        guard let mode = WorldlineDirect.AuthorizationMode(rawValue: text) else {
            let modes = WorldlineDirect.AuthorizationMode.allCases.map(\.rawValue)
            throw .usage(
                "--authorization-mode takes \(modes.joined(separator: ", ")), not \(text).")
        }
        return mode
    }

    private static func requiresApproval(_ arguments: Arguments) throws(CommandFailure) -> Bool? {
        guard let text = try arguments.one("--requires-approval") else { return nil }
        guard let value = Bool(text) else {
            throw .usage("--requires-approval takes true or false, not \(text).")
        }
        return value
    }
}
