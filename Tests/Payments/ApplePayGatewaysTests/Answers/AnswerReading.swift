import ApplePayAcceptance
import ApplePayGateways
import ApplePayWire
import TestVectors
import Testing

/// The result of reading a published answer.
struct AnswerReading {
    /// The report; nil for a step that has none.
    var report: PaymentReport?
    /// The state of the order, the operation or the card.
    var state: String
    /// Why the state is unknown.
    var reason: ExactText?
    /// The values that the next request needs.
    var identifiers: [String: ExactText] = [:]
    /// The outcome of adding a card to Wallet.
    var card: CardOutcome?

    init(_ report: PaymentReport, of attempt: PaymentAttempt, isTest: Bool? = nil) {
        let outcome = OrderOutcome(report: report, attempt: attempt, isTest: isTest)
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

    /// Creates the result for a step without a report.
    init(state: String, _ reason: ExactText? = nil, _ identifiers: [String: ExactText] = [:]) {
        self.state = state
        self.reason = reason
        self.identifiers = identifiers
    }

    /// Creates the result of adding a card to Wallet; `pending` if another request follows.
    init(_ card: CardOutcome, pending: Bool = false) {
        self.card = card
        state = pending ? "pending" : card.state.rawValue
        identifiers = ["consentId": card.consentID].compactMapValues { $0 }
    }

    /// Reads the vector's answer, or one with another body or HTTP status, as its gateway and step do.
    init(_ vector: AnswerVector, _ body: JSONTree? = nil, status: Int? = nil) throws {
        let suite = try GatewaySuites.named(vector.gateway)
        let response = vector.response(body, status: status)
        let text = body.map(AnswerVector.text) ?? vector.text
        if let card = suite.cardReading(of: vector, response, text) {
            self = card
            return
        }
        let attempt = try vector.attempt()
        if vector.step == "message" {
            let report = try Self.message(vector, text, suite)
            self.init(report, of: attempt, isTest: vector.isTest)
        } else if let preparation = Self.preparation(vector.step, response, suite) {
            self = preparation
        } else if let operation = vector.operation {
            let report = suite.operationReport(of: operation, response)
            self.init(try #require(report), operation, on: attempt)
        } else {
            let report = try suite.paymentReport(of: vector, attempt, response)
            self.init(try #require(report), of: attempt, isTest: vector.isTest)
        }
    }

    /// Returns the report of a message, with a fault if it cannot be read.
    private static func message(
        _ vector: AnswerVector, _ text: String, _ suite: any GatewaySuite.Type
    ) throws -> PaymentReport {
        do {
            let contents = try suite.message(of: vector, text)
            return try #require(contents.event).report
        } catch let error as PaymentError
            where [.notJSON, .missingMember, .malformed].contains(error.code)
        {
            var report = PaymentReport(gateway: ExactText(vector.gateway))
            report.fault = "\(error)"
            return report
        }
    }

    /// Reads the answer to a request that prepares a payment; nil for another step.
    private static func preparation(
        _ step: String, _ response: GatewayResponse, _ suite: any GatewaySuite.Type
    ) -> AnswerReading? {
        do throws(PaymentError) {
            return try suite.identifiers(after: step, response).map {
                AnswerReading(state: "pending", nil, $0.mapValues { ExactText($0) })
            }
        } catch {
            return AnswerReading(state: "refused", ExactText(response.failure(of: step, error)))
        }
    }
}

/// Why an answer was not read.
struct AnswerError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
