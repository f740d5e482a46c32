internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let step = CommandOption(
        "--step", "NAME", "the step of the gateway's flow; default: \(Gateway.defaultStep)")
    static let encrypted = flag(
        "--encrypted", "verify the token without decrypting it; the gateway decrypts it")
    static let wholeRequest = flag(
        "--dry-run-http", "the whole request, its secrets and its body masked")
    static let curl = flag(
        "--curl", "the whole request, secrets included, as a configuration for curl --config -")
    static let curlFile = CommandOption(
        "--curl-file", "FILE",
        "write that configuration to a new file that only its owner can read (mode 0600)",
        kind: .file)
}

extension Arguments {
    /// Whether the request is written for curl.
    var isForCurl: Bool { has(.curl) || has(.curlFile) }

    /// Whether more than the body is written.
    fileprivate var isForSending: Bool { isForCurl || has(.wholeRequest) }
}

/// `paytoken request`: creates the request for one step of a gateway's flow.
struct RequestCommand {
    /// The command's name.
    static let name = "request"

    /// The options that all gateways' steps share if they take a token; `--keys` is mandatory if
    /// the step decrypts it.
    static let options = commonOptions + tokenOptions

    private static let commonOptions: [CommandOption] =
        [.step, .encrypted, .origin] + outputOptions
    private static let outputOptions: [CommandOption] = [.wholeRequest, .curl, .curlFile]
    private static let tokenOptions =
        KeyOptions.options + TokenOptions.options + StatedOrder.options + Batch.options

    /// The token's options and the object that creates requests from it; nil if the step takes no
    /// token.
    private let token: (options: TokenOptions, maker: RequestMaker)?

    private let batch: Batch?
    private let step: GatewayStep
    private let arguments: Arguments

    init(_ words: [String]) throws(CommandFailure) {
        let gateway = try Gateway.named(words.first, for: Self.name)
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
        if batch != nil, let option = arguments.first(of: Self.outputOptions) {
            throw .usage(
                "\(option) is for one request; leave out \(option) or \(CommandOption.batch).")
        }
        token = (options, try RequestMaker(step, arguments, options))
    }

    /// Returns the help of the gateway, or of one of its steps, if the command line names it.
    ///
    /// - Returns: nil if the command line does not name a gateway.
    /// - Throws: A usage failure for a step that the gateway does not have.
    static func help(_ words: [String]) throws(CommandFailure) -> String? {
        guard let gateway = words.dropFirst().first.flatMap(Gateway.init) else { return nil }
        let option = CommandOption.step.name
        let named = words.firstIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
        let joined = words.first { $0.hasPrefix("\(option)=") }
            .map { String($0.dropFirst(option.count + 1)) }
        guard let step = named ?? joined else { return Usage.forOutput.text(gateway) }
        return Usage.forOutput.text(gateway, steps: try gateway.stepsNamed(step))
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if let batch, let token {
            warn(token.maker)
            return try batch.run { line throws(CommandFailure) in
                try token.maker.answer(to: line)
            }
        }
        return try write(try request()) ? .done : .means
    }

    private func request() throws(CommandFailure) -> GatewayRequest {
        guard let token else {
            return try step.request(arguments, StepInput(payment: nil, token: nil, order: nil))
        }
        let request = try token.options.judging { text throws(CommandFailure) in
            try token.maker.request(of: text)
        }
        warn(token.maker)
        return request
    }

    /// Warns if the token is not decrypted, so that its amount and currency are not compared with
    /// the order.
    private func warn(_ maker: RequestMaker) {
        guard !maker.comparesOrder else { return }
        Notice.write(
            "warning: without \(CommandOption.keys) the token is not decrypted, so its amount and currency are "
                + "not compared with the order, and its transactionId is not proven.")
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
            throw .usage(
                "\(other) is not an option of the step \(step.name); `paytoken request \(gateway.rawValue) "
                    + "\(CommandOption.step) \(step.name) \(CommandOption.help)` lists its options."
            )
        }
        if step.input == .none, let operand = arguments.operands.first {
            throw .usage("the step \(step.name) takes no token; leave out \(operand).")
        }
        if arguments.has(.batch) {
            if let header = arguments.first(of: step.options.filter(\.isInHeader)) {
                throw .usage(
                    "\(header) sets a header, and \(CommandOption.batch) writes only bodies; leave out \(header)."
                )
            }
            options.removeAll(where: \.isInHeader)
        }
        if !arguments.isForSending {
            options = options.map { $0.isNeededToSend ? $0.optional : $0 }
        } else if !gateway.hasUsualOrigin {
            options.append(.origin.mandatory)
        }
        let reference = step.referenceOption
        if reference != nil, arguments.has(.batch) {
            guard arguments.has(.envelopes) else {
                throw .usage(
                    "each line of \(CommandOption.batch) is another order, with a reference of its own; add "
                        + "\(CommandOption.envelopes), and state the reference in each line.")
            }
            options = options.map { $0.isReference ? $0.optional : $0 }
        }
        try arguments.check(options, of: "\(gateway.rawValue) \(step.name)")
        if let reference, arguments.has(.batch), arguments.has(reference) {
            throw .usage(
                "\(reference) is the reference of one order, but each line of \(CommandOption.batch) is another one; "
                    + "leave out \(reference), and state the reference in each line.")
        }
        let outputs = outputOptions.filter(arguments.has)
        guard outputs.count <= 1 else {
            throw .usage("give only one of \(outputs.sentence).")
        }
        if let origin = arguments.text(.origin), !GatewayOrigin.isPermitted(origin) {
            throw .usage(
                "\(CommandOption.origin) takes https://HOST or https://HOST:PORT, without a slash at the end; "
                    + "plain http is for loopback addresses only, such as http://127.0.0.1:8080.")
        }
    }
}
