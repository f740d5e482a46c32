package import ApplePayGateways
package import ApplePayPrimitives
package import ApplePayToken
package import FoundationEssentials

/// The input of a step of a gateway's flow, in addition to the account.
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
        guard let attempt else { throw .gateway(.invalidReference, "reference") }
        return attempt
    }

    /// Returns the order.
    ///
    /// - Throws: `order` with code `invalid-reference`, if there is none.
    func ordered() throws(PaymentTokenError) -> Order {
        guard let order else { throw .gateway(.invalidReference, "reference") }
        return order
    }

    /// Returns the payment.
    ///
    /// - Throws: `gateway` with code `token-not-decrypted`, if there is none.
    func accepted() throws(PaymentTokenError) -> AcceptedPayment {
        guard let payment else { throw .gateway(.tokenNotDecrypted, "token") }
        return payment
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

/// A step without its account: the source of help and documentation.
package struct StepDescription: Sendable {
    /// The name.
    package let name: String
    /// One sentence on the request.
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

    /// Declares a step, with a sentence on what the request does, and the mandatory and optional parts of its input.
    init(
        _ name: String, _ help: String, needs: [StepInput.Part], takes: [StepInput.Part] = [],
        reader: AnswerReader,
        request: @escaping @Sendable (StepInput) throws(PaymentTokenError) -> GatewayRequest
    ) {
        description = StepDescription(name: name, help: help, needs: needs, takes: takes)
        self.reader = reader
        self.request = request
    }

    /// Declares a login with OAuth 2.0.
    static func login(
        _ request: @escaping @Sendable () throws(PaymentTokenError) -> GatewayRequest
    ) -> AccountStep {
        AccountStep(
            "login", "Asks for an access token.", needs: [],
            reader: .prepares(OAuthCredentials.accessToken)
        ) { _ throws(PaymentTokenError) in try request() }
    }

    /// Declares the payment at a gateway that charges with one request.
    static func payment(
        _ gateway: @escaping @Sendable (StepInput) -> any PaymentGateway,
        takes: [StepInput.Part] = [.key],
        report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) -> AccountStep {
        AccountStep(
            "payment", "Charges or reserves the order's amount.", needs: [.token, .order],
            takes: takes, reader: .payment { response, _ in report(response) }
        ) { input throws(PaymentTokenError) in
            try gateway(input).payment(try input.accepted()).request(at: input.date)
        }
    }

    /// Declares a harmless query for the state of a payment.
    static func query(
        _ name: String, _ help: String, needs: [StepInput.Part] = [], takes: [StepInput.Part] = [],
        _ gateway: @escaping @Sendable (StepInput) -> any PaymentGateway,
        report: @escaping @Sendable (GatewayResponse, PaymentAttempt) -> PaymentReport
    ) -> AccountStep {
        AccountStep(name, help, needs: [.order] + needs, takes: takes, reader: .payment(report)) {
            input throws(PaymentTokenError) in
            try gateway(input).status(of: input.attempted()).request(at: input.date)
        }
    }

    /// Declares a capture, a cancellation or a refund, with the name and the sentence of its kind unless others are
    /// given.
    ///
    /// `takesAmount` is whether a part of the amount can be done, `status` the payment's status if it decides which
    /// request is made, and `needsName` whether the answer is found by the operation's key.
    static func operation(
        _ kind: PaymentOperation.Kind, _ name: String? = nil, _ help: String? = nil,
        needs: [StepInput.Part] = [], takes: [StepInput.Part] = [], takesAmount: Bool = true,
        status: String? = nil, needsName: Bool = false,
        _ gateway: @escaping @Sendable (StepInput) -> any PaymentGateway,
        report: @escaping @Sendable (GatewayResponse, _ key: String) -> PaymentReport
    ) -> AccountStep {
        let usual =
            switch kind {
            case .capture: ("capture", "Charges the reserved amount or a part of it.")
            case .cancellation: ("cancel", "Releases the reserved amount.")
            case .refund: ("refund", "Gives back the charged amount or a part of it.")
            }
        return AccountStep(
            name ?? usual.0, help ?? usual.1, needs: [.order, .paymentID, .operation] + needs,
            takes: (takesAmount ? [.amount] : []) + takes,
            reader: .operation(kind, report, needsName: needsName)
        ) { input throws(PaymentTokenError) in
            let (gateway, attempt) = (gateway(input), try input.attempted())
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
            return try gateway.perform(operation, on: payment, of: attempt)
                .request(at: input.date)
        }
    }
}

extension AnswerReader {
    /// Reads an answer that must contain a value, which is not used.
    static func prepares<Value>(
        _ read: @escaping @Sendable (GatewayResponse) throws(UnreadableJSONError) -> Value
    ) -> AnswerReader {
        .preparation { response throws(UnreadableJSONError) in _ = try read(response) }
    }
}

extension SensitiveBytes {
    /// The value of a mandatory secret before a file is read.
    static var unset: SensitiveBytes { SensitiveBytes(copying: [UInt8]().span) }
}
