internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken request`: the request that a gateway wants at one step of its flow.
struct RequestCommand {
    private static let commonOptions: Set = ["--step"]
    private static let commonFlags: Set = ["--encrypted", "--dry-run-http"]
    private static let tokenOptions = TokenOptions.options.union(TokenOptions.keyOptions)
        .union(StatedOrder.options).union(Batch.options)

    /// The token and what makes requests of it; nil where the step takes none.
    private let token: (options: TokenOptions, maker: RequestMaker)?

    private let batch: Batch?
    private let step: GatewayStep
    private let arguments: Arguments

    init(_ words: [String]) throws(CommandFailure) {
        let gateway = try Self.gateway(words)
        arguments = try Self.arguments(gateway, Array(words.dropFirst()))
        step = try gateway.step(arguments)
        try Self.checkOptions(step, arguments)
        guard step.input != .none else {
            guard arguments.operands.isEmpty else {
                throw .usage(
                    "step \(step.name) takes no token; leave \(arguments.operands[0]) out.")
            }
            token = nil
            batch = nil
            return
        }
        let options = try TokenOptions(arguments, path: arguments.token())
        batch = try Batch(arguments, path: options.path)
        guard batch == nil || !arguments.has("--dry-run-http") else {
            throw .usage("--dry-run-http shows one request; leave --batch out.")
        }
        token = (options, try RequestMaker(step, arguments, options))
    }

    /// The help of the gateway that the words name; nil when they name none.
    static func help(_ words: [String]) -> String? {
        words.first.flatMap(Gateway.init).map(GatewayHelp.text)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch, let token {
            warn(token.maker)
            return try batch.run { line in token.maker.answer(to: line) }
        }
        do throws(RequestFailure) {
            return try write(try request()) ? .done : .means
        } catch {
            switch error {
            case .command(let failure): throw failure
            case .token(let refusal): return Answer.refused(refusal).write() ? .refused : .means
            }
        }
    }

    private func request() throws(RequestFailure) -> GatewayRequest {
        guard let token else {
            return try step.make(arguments, StepInput(payment: nil, token: nil, order: nil))
        }
        let text: [UInt8]
        do throws(CommandFailure) {
            text = try token.options.text()
        } catch {
            throw .command(error)
        }
        let request = try token.maker.request(of: text)
        warn(token.maker)
        return request
    }

    /// Says when there is nothing to compare with the order.
    private func warn(_ maker: RequestMaker) {
        guard !maker.comparesOrder else { return }
        StandardStream.error.write(
            "paytoken: without --keys the token stays closed: its amount and currency were not "
                + "compared with an order, and its transactionId is not proven.\n")
    }

    /// The body alone; or all of the request with its secrets masked.
    private func write(_ request: GatewayRequest) throws(RequestFailure) -> Bool {
        guard !arguments.has("--dry-run-http") else {
            return StandardStream.output.write("\(request)\n")
        }
        guard let body = request.body else {
            StandardStream.error.write(
                "paytoken: this request has no body; --dry-run-http prints the rest of it.\n")
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

    /// The words sorted by the options of all of the gateway's steps.
    private static func arguments(
        _ gateway: Gateway,
        _ words: [String]
    ) throws(CommandFailure) -> Arguments {
        let steps = gateway.steps
        return try Arguments(
            words,
            options: steps.reduce(commonOptions.union(tokenOptions)) { $0.union($1.options) },
            flags: steps.reduce(commonFlags.union(TokenOptions.flags).union(Batch.flags)) {
                $0.union($1.flags)
            })
    }

    /// Refuses options that the step does not have, or that a batch's answers say nothing of.
    private static func checkOptions(
        _ step: GatewayStep,
        _ arguments: Arguments
    ) throws(CommandFailure) {
        var known = step.options.union(step.flags).union(commonOptions).union(commonFlags)
        if step.input != .none {
            known.formUnion(tokenOptions)
            known.formUnion(TokenOptions.flags.union(Batch.flags))
        }
        if let other = arguments.names.subtracting(known).min() {
            throw .usage("\(other) is not an option of this step, \(step.name).")
        }
        guard arguments.has("--batch"),
            let header = arguments.names.intersection(step.headerOptions).min()
        else { return }
        throw .usage("\(header) goes into a header, and --batch answers bodies; leave it out.")
    }
}
