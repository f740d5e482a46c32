import ApplePayTransport

/// A gateway of the sandbox: its requests, its messages and the form of its errors.
struct SandboxGateway: Sendable {
    /// How a gateway recognizes a repeated request.
    struct Idempotency: Sendable {
        /// The header with the key.
        let header: String

        /// Whether another request with the same key is an error; otherwise it receives the first answer.
        let refusesOtherRequests: Bool

        /// The maximum number of characters of a key.
        var length = 255

        /// Whether answers other than 2xx are kept too.
        var keepsFailures = true

        /// Whether a key counts only for requests with the same path.
        var isPerPath = false

        /// Returns the answer to a repeated request.
        var replay: @Sendable (PaymentBook.KeptAnswer, Call, inout PaymentBook) -> SandboxAnswer = {
            kept, _, _ in kept.answer
        }
    }

    /// The gateway's name, such as `worldline-direct`.
    let name: String

    /// The credentials of its requests.
    var credentials = Credentials.open

    /// Returns a merchant's account as the members of a gateway file, with a secret where one is needed; nil if no
    /// merchant has an account.
    var account: (@Sendable (_ secret: JSON) -> JSON)?

    /// The secret that a merchant is given, in the vendor's form.
    var secret = Sandbox.secret

    /// Returns the key that verifies messages, PEM, for a gateway that signs them with another key than the secret.
    var publicKey: (@Sendable () throws -> String)?

    /// Returns the gateway's message about a change, or nil if it has none; nil if the gateway has no messages.
    var message: (@Sendable (PaymentChange, ShopAddress) -> GatewayRequest?)?

    /// How repeated requests are recognized; nil if the gateway does not recognize them.
    var idempotency: Idempotency?

    /// The rare scenarios that the gateway has an answer for.
    var rareScenarios: Set<Scenario> = []

    /// Whether the gateway takes payments.
    var takesPayments = true

    /// The number of decimals of the gateway's amounts in a currency.
    var decimals: @Sendable (SandboxCurrency) -> Int = { $0.decimals }

    /// Returns a payment of another channel, such as a card form, with a result; nil if the gateway refuses its reference.
    ///
    /// Gateways for which it is nil have no such payments.
    var foreign: (@Sendable (Purchase, Scenario, inout PaymentBook) -> SandboxPayment?)?

    /// Returns an error in the gateway's format.
    let fault: @Sendable (Fault, SandboxRequest) -> SandboxAnswer

    /// The requests that the gateway answers.
    let routes: [Route]

    /// Returns an amount in the gateway's units as minor units of ISO 4217.
    func minorUnits(_ amount: Int64, _ currency: String?) -> Int64 {
        guard let currency = SandboxCurrency(currency) else { return amount }
        return Self.scaled(amount, by: currency.decimals - decimals(currency))
    }

    /// Returns an amount in minor units of ISO 4217 in the gateway's units.
    func units(_ amount: Int64, _ currency: SandboxCurrency) -> Int64 {
        Self.scaled(amount, by: decimals(currency) - currency.decimals)
    }

    private static func scaled(_ amount: Int64, by digits: Int) -> Int64 {
        let power = (0..<abs(digits)).reduce(Int64(1)) { power, _ in power * 10 }
        return digits < 0 ? amount / power : amount &* power
    }
}

/// A reason why a request fails.
enum Fault: Sendable {
    /// The credentials or the signature are wrong or missing.
    case unauthorized

    /// The body does not match its content type.
    case malformed

    /// A member is missing or has another type.
    case missing(String)

    /// The idempotency key was used before for another request.
    case reusedKey

    /// The payment, session or order does not exist.
    case notFound

    /// The state of the payment does not permit the request.
    case refused(SandboxPayment.Refusal)

    /// The payment repeats another one.
    case duplicate

    /// The gateway failed; with the HTTP status, unless the vendor uses another one.
    case failed(Int)
}
