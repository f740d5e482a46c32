internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension CommandOption {
    static let wholeRequest = flag(
        "--dry-run-http", "the whole request, its secrets and its body masked")
    static let curl = flag(
        "--curl", "the whole request, secrets included, as a configuration for curl -q --config -")
    static let curlFile = CommandOption(
        "--curl-file", "FILE",
        "write that configuration to a new file that only its owner can read (mode 0600)",
        kind: .file)
    static let orderFile = order.described("the order file: one order, as JSON")
}

extension Arguments {
    /// Whether the request is written for curl.
    var isForCurl: Bool { has(.curl) || has(.curlFile) }

    /// Whether more than the body is written.
    fileprivate var isForSending: Bool { isForCurl || has(.wholeRequest) }

    /// Returns the order of `--order`, which must have a reference; nil without the option.
    func orderFromFile() throws(CommandFailure) -> Order? {
        try has(.order) ? requiredOrder() : nil
    }

    /// Returns the order of `--order`, which must be given and have a reference.
    func requiredOrder() throws(CommandFailure) -> Order {
        try OrderFile.order(required(.order), needsReference: true)
    }
}

/// `paytoken request`: creates the request for one step of a gateway's flow.
struct RequestCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.gateway.mandatory, .orderFile]
        + Arguments.stepOptions.filter { $0.name != CommandOption.order.name }
        + [.signingDate] + outputOptions + tokenOptions

    private static let outputOptions: [CommandOption] = [.wholeRequest, .curl, .curlFile]
    private static let tokenOptions =
        KeyOptions.options + TokenOptions.options + Batch.options

    /// The payments for which requests are created.
    private enum Subject {
        /// One, whose step takes no token; some steps need its order.
        case withoutToken(AccountStep, Order?)

        /// One with a token.
        case token(TokenOptions, RequestMaker, Order)

        /// Those of a batch, each with its token and order.
        case batch(Batch, RequestMaker)
    }

    private let subject: Subject
    private let arguments: Arguments

    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        guard let name = arguments.operands.first else {
            throw .usage("request needs the name of a step; \(GatewayFile.steps(arguments))")
        }
        let account = try GatewayFile.account(arguments)
        let step = try account.step(name)
        try Self.check(arguments, step.description, account)
        guard step.description.takesToken else {
            subject = .withoutToken(step, try arguments.orderFromFile())
            return
        }
        let options = try TokenOptions(arguments, path: arguments.operands.dropFirst().first ?? "-")
        if let batch = try Batch(arguments, path: options.path) {
            subject = .batch(batch, try RequestMaker(step, account, arguments, options))
        } else {
            let order = try arguments.requiredOrder()
            subject = .token(options, try RequestMaker(step, account, arguments, options), order)
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let request: GatewayRequest
        switch subject {
        case .withoutToken(let step, let order):
            request = try Arguments.forOneOrder { () throws(CommandFailure) in
                let input = try arguments.input(order)
                return try refusing(try step.request(input))
            }
        case .token(let options, let maker, let order):
            do throws(CommandFailure) {
                request = try options.judging { text throws(CommandFailure) in
                    try Arguments.forOneOrder { () throws(CommandFailure) in
                        try maker.request(of: text, for: order)
                    }
                }
            } catch {
                // curl would read the refusal as its configuration.
                guard arguments.has(.curl), error.refusal != nil else { throw error }
                Notice.write(
                    "\(error.explanation) Nothing was written for curl, so it sends nothing.")
                return error.status
            }
            maker.opener.warn()
        case .batch(let batch, let maker):
            maker.opener.warn()
            return try batch.run { line throws(CommandFailure) in try maker.answer(to: line) }
        }
        return try write(request) ? .done : .means
    }

    /// Writes the body without a trailing line feed, or the whole request, masked or for curl.
    private func write(_ request: GatewayRequest) throws(CommandFailure) -> Bool {
        guard !arguments.has(.wholeRequest) else {
            return StandardStream.output.write("\(request)\n")
        }
        guard !arguments.isForCurl else {
            let configuration = try CurlConfiguration.text(request)
            guard let path = arguments.text(.curlFile) else {
                return configuration.withRevealedBytes { StandardStream.output.writeAll($0) }
            }
            try failing { () throws(FileError) in
                try ExclusiveFile.create(path, mode: 0o600, contents: configuration)
            }
            return true
        }
        guard let body = request.body else {
            Notice.write(
                "this request has no body; \(CommandOption.wholeRequest) prints its method, address and headers."
            )
            return true
        }
        return body.withRevealedBytes { StandardStream.output.writeAll($0) }
    }

    /// Refuses options that the step or a batch does not accept, and requires those that are missing.
    private static func check(
        _ arguments: Arguments,
        _ step: StepDescription,
        _ account: GatewayAccount
    ) throws(CommandFailure) {
        if let option = arguments.first(of: tokenOptions), !step.takesToken {
            throw .usage("the step \(step.name) takes no token; leave out \(option).")
        }
        let operands = arguments.operands.dropFirst()
        if let operand = operands.first, !step.takesToken {
            throw .usage("the step \(step.name) takes no token; leave out \(operand).")
        }
        if let operand = operands.dropFirst().first {
            throw .usage("one token at a time: leave out \(operand).")
        }
        let keys: [CommandOption] = account.form == .decrypted && step.takesToken ? [.keys] : []
        if arguments.has(.batch) {
            try checkBatch(arguments)
            try arguments.require(keys, for: "the step \(step.name) of \(account.name)")
        } else {
            let sends = arguments.isForSending && step.takes.contains(.accessToken)
            try arguments.check(step, of: account.name, and: keys + (sends ? [.accessToken] : []))
        }
        let outputs = outputOptions.filter(arguments.has)
        guard outputs.count <= 1 else {
            throw .usage("give only one of \(outputs.sentence).")
        }
    }

    /// Refuses what a batch cannot have: each of its lines has its own order, and only bodies are written.
    private static func checkBatch(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.has(.envelopes) else {
            throw .usage(
                "each line of \(CommandOption.batch) is another order, with a reference of its own; add "
                    + "\(CommandOption.envelopes), and state the reference in each line.")
        }
        let single = Arguments.stepOptions.filter { $0.name != CommandOption.order.name }
        if let option = arguments.first(of: single + outputOptions) {
            throw .usage(
                "\(option) is for one request; leave out \(option) or \(CommandOption.batch).")
        }
    }
}
