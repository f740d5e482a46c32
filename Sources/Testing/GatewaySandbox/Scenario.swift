/// The course of a payment; its amount in minor units selects it, such as 40200 for the decimal `402.00`.
enum Scenario: Int64, CaseIterable, Sendable {
    /// The payment succeeds; this is the scenario of every amount that no other one has.
    case success = -1

    /// The payment is in progress and succeeds before the first status query.
    case pending = 20_200

    /// The customer must open a URL first.
    case customerAction = 30_300

    /// The bank declines the payment.
    case decline = 40_200

    /// The payment succeeds, but the answer is never sent.
    case timeOut = 40_800

    /// The request is lost: no payment is made, and no answer is sent.
    case lostRequest = 40_801

    /// The gateway refuses the payment as a duplicate of another one.
    case duplicate = 40_900

    /// The gateway fails with a 500 in its own format; no payment is made.
    case serverError = 50_000

    /// The payment succeeds, but a proxy answers 502 with an HTML page.
    case errorPage = 50_200

    /// The gateway is unavailable and answers 503; no payment is made.
    case unavailable = 50_300

    /// A proxy answers 504 at once, and the payment is made some time later; until then nobody can see it.
    case late = 50_400

    /// The payment succeeds, and the customer's bank takes the captured amount back before the first status query.
    case chargeback = 60_100

    /// The bank approves half of the amount.
    case partlyApproved = 60_200

    /// The payment succeeds, but its captures, cancellations and refunds take until the second status query.
    case slowOperations = 60_300

    /// The payment succeeds, but the answer contains a status word that the vendor does not document.
    case unknownWord = 60_400

    /// One line for people, which continues "A payment of an amount that".
    var summary: String {
        switch self {
        case .success: "succeeds"
        case .pending: "is in progress; the first status request finds it paid"
        case .customerAction: "needs the customer, at an address that the answer contains"
        case .decline: "is declined by the bank"
        case .timeOut: "times out: the payment is made, the answer never comes"
        case .lostRequest: "times out: no payment is made, no answer comes"
        case .duplicate: "is refused as a duplicate of another payment"
        case .serverError: "fails with the gateway's 5xx; no payment is made"
        case .errorPage: "is made, but a proxy answers 502 with an HTML page"
        case .unavailable: "fails with 503; no payment is made"
        case .late: "gets a 504, and is made later (--late); until then no query finds it"
        case .chargeback: "is paid; the first status request finds all of it charged back"
        case .partlyApproved: "is approved by the bank for the half"
        case .slowOperations: "succeeds; operations on it take until the second status request"
        case .unknownWord: "succeeds; the answer has a word that the vendor does not document"
        }
    }

    /// The status word of ``unknownWord``.
    static let word = "SANDBOX_WORD"

    /// Whether only some gateways have an answer for the scenario; at the others the payment succeeds.
    var isRare: Bool { self == .chargeback || self == .partlyApproved }

    /// Selects the scenario of an amount in minor units at a gateway.
    init(amount: Int64?, at gateway: SandboxGateway) {
        let found = amount.flatMap(Scenario.init(rawValue:)) ?? .success
        self = found.isRare && !gateway.rareScenarios.contains(found) ? .success : found
    }
}
