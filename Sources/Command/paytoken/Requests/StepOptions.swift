internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let paymentID = CommandOption(
        "--payment-id", "ID", "the gateway's identifier of the payment")
    static let sessionID = CommandOption(
        "--session-id", "ID", "the gateway's identifier of the page or session")
    static let operationName = CommandOption(
        "--operation", "NAME",
        "your name for the operation, such as refund-1: the same for a repetition, another one for another operation"
    )
    static let partAmount = amount.described(
        "the operation's amount in minor units; default: all of it")
    static let reason = CommandOption("--reason", "TEXT", "why, for the gateway's records")
    static let isFinal = boolean("--final", "whether nothing more will be captured")
    static let key = CommandOption(
        keyPath.name, "KEY",
        "the attempt's key, so that a repetition charges once; default: one that is derived from the order's "
            + "reference")
    static let previous = CommandOption(
        "--previous", "FILE", "the body of the answer to the step before", kind: .file)
    static let accessToken = secret(
        "--access-token-env", "the token that a login or a page gave; needed to send the request")
    static let subject = CommandOption("--id", "ID", "the card, or the consent")
    static let url = CommandOption("--url", "URL", "the address that the step needs")
    static let signingDate = CommandOption(
        "--date", "TIME", "the time that is signed; default: now", kind: .time)
}

extension StepInput.Part {
    /// The option that gives this part; nil for the token, which is an operand.
    var option: CommandOption? {
        switch self {
        case .token: nil
        case .order: .order
        case .paymentID: .paymentID
        case .sessionID: .sessionID
        case .operation: .operationName
        case .amount: .partAmount
        case .reason: .reason
        case .isFinal: .isFinal
        case .key: .key
        case .previous: .previous
        case .accessToken: .accessToken
        case .subject: .subject
        case .url: .url
        }
    }
}

extension StepDescription {
    /// Whether the step takes a token.
    var takesToken: Bool { needs.contains(.token) }

    /// The options for the step's input, the mandatory ones first.
    var options: [CommandOption] {
        needs.compactMap { $0.option?.mandatory } + takes.compactMap(\.option)
    }
}

extension GatewayAccount {
    /// Returns the step that a command line names.
    func step(_ name: String) throws(CommandFailure) -> AccountStep {
        if let step = steps.first(where: { $0.description.name == name }) { return step }
        let names = steps.map(\.description.name)
        throw .usage(
            "\(self.name) has no step \(name); \(names.question(about: name))its steps are \(names.sentence)."
        )
    }

    /// Checks the answer to the step before another step, which `--previous` gives.
    ///
    /// - Parameters:
    ///   - previous: The answer; nil if it was not given.
    ///   - step: The other step.
    ///   - path: The answer's file, for messages.
    /// - Throws: A usage failure that names the member at fault.
    func check(
        _ previous: GatewayResponse?, before step: AccountStep, path: String?
    ) throws(CommandFailure) {
        let names = steps.map(\.description.name)
        guard let previous, let path, let index = names.firstIndex(of: step.description.name),
            index > 0, case .preparation(let read) = steps[index - 1].reader
        else { return }
        do throws(UnreadableJSONError) {
            try read(previous)
        } catch {
            throw .usage(
                "\(path) is not the body of the answer to the step \(names[index - 1]): \(error) Give "
                    + "\(CommandOption.previous) that body, without the headers.")
        }
    }
}

extension Arguments {
    /// All options for the input of steps.
    static let stepOptions = StepInput.Part.allCases.compactMap(\.option)

    /// Refuses options that a step does not take, and requires those that it needs, and some more.
    func check(
        _ step: StepDescription, of gateway: String, and more: [CommandOption]
    ) throws(CommandFailure) {
        let allowed = step.options
        if let other = Self.stepOptions.first(where: { has($0) && !allowed.contains($0) }) {
            throw .usage(
                "\(other) is not an option of the step \(step.name) of \(gateway); leave it out.")
        }
        let mandatory = allowed.filter(\.isMandatory)
        try require(
            mandatory + more.filter { !mandatory.contains($0) },
            for: "the step \(step.name) of \(gateway)")
    }

    /// Returns the input of a step, without a token.
    ///
    /// - Parameter order: The order; nil if the step has none.
    /// - Returns: The input.
    /// - Throws: The refusal of the order's reference, a usage failure, or a failure to read a file or a secret.
    func input(_ order: Order?) throws(CommandFailure) -> StepInput {
        guard let order else { return try input() }
        return try input(order, attempt(order))
    }

    /// Returns the input of a step, without a token, for an attempt to pay an order.
    func input(_ order: Order, _ attempt: PaymentAttempt) throws(CommandFailure) -> StepInput {
        var input = try input()
        input.order = order.referring(to: attempt.orderReference)
        input.attempt = attempt
        return input
    }

    private func input() throws(CommandFailure) -> StepInput {
        var input = StepInput(at: try time(.signingDate) ?? Date())
        input.operation = text(.operationName) ?? ""
        input.amount = try number(.partAmount)
        input.reason = text(.reason)
        input.isFinal = try boolean(.isFinal)
        if let path = text(.previous) {
            let body = try FileContents.bytes(of: path, limit: 1 << 20)
            input.previous = GatewayResponse(status: 200, body: body)
        }
        if has(.accessToken) { input.accessToken = try secret(.accessToken) }
        input.subject = text(.subject) ?? ""
        input.url = text(.url) ?? ""
        return input
    }

    /// Returns the attempt to pay an order, whose reference can be that of a later slot, such as `order-1001.r2`.
    ///
    /// - Throws: The refusal of the order's reference or of the key.
    func attempt(_ order: Order) throws(CommandFailure) -> PaymentAttempt {
        let (order, slot) = order.slot
        var attempt =
            if let key = text(.key) {
                try refusing(try PaymentAttempt(order, slot: slot, key: key))
            } else {
                try refusing(try PaymentAttempt(order, slot: slot))
            }
        attempt.paymentID = text(.paymentID)
        attempt.sessionID = text(.sessionID)
        return attempt
    }

    /// Returns the result of work on the one order of a command line, whose reference is then a fault of its file: the
    /// exit status of a refusal would mean that the payment was refused.
    static func forOneOrder<Value>(
        _ work: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(CommandFailure) {
            return try work()
        } catch {
            throw error.refusal?.code == .invalidReference ? .usage(error.explanation) : error
        }
    }
}

extension Order {
    /// Returns this order with another reference.
    func referring(to reference: String) -> Order {
        var order = Order(
            reference: reference, amount: amount, currency: currency,
            applicationData: applicationData, merchants: merchants, zeroAmount: zeroAmount)
        order.description = description
        order.language = language
        order.returnURL = returnURL
        order.notificationURL = notificationURL
        order.customerReference = customerReference
        order.storedCards = storedCards
        order.fee = fee
        order.customer = customer
        order.customerIP = customerIP
        order.shipping = shipping
        order.items = items
        return order
    }

    /// The order and the number of its slot, if the reference is that of a later slot; otherwise this order and 1.
    fileprivate var slot: (order: Order, number: Int) {
        guard let dot = reference.lastIndex(of: "."),
            let number = Int(reference[dot...].dropFirst(2))
        else { return (self, 1) }
        let order = referring(to: String(reference[..<dot]))
        let attempt = try? PaymentAttempt(order, slot: number)
        return attempt?.reference == reference ? (order, number) : (self, 1)
    }
}
