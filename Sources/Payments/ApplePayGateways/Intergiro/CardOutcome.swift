package import ApplePayAcceptance
public import ApplePayPrimitives
public import ApplePayWire
public import FoundationEssentials

/// How far a card is on its way to Apple Wallet, which has nothing to do with money.
public struct CardOutcome: GatewayOutcome {
    /// The states.
    public enum State: String, CaseIterable, Sendable {
        /// The cardholder must consent in the app, with ``CardOutcome/launchToken``.
        case launch
        /// The cardholder must consent in the browser, at ``CardOutcome/address``.
        case browser
        /// The card was added. The customer's app states so; Intergiro cannot be asked.
        case added
        /// The card was not added.
        case refused
        /// It is not known whether the card was or will be added.
        case unknown
    }

    /// The state.
    public let state: State
    /// Why the card was refused, or the state is unknown: one sentence for people.
    public let reason: ExactText?
    /// The token for `Intergiro.launch(token:…)` in the app.
    public internal(set) var launchToken: SensitiveBytes?
    /// The address for the browser, which can contain a token.
    public internal(set) var address: URL?
    /// The identifier of the consent.
    public internal(set) var consentID: ExactText?

    fileprivate init(_ state: State, _ reason: ExactText? = nil) {
        self.state = state
        self.reason = reason
    }

    /// Creates the outcome of a request to which no answer is known; a card has no report.
    public init(unknown reason: ExactText, report: PaymentReport? = nil) {
        self.init(.unknown, reason)
    }

    /// Creates the outcome of an answer without what is documented.
    ///
    /// The bodies of Intergiro's errors are not documented, so a proxy's cannot be told from them; after a login the card
    /// was not asked for.
    init(unexpected response: GatewayResponse, ofLogin isLogin: Bool = false) {
        let status = response.status
        self.init(response) { _ in
            CardOutcome(
                isLogin && (400..<500).contains(status) ? .refused : .unknown,
                "The HTTP status is \(status).")
        }
    }

    /// Reads an answer; one that is not JSON may come from another server, so what it means is unknown.
    fileprivate init(
        _ response: GatewayResponse,
        _ read: (AnswerValue) throws(PaymentError) -> CardOutcome
    ) {
        do throws(PaymentError) {
            self = try read(try response.object())
        } catch {
            self.init(.unknown, "\(error)")
        }
    }
}

extension CardOutcome: CustomStringConvertible, CustomReflectable {
    /// The state and the reason.
    public var description: String {
        "CardOutcome(\(state.rawValue)\(reason.map { ": \($0)" } ?? ""))"
    }

    /// A mirror without children, so that dumps do not show tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Intergiro {
    /// Reads the answer to a login or to the renewal of a session; the refresh token is for the next renewal.
    package static func sessionTokens(
        _ response: GatewayResponse
    ) throws(PaymentError) -> (accessToken: SensitiveBytes, refreshToken: SensitiveBytes) {
        let answer = try response.object()
        guard response.isAccepted else { throw .gateway(.missingMember, "access_token") }
        let token = try answer.mandatorySecret("access_token")
        return (token, try answer.mandatorySecret("refresh_token"))
    }

    /// Reads the answer to a tokenization: the consent that the cardholder must give, with 412 (*Apple Pay*, step 1) or
    /// 200 (*Account funding*).
    package static func tokenizeOutcome(_ response: GatewayResponse) -> CardOutcome {
        guard response.isAccepted || response.status == 412 else {
            return CardOutcome(unexpected: response)
        }
        return CardOutcome(response) { answer throws(PaymentError) in
            let id = try answer.mandatoryText("consent", "id")
            let status = try answer.mandatoryText("consent", "status")
            var outcome = CardOutcome(unknown: "The status of the consent is \(status).")
            // `pending` is the only status that is documented.
            if status == "pending" { outcome.consentID = id }
            return outcome
        }
    }

    /// Reads the answer to a consent, which can contain both the SDK's token and the browser's address; `isBrowser` is
    /// whether the request contained a return address.
    package static func consentOutcome(_ response: GatewayResponse, isBrowser: Bool) -> CardOutcome
    {
        guard response.isAccepted else { return CardOutcome(unexpected: response) }
        return CardOutcome(response) { answer throws(PaymentError) in
            var outcome = CardOutcome(isBrowser ? .browser : .launch)
            if !isBrowser { outcome.launchToken = try answer.mandatorySecret("method", "token") }
            let address = try answer.text("method", "redirect_url").flatMap {
                URL(string: String($0))
            }
            let isWeb = ["https", "http"].contains(address?.scheme) && address?.host() != nil
            outcome.address = isWeb ? address : nil
            if isWeb || !isBrowser { return outcome }
            throw .gateway(.malformed, "method.redirect_url")
        }
    }

    /// Reads the payload of the SDK's callback, `completion([String: Any]?, Error?)`, from the customer's app, as
    /// JSON: `{"status":"approved"}` or `{"status":"error"}`.
    ///
    /// The app is the only source: nothing of value may depend on it. Intergiro's page calls the argument
    /// `callback:`.
    public static func launchOutcome(_ json: [UInt8]) -> CardOutcome {
        CardOutcome(GatewayResponse(status: 200, body: json)) {
            payload throws(PaymentError) in
            switch try payload.mandatoryText("status") {
            case "approved": return CardOutcome(.added)
            case "error": return CardOutcome(.refused, "The card was not added.")
            default: throw .gateway(.malformed, "status")
            }
        }
    }
}
