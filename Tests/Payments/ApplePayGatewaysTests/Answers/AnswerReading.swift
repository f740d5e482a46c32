import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// The result of reading a published answer.
struct AnswerReading {
    /// The report; nil for a step that has none.
    var report: PaymentReport?
    /// The state of the order, the operation or the card.
    var state: String
    /// Why the state is unknown.
    var reason: String?
    /// The values that the next request needs.
    var identifiers: [String: String] = [:]
    /// The outcome of adding a card to Wallet.
    var card: CardOutcome?

    init(_ report: PaymentReport, of attempt: PaymentAttempt, isTest: Bool? = nil) {
        let outcome = OrderOutcome(report, of: attempt, isTest: isTest)
        self.report = report
        state = outcome.state.rawValue
        reason = outcome.reason
    }

    private init(
        _ report: PaymentReport, _ operation: AnswerVector.Operation, on attempt: PaymentAttempt
    ) {
        let outcome = OperationOutcome(
            report, of: operation.kind, amount: operation.amount, on: attempt)
        self.report = report
        state = outcome.state.rawValue
        reason = outcome.reason
    }

    private init(state: String, _ reason: String? = nil, _ identifiers: [String: String] = [:]) {
        self.state = state
        self.reason = reason
        self.identifiers = identifiers
    }

    private init(_ card: CardOutcome, pending: Bool = false) {
        self.card = card
        state = pending ? "pending" : card.state.rawValue
        identifiers = ["consentId": card.consentID].compactMapValues { $0 }
    }

    /// Reads the vector's answer, or one with another body or HTTP status, as its gateway and step do.
    init(_ vector: AnswerVector, _ body: JSONTree? = nil, status: Int? = nil) throws {
        let response = vector.response(body, status: status)
        if vector.gateway == "intergiro" {
            self = Self.card(vector, response, body)
            return
        }
        let attempt = try vector.attempt()
        if vector.step == "message" {
            self.init(try Self.message(vector, body), of: attempt, isTest: vector.isTest)
        } else if vector.step == "hosted-page-status" {
            self.init(try Self.page(vector, attempt, response), of: attempt)
        } else if let identifiers = Self.preparation(vector, response) {
            self = identifiers
        } else if let operation = vector.operation {
            let report = try #require(Self.report(vector, operation, response))
            self.init(report, operation, on: attempt)
        } else {
            let report = try #require(Self.report(vector, attempt, response))
            self.init(report, of: attempt, isTest: vector.isTest)
        }
    }

    /// Reads an answer about a payment; nil for another step.
    private static func report(
        _ vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        if vector.gateway.hasPrefix("worldline-") {
            return worldlineReport(vector, attempt, response)
        }
        switch (vector.gateway, vector.step) {
        case ("bepaid", "payment"), ("bepaid", "checkout-payment"):
            return BePaid.paymentReport(response)
        case ("bepaid", "uid"): return BePaid.uidReport(response)
        case ("bepaid", "status"): return BePaid.statusReport(response, of: attempt)
        case ("rbs", "payment"): return RBS.paymentReport(response, canBeAsked: true)
        case ("rbs", "status"): return RBS.statusReport(response)
        case ("dintero", "pay"): return Dintero.payReport(response)
        case ("dintero", "session-status"): return Dintero.sessionStatusReport(response)
        case ("dintero", "transaction"): return Dintero.transactionReport(response)
        case ("dintero", "search"): return Dintero.searchReport(response, attempt.reference)
        case ("cybersource", "payment"):
            return CyberSource.paymentReport(
                response, isSale: vector.has("capture", .boolean(true)))
        case ("checkout", "payment"):
            return Checkout.paymentReport(
                response, captures: !vector.has("capture", .boolean(false)))
        case ("checkout", "status"): return Checkout.statusReport(response)
        case ("checkout", "search"):
            return Checkout.searchReport(response, reference: attempt.reference)
        case ("adyen", "payment"): return Adyen.paymentReport(response)
        case ("paypal", "payment"): return PayPal.paymentReport(response)
        case ("paypal", "status"): return PayPal.statusReport(response)
        default: return nil
        }
    }

    /// Reads an answer of Worldline's about a payment; nil for another step.
    private static func worldlineReport(
        _ vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) -> PaymentReport? {
        let platform: Worldline.Platform =
            vector.gateway == "worldline-connect" ? .connect : .direct
        return switch vector.step {
        case "payment": Worldline.paymentReport(response, platform)
        case "status": Worldline.statusReport(response, platform)
        case "details": Worldline.detailsReport(response)
        case "search": WorldlineConnect.searchReport(response, attempt.reference)
        case "hosted-page": Worldline.pageReport(response, platform)
        default: nil
        }
    }

    /// Asks for the state of a page; the payment that it names is asked for next.
    private static func page(
        _ vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) throws -> PaymentReport {
        let isConnect = vector.gateway == "worldline-connect"
        var page = attempt
        page.sessionID = attempt.sessionID ?? "page-1"
        page.paymentID = nil
        let call = try SignedMessage.worldlineAccount(vector.gateway).status(of: page)
        switch call.read(response) {
        case .outcome(let outcome):
            var report = try #require(outcome.report)
            if attempt.sessionID == nil { report.sessionID = nil }
            return report
        case .next(let next):
            var report = Worldline.pageStatusReport(response, isConnect ? .connect : .direct)
            #expect(next.attempt?.paymentID == report.paymentID && report.paymentID != nil)
            report.sessionID = attempt.sessionID
            return report
        case .notSent(let reason): throw AnswerError(reason)
        }
    }

    /// Returns the report of a message, with a fault if it cannot be read.
    private static func message(
        _ vector: AnswerVector, _ body: JSONTree?
    ) throws -> PaymentReport {
        do {
            return try event(vector, body).report
        } catch let error as GatewayMessageError where error.code == .unreadable {
            var report = PaymentReport(gateway: vector.gateway)
            report.fault = "\(error)"
            return report
        }
    }

    /// Signs and reads a message.
    static func event(_ vector: AnswerVector, _ body: JSONTree? = nil) throws -> GatewayEvent {
        let text = body.map(AnswerVector.text) ?? vector.text
        let contents =
            switch vector.gateway {
            case "bepaid":
                try SignedMessage.bePaidShop().read(
                    SignedMessage.bePaid(text), receivedAt: SignedMessage.time)
            case "dintero":
                try SignedMessage.dinteroAccount().read(
                    vector.callback(), receivedAt: SignedMessage.time)
            default:
                try SignedMessage.worldlineAccount(vector.gateway, merchantID: vector.merchantID)
                    .read(
                        SignedMessage.worldline(text), receivedAt: SignedMessage.time)
            }
        return try #require(contents.event)
    }

    /// Reads an answer about an operation; nil for another gateway.
    private static func report(
        _ vector: AnswerVector, _ operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        let kind = operation.kind
        switch vector.gateway {
        case "worldline-direct": return Worldline.operationReport(response, of: kind, .direct)
        case "worldline-connect": return Worldline.operationReport(response, of: kind, .connect)
        case "bepaid": return BePaid.operationReport(response, of: kind)
        case "rbs": return RBS.operationReport(response, of: kind)
        case "dintero": return Dintero.operationReport(response, of: kind, key: operation.key)
        case "cybersource": return CyberSource.reversalReport(response)
        default: return nil
        }
    }

    /// Reads the answer to a request that prepares a payment; nil for another step.
    private static func preparation(
        _ vector: AnswerVector, _ response: GatewayResponse
    ) -> AnswerReading? {
        do throws(UnreadableJSONError) {
            switch (vector.gateway, vector.step) {
            case ("dintero", "login"), ("paypal", "login"):
                _ = try OAuthCredentials.accessToken(response)
            case ("dintero", "session"):
                return AnswerReading(
                    state: "pending", nil, ["sessionId": try Dintero.sessionID(response)])
            case ("dintero", "operations"): _ = try Dintero.submission(response)
            case ("dintero", "submit"): _ = try Dintero.transactionID(response)
            default: return nil
            }
            return AnswerReading(state: "pending")
        } catch {
            return AnswerReading(state: "refused", response.failure(of: vector.step, error))
        }
    }

    /// Reads an answer of Intergiro's.
    private static func card(
        _ vector: AnswerVector, _ response: GatewayResponse, _ body: JSONTree?
    ) -> AnswerReading {
        switch vector.step {
        case "tokens":
            guard let tokens = try? Intergiro.sessionTokens(response) else {
                return AnswerReading(state: "refused")
            }
            return AnswerReading(
                state: "pending", nil,
                [
                    "accessToken": tokens.accessToken.revealText(),
                    "refreshToken": tokens.refreshToken.revealText(),
                ])
        case "tokenize":
            let outcome = Intergiro.tokenizeOutcome(response)
            return AnswerReading(outcome, pending: outcome.consentID != nil)
        case "consent":
            let isBrowser = vector.order?.options?["returnURL"] != nil
            return AnswerReading(Intergiro.consentOutcome(response, isBrowser: isBrowser))
        default:
            return AnswerReading(
                Intergiro.launchOutcome(
                    Array((body.map(AnswerVector.text) ?? vector.text).utf8)))
        }
    }
}

extension AnswerVector {
    /// The merchant's identifier in a message of Worldline's.
    fileprivate var merchantID: String {
        if case .object(let members) = body, case .string(let id) = members["merchantId"] {
            return id
        }
        return ""
    }

    /// Dintero's callback, signed.
    fileprivate func callback() throws -> GatewayMessage {
        let target = http.target ?? ""
        let query = target.drop { $0 != "?" }.dropFirst().split(separator: "&").sorted()
        let signature = try SignedMessage.dinteroSignature(
            query.joined(separator: "&"), path: String(target.prefix { $0 != "?" }))
        return SignedMessage.dintero(target, signature)
    }
}

/// Why an answer was not read.
struct AnswerError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
