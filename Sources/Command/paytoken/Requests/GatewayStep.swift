internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// How the answer to a step is read.
enum AnswerReader: Sendable {
    /// The answer is about a payment.
    case payment(@Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport)

    /// The answer is about a payment that was just made, and does not state whether it will be captured; the request did,
    /// or left it to the gateway (nil).
    case charge(@Sendable (GatewayResponse, _ captures: Bool?) -> PaymentReport)

    /// The answer is about a capture, a cancellation or a refund.
    case operation(
        PaymentOperation.Kind, @Sendable (GatewayResponse) -> PaymentReport)

    /// The answer lists the operations of a payment, and the one with this key is looked for.
    case listedOperation(
        PaymentOperation.Kind, @Sendable (GatewayResponse, _ key: String) -> PaymentReport)

    /// The answer prepares a payment and is about none, such as that of a login.
    case preparation(@Sendable (GatewayResponse) throws(UnreadableJSONError) -> Void)

    /// The answer is about a card on its way to Wallet.
    case card(@Sendable (GatewayResponse) -> CardOutcome)

    /// Whether the answer is about a payment, so that it is compared with an order.
    var isAboutPayment: Bool {
        switch self {
        case .payment, .charge, .operation, .listedOperation: true
        case .preparation, .card: false
        }
    }

    /// Returns a reader of an answer about a payment that does not depend on the order.
    static func payment(
        _ read: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) -> AnswerReader {
        .payment { response, _ in read(response) }
    }
}

/// One step of a gateway's flow, as a command.
struct GatewayStep {
    /// The token that a step takes: none, a verified one (`--encrypted`), or an opened one.
    enum Input { case none, verified, opened }

    /// Creates the request of a step.
    typealias Maker =
        @Sendable (Arguments, StepInput) throws(CommandFailure) -> GatewayRequest

    /// The name; `payment` is the default step.
    let name: String

    /// The token that the step takes.
    let input: Input

    /// The step's own options; every step that takes a token also has the options of tokens, of the order and of
    /// batches.
    let options: [CommandOption]

    /// Reads the gateway's answer to the step; nil if the answer is not meant for the merchant.
    let answer: AnswerReader?

    /// Creates the request.
    let make: Maker

    /// Declares a step.
    init(
        name: String,
        input: Input = .none,
        options: [CommandOption],
        answer: AnswerReader?,
        make: @escaping Maker
    ) {
        self.name = name
        self.input = input
        // Only a step with a token can be in a batch, which leaves headers out.
        self.options = input == .none ? options.map(\.forOneRequest) : options
        self.answer = answer
        self.make = make
    }

    /// Returns the request for a command line; a reference that no order can have is a fault of the command line.
    func request(
        _ arguments: Arguments,
        _ input: StepInput
    ) throws(CommandFailure) -> GatewayRequest {
        do throws(CommandFailure) {
            return try make(arguments, input)
        } catch {
            let isReference = error.refusal?.code == .invalidReference
            throw isReference ? .usage(error.explanation) : error
        }
    }

    /// The option for the merchant's reference to the order, if the step has one.
    var referenceOption: CommandOption? { options.first(where: \.isReference) }
}

/// The input of a step.
struct StepInput {
    /// The opened token.
    let payment: Payment?

    /// The verified token.
    let token: VerifiedToken?

    /// The order, if the token was opened.
    let order: Order?

    /// Returns the payment that a step sends, of the token that it takes.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - reference: The step's option for the merchant's reference.
    ///   - key: The step's option for the idempotency key; nil if the step has none.
    ///   - complete: Adds to the order what other options state.
    /// - Returns: The payment, which no ledger claimed.
    /// - Throws: A usage failure about the order, or the refusal of the payment.
    func payment(
        _ arguments: Arguments,
        _ reference: CommandOption,
        key: CommandOption? = nil,
        _ complete: (inout Order) throws(CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) -> AcceptedPayment {
        var stated = try arguments.order(reference, compared: order)
        let attempt = try arguments.attempt(stated, key: key)
        stated = stated.referring(to: attempt.orderReference)
        try complete(&stated)
        if let payment {
            return try refusing(
                try AcceptedPayment(unclaimed: payment, order: stated, attempt: attempt))
        }
        let token = try verified()
        return try refusing(
            try AcceptedPayment(unclaimed: token, order: stated, attempt: attempt))
    }

    /// Returns the verified token.
    func verified() throws(CommandFailure) -> VerifiedToken {
        guard let token else { throw .usage("this step needs a token.") }
        return token
    }
}

extension Order {
    /// Returns this order with another reference.
    func referring(to reference: String) -> Order {
        Order(
            reference: reference, amount: amount, currency: currency,
            applicationData: applicationData, merchants: merchants, zeroAmount: zeroAmount)
    }

    /// The order and the number of its slot, if the reference is that of a later slot, such as `order-1001.r2`;
    /// otherwise this order and 1.
    fileprivate var slot: (order: Order, number: Int) {
        guard let dot = reference.lastIndex(of: "."),
            let number = Int(reference[dot...].dropFirst(2))
        else { return (self, 1) }
        let order = referring(to: String(reference[..<dot]))
        let attempt = try? PaymentAttempt(order, slot: number)
        return attempt?.reference == reference ? (order, number) : (self, 1)
    }
}

extension Arguments {
    /// Returns the order of the options, with the merchant's reference.
    ///
    /// - Parameters:
    ///   - reference: The option for the reference, which an order's file can state, too.
    ///   - compared: The order with which an opened token was compared; nil if there is none.
    /// - Returns: The order.
    /// - Throws: A usage failure that names what is missing, or what is stated twice.
    func order(
        _ reference: CommandOption,
        compared: Order? = nil
    ) throws(CommandFailure) -> Order {
        let order: Order
        if let compared { order = compared } else { order = try statedOrder(reference) }
        guard let text = text(reference) else {
            guard order.reference.isEmpty, let path = self.text(.order) else { return order }
            throw .usage(
                "the order in \(path) has no reference; add the member reference, or give \(reference.usage)."
            )
        }
        guard order.reference.isEmpty || order.reference == text else {
            throw .usage(
                "\(reference) \(text) differs from the reference in the order's file, \(order.reference)."
            )
        }
        return order.referring(to: text)
    }

    /// Returns the order of the options; its reference is that of the file, if it has one.
    private func statedOrder(_ reference: CommandOption) throws(CommandFailure) -> Order {
        let parts: [CommandOption] = [.amount, .currency]
        if let path = text(.order) {
            guard !hasAny(parts) else {
                throw .usage(
                    "\(CommandOption.order) states the whole order; leave out \(parts.sentence).")
            }
            return try OrderFile.order(path)
        }
        let missing = ([reference] + parts).filter { !has($0) }
        guard missing.isEmpty, let amount = try number(.amount),
            let currency = try currency(.currency)
        else {
            throw .usage(
                "the order needs \(missing.map(\.usage).sentence), or \(CommandOption.order.usage)."
            )
        }
        return Order(reference: "", amount: amount, currency: currency)
    }

    /// Returns the attempt to pay an order, with the key of an option if it is given.
    ///
    /// - Parameters:
    ///   - order: The order; its reference can be that of a later slot, such as `order-1001.r2`.
    ///   - key: The option for the key.
    /// - Returns: The attempt.
    /// - Throws: The refusal of the reference, or a failure of libcrypto.
    func attempt(
        _ order: Order,
        key: CommandOption? = nil
    ) throws(CommandFailure) -> PaymentAttempt {
        let (order, slot) = order.slot
        guard let key = key.flatMap({ text($0) }) else {
            return try refusing(try PaymentAttempt(order, slot: slot))
        }
        return try refusing(try PaymentAttempt(order, slot: slot, key: key))
    }

    /// Returns an attempt for a request that contains nothing of the order but its reference, if that.
    func anyAttempt(
        _ reference: String = "any",
        key: CommandOption? = nil
    ) throws(CommandFailure) -> PaymentAttempt {
        guard let currency = Currency(alphabetic: "EUR") else {
            throw .usage("the order has no currency.")
        }
        return try attempt(Order(reference: reference, amount: 0, currency: currency), key: key)
    }

    /// Returns a gateway's answer to the previous step, from a file of at most 1 MiB.
    func answer(_ option: CommandOption) throws(CommandFailure) -> GatewayResponse {
        let body = try FileContents.bytes(of: try required(option), limit: 1 << 20)
        return GatewayResponse(status: 200, body: body)
    }
}

extension GatewayStep {
    /// Returns a step that captures, cancels or refunds.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - name: The step's name.
    ///   - id: The option for the payment's identifier.
    ///   - options: The step's other options.
    ///   - status: The payment's status, if it decides which request is made.
    ///   - answer: Reads the answer.
    ///   - gateway: Creates the gateway from the options.
    /// - Returns: The step.
    static func operation(
        _ kind: PaymentOperation.Kind,
        name: String,
        id: CommandOption,
        _ options: [CommandOption],
        status: String? = nil,
        answer: AnswerReader,
        gateway: @escaping @Sendable (Arguments) throws(CommandFailure) -> any PaymentGateway
    ) -> GatewayStep {
        GatewayStep(
            name: name,
            options: [
                id.mandatory, .orderReference.mandatory, .operationName.mandatory,
                .authorizedAmount.mandatory, .currency.mandatory, .partAmount,
            ] + options, answer: answer
        ) { arguments, _ throws(CommandFailure) in
            let gateway = try gateway(arguments)
            let authorized = try arguments.authorized()
            var attempt = try arguments.attempt(authorized)
            attempt.paymentID = try arguments.required(id)
            var report = PaymentReport(gateway: gateway.name)
            report.meaning = .booked
            if kind == .refund {
                report.captured = authorized.amount
            } else {
                report.authorized = authorized.amount
            }
            report.status = status
            var operation = PaymentOperation(
                kind, amount: try arguments.number(.partAmount),
                name: try arguments.required(.operationName))
            operation.reason = arguments.text(.reason)
            operation.isFinal = try arguments.boolean(.isFinal)
            let call = try refusing(try gateway.perform(operation, on: report, of: attempt))
            let date = try arguments.time(.signingDate) ?? Date()
            return try refusing(try call.request(at: date))
        }
    }

    /// Returns a step that asks for the state of a payment.
    ///
    /// - Parameters:
    ///   - name: The step's name.
    ///   - options: The step's options.
    ///   - read: Reads the answer.
    ///   - make: Creates the request.
    /// - Returns: The step.
    static func question(
        _ name: String,
        _ options: [CommandOption],
        _ read: @escaping @Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport,
        make: @escaping @Sendable (Arguments) throws(CommandFailure) -> GatewayRequest
    ) -> GatewayStep {
        GatewayStep(name: name, options: options, answer: .payment(read)) {
            arguments, _ throws(CommandFailure) in try make(arguments)
        }
    }
}

extension Arguments {
    /// Returns the payment of an operation: the order's reference, `--authorized-amount` and `--currency`.
    func authorized() throws(CommandFailure) -> Order {
        guard let amount = try number(.authorizedAmount), let currency = try currency(.currency)
        else {
            let parts: [CommandOption] = [.authorizedAmount, .currency]
            throw .usage("this step needs \(parts.sentence).")
        }
        return Order(
            reference: try required(.orderReference), amount: amount, currency: currency)
    }
}

/// The steps of a gateway.
protocol GatewayRequestCommand {
    /// The steps, one for each name and input.
    static var steps: [GatewayStep] { get }
}
