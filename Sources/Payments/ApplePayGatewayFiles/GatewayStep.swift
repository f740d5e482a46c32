package import ApplePayGateways
package import ApplePayPrimitives
package import ApplePayToken
package import FoundationEssentials

/// What a step of a gateway's flow needs beside the account.
package struct StepInput: Sendable {
    /// The parts of a step's input; the raw value is the name of the command's option.
    package enum Part: String, CaseIterable, Sendable {
        /// The token: opened, or verified if the gateway decrypts it.
        case token
        /// The order.
        case order
        /// The gateway's identifier of the payment.
        case paymentID = "payment-id"
        /// The gateway's identifier of the page or session.
        case sessionID = "session-id"
        /// The merchant's name of an operation.
        case operation
        /// The amount of an operation on a part of the payment.
        case amount
        /// The reason of a refund.
        case reason
        /// That nothing more will be captured.
        case isFinal = "final"
        /// The key of the attempt, instead of the one that is derived from the order's reference.
        case key
        /// The answer to the step before.
        case previous = "previous"
        /// The token that a login or a page gave.
        case accessToken = "access-token-env"
        /// The identifier of a card or a consent.
        case subject = "id"
        /// An address that a page was given.
        case url
    }

    /// The payment; nil unless the step has ``Part/token``.
    package var payment: AcceptedPayment?
    /// The order.
    package var order: Order?
    /// The attempt to pay the order, with the identifiers of the payment and its session.
    package var attempt: PaymentAttempt?
    /// The name of the operation.
    package var operation = ""
    /// The operation's amount in minor units; nil for all.
    package var amount: Int64?
    /// The reason of a refund.
    package var reason: String?
    /// Whether nothing more will be captured.
    package var isFinal: Bool?
    /// The answer to the step before.
    package var previous: GatewayResponse?
    /// The token that a login or a page gave.
    package var accessToken: SensitiveBytes?
    /// The identifier of a card or a consent.
    package var subject = ""
    /// An address that a page was given.
    package var url = ""
    /// When the request is sent, for its signature.
    package var date: Date

    /// Creates an input without parts.
    package init(at date: Date) { self.date = date }

    /// Returns the attempt.
    ///
    /// - Throws: `order` with code `invalid-reference`, if there is no order.
    func attempted() throws(PaymentTokenError) -> PaymentAttempt {
        guard let attempt else { throw PaymentTokenError(.invalidReference, member: "reference") }
        return attempt
    }

    /// Returns the token that a login or a page gave; one that says what is missing if it was not given, which is
    /// possible if the request is not sent.
    func token() -> SensitiveBytes { accessToken ?? SensitiveBytes(copying: "unset".utf8.span) }
}

/// How the answer to a step is read.
package enum AnswerReader: Sendable {
    /// The answer is about a payment.
    case payment(@Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport)
    /// The answer is about an operation with a key.
    case operation(
        PaymentOperation.Kind, @Sendable (GatewayResponse, _ key: String) -> PaymentReport,
        needsName: Bool)
    /// The answer prepares a payment and is about none, such as that of a login.
    case preparation(@Sendable (GatewayResponse) throws(UnreadableJSONError) -> Void)
    /// The answer is about a card on its way to Wallet.
    case card(@Sendable (GatewayResponse) -> CardOutcome)
    /// The answer is for the page in the customer's browser.
    case browser
}

/// One step of a gateway's flow: its declaration, and how its request is written and its answer is read.
package struct GatewayStep<Account: Sendable>: Sendable {
    /// Creates the request of a step.
    package typealias Maker =
        @Sendable (Account, StepInput) throws(PaymentTokenError) -> GatewayRequest

    let description: StepDescription
    let request: Maker
    let reader: @Sendable (Account) -> AnswerReader

    /// Declares a step.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - help: What the request does, one sentence.
    ///   - needs: The parts of its input that are mandatory.
    ///   - takes: The parts that are optional.
    ///   - request: Creates the request.
    ///   - reader: Returns the reader of the answer.
    init(
        _ name: String,
        _ help: String,
        needs: [StepInput.Part],
        takes: [StepInput.Part] = [],
        request: @escaping Maker,
        reader: @escaping @Sendable (Account) -> AnswerReader
    ) {
        description = StepDescription(name: name, help: help, needs: needs, takes: takes)
        self.request = request
        self.reader = reader
    }

    /// Declares a step whose reader depends on nothing.
    init(
        _ name: String,
        _ help: String,
        needs: [StepInput.Part],
        takes: [StepInput.Part] = [],
        reader: AnswerReader,
        request: @escaping Maker
    ) {
        self.init(name, help, needs: needs, takes: takes, request: request) { _ in reader }
    }
}

/// A step without the type of its account: the source of help and documentation.
package struct StepDescription: Sendable {
    /// The name.
    package let name: String
    /// What the request does, one sentence.
    package let help: String
    /// The parts of the input that are mandatory.
    package let needs: [StepInput.Part]
    /// The parts that are optional.
    package let takes: [StepInput.Part]
}

/// A step for one account.
package struct AccountStep: Sendable {
    /// The step.
    package let description: StepDescription
    /// Creates the request.
    package let request: @Sendable (StepInput) throws(PaymentTokenError) -> GatewayRequest
    /// Reads the answer.
    package let reader: AnswerReader
}

extension GatewayStep {
    /// Declares a capture, a cancellation or a refund of a gateway.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - name: The step's name.
    ///   - help: What the request does.
    ///   - needs: More mandatory parts of the input.
    ///   - takes: More optional parts.
    ///   - takesAmount: Whether a part of the amount can be done.
    ///   - status: The payment's status, if it decides which request is made.
    ///   - needsName: Whether the answer is found by the operation's key.
    ///   - gateway: Returns the gateway of an account.
    ///   - report: Reads the answer.
    /// - Returns: The step.
    static func operation(
        _ kind: PaymentOperation.Kind,
        _ name: String,
        _ help: String,
        needs: [StepInput.Part] = [],
        takes: [StepInput.Part] = [],
        takesAmount: Bool = true,
        status: String? = nil,
        needsName: Bool = false,
        gateway: @escaping @Sendable (Account, StepInput) -> any PaymentGateway,
        report: @escaping @Sendable (GatewayResponse, _ key: String) -> PaymentReport
    ) -> GatewayStep {
        GatewayStep(
            name, help, needs: [.order, .paymentID, .operation] + needs,
            takes: (takesAmount ? [.amount] : []) + takes,
            reader: .operation(kind, report, needsName: needsName)
        ) { account, input throws(PaymentTokenError) in
            let gateway = gateway(account, input)
            let attempt = try input.attempted()
            // The order's amount is what was authorized or captured; the command has no report.
            var payment = PaymentReport(gateway: gateway.name)
            payment.meaning = .booked
            payment.status = status
            if kind == .refund {
                payment.captured = attempt.amount
            } else {
                payment.authorized = attempt.amount
            }
            var operation = PaymentOperation(kind, amount: input.amount, name: input.operation)
            operation.reason = input.reason
            operation.isFinal = input.isFinal
            let call = try gateway.perform(operation, on: payment, of: attempt)
            return try call.request(at: input.date)
        }
    }
}
