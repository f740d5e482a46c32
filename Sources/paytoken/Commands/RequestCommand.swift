internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let step = CommandOption(
        "--step", "NAME", "another step of the gateway's flow than the payment")
    static let encrypted = flag(
        "--encrypted", "the token is verified and stays closed; the gateway opens it")
    static let wholeRequest = flag(
        "--dry-run-http", "the whole request, its secrets and its body masked")
}

/// `paytoken request`: creates the request for one step of a gateway's flow.
struct RequestCommand {
    /// The command's name.
    static let name = "request"

    /// The options that all gateways' steps share if they take a token; `--keys` is mandatory if
    /// the step decrypts it.
    static let options = commonOptions + tokenOptions

    private static let commonOptions: [CommandOption] = [.step, .encrypted, .wholeRequest]
    private static let tokenOptions =
        KeyOptions.options + TokenOptions.options + StatedOrder.options + Batch.options

    /// The token's options and the object that creates requests from it; nil if the step takes no
    /// token.
    private let token: (options: TokenOptions, maker: RequestMaker)?

    private let batch: Batch?
    private let step: GatewayStep
    private let arguments: Arguments

    init(_ words: [String]) throws(CommandFailure) {
        let gateway = try Self.gateway(words)
        arguments = try Arguments(
            Array(words.dropFirst()), gateway.steps.flatMap(\.options) + Self.options)
        step = try gateway.step(arguments)
        try Self.check(arguments, step, of: gateway)
        guard step.input != .none else {
            token = nil
            batch = nil
            return
        }
        let options = try TokenOptions(arguments, path: arguments.token())
        batch = try Batch(arguments, path: options.path)
        guard batch == nil || !arguments.has(.wholeRequest) else {
            throw .usage(
                "\(CommandOption.wholeRequest) shows one request; leave \(CommandOption.batch) out."
            )
        }
        token = (options, try RequestMaker(step, arguments, options))
    }

    /// Returns the help of the gateway that the command line names; nil if it names none.
    static func help(_ words: [String]) -> String? {
        words.dropFirst().first.flatMap(Gateway.init).map(Usage.text)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch, let token {
            warn(token.maker)
            return try batch.run { line throws(CommandFailure) in
                try token.maker.answer(to: line)
            }
        }
        return write(try request()) ? .done : .means
    }

    private func request() throws(CommandFailure) -> GatewayRequest {
        guard let token else {
            return try step.make(arguments, StepInput(payment: nil, token: nil, order: nil))
        }
        let request = try token.maker.request(of: try token.options.text())
        warn(token.maker)
        return request
    }

    /// Warns if the token is not decrypted, so that its amount and currency are not compared with
    /// the order.
    private func warn(_ maker: RequestMaker) {
        guard !maker.comparesOrder else { return }
        StandardStream.error.write(
            "paytoken: without \(CommandOption.keys) the token stays closed: its amount and currency were not "
                + "compared with an order, and its transactionId is not proven.\n")
    }

    /// Writes the body alone, or the whole request with its secrets masked.
    private func write(_ request: GatewayRequest) -> Bool {
        guard !arguments.has(.wholeRequest) else {
            return StandardStream.output.write("\(request)\n")
        }
        guard let body = request.body else {
            StandardStream.error.write(
                "paytoken: this request has no body; \(CommandOption.wholeRequest) prints the rest of it.\n"
            )
            return true
        }
        let line = SecretBuffer()
        body.withRevealedBytes { line.append($0) }
        line.append(UInt8(ascii: "\n"))
        return line.withSpan { StandardStream.output.writeAll($0) }
    }

    private static func gateway(_ words: [String]) throws(CommandFailure) -> Gateway {
        let names = Gateway.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = words.first, !name.hasPrefix("-") else {
            throw .usage("request needs a gateway's name: \(names).")
        }
        guard let gateway = Gateway(rawValue: name) else {
            throw .usage("there is no gateway \(name); this version knows \(names).")
        }
        return gateway
    }

    /// Refuses options that the step or a batch does not accept, and names all options that are
    /// missing.
    private static func check(
        _ arguments: Arguments,
        _ step: GatewayStep,
        of gateway: Gateway
    ) throws(CommandFailure) {
        var options = step.options + commonOptions
        if step.input != .none { options += tokenOptions }
        if step.input == .opened { options.append(.keys.mandatory) }
        if let other = arguments.name(outside: options) {
            throw .usage("\(other) is not an option of this step, \(step.name).")
        }
        if step.input == .none, let operand = arguments.operands.first {
            throw .usage("step \(step.name) takes no token; leave \(operand) out.")
        }
        if arguments.has(.batch) {
            if let header = arguments.first(of: step.options.filter(\.isInHeader)) {
                throw .usage(
                    "\(header) goes into a header, and \(CommandOption.batch) answers bodies; leave it out."
                )
            }
            options.removeAll(where: \.isInHeader)
        }
        // An envelope can state the reference, so the option is not mandatory then.
        if arguments.has(.envelopes) { options = options.map { $0.isReference ? $0.optional : $0 } }
        try arguments.check(options, of: "\(gateway.rawValue) \(step.name)")
    }
}
