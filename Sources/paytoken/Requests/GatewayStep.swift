internal import ApplePayGateways
internal import ApplePayToken

/// One step of a gateway's flow, as the command offers it.
struct GatewayStep {
    /// What a step is made of: nothing, a verified token (`--encrypted`), or an opened one.
    enum Input { case none, verified, opened }

    /// The name; `payment` is the default step.
    let name: String

    /// What the step is made of.
    let input: Input

    /// The options with a value.
    let options: Set<String>

    /// The options without one.
    let flags: Set<String>

    /// The option that says what the merchant calls the order, where the step has one.
    var referenceOption: String?

    /// The options, none of them mandatory in a batch, of which the body says nothing.
    var headerOptions: Set<String> = []

    /// Makes the request.
    let make: @Sendable (Arguments, StepInput) throws(RequestFailure) -> GatewayRequest
}

/// What a step may be made of.
struct StepInput {
    /// The opened token.
    let payment: Payment?

    /// The verified token.
    let token: VerifiedToken?

    /// The order, where the token was opened.
    let order: Order?
}

/// Why a request could not be made.
enum RequestFailure: Error {
    /// The command line or the environment is at fault.
    case command(CommandFailure)

    /// The payment is refused.
    case token(PaymentTokenError)
}

/// The steps of a gateway.
protocol GatewayRequestCommand {
    /// Each step, once for each name and input.
    static var steps: [GatewayStep] { get }
}
