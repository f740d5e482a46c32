import ApplePayAcceptance
import ApplePayGateways
import TestVectors
import Testing

/// The suite of one of Worldline's platforms, which share the readers of most answers.
protocol WorldlineSuite: GatewaySuite {
    /// The platform.
    static var platform: Worldline.Platform { get }
}

extension WorldlineSuite {
    static var keyHeader: String? { "X-GCS-Idempotence-Key" }

    static func paymentReport(
        of vector: AnswerVector, _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) throws -> PaymentReport? {
        switch vector.step {
        case "payment": Worldline.paymentReport(response, platform)
        case "status": Worldline.statusReport(response, platform)
        case "details": Worldline.detailsReport(response)
        case "search": WorldlineConnect.searchReport(response, attempt.reference)
        case "hosted-page": Worldline.pageReport(response, platform)
        case "hosted-page-status": try page(attempt, response)
        default: nil
        }
    }

    static func operationReport(
        of operation: AnswerVector.Operation, _ response: GatewayResponse
    ) -> PaymentReport? {
        Worldline.operationReport(response, of: operation.kind, platform)
    }

    static func message(of vector: AnswerVector, _ text: String) throws -> GatewayMessageContents {
        try SignedMessage.worldlineAccount(gatewayName, merchantID: vector.merchantID)
            .read(SignedMessage.worldline(text), receivedAt: SignedMessage.time)
    }

    /// Asks for the state of a page; the payment that it names is asked for next.
    private static func page(
        _ attempt: PaymentAttempt, _ response: GatewayResponse
    ) throws -> PaymentReport {
        var page = attempt
        page.sessionID = attempt.sessionID ?? "page-1"
        page.paymentID = nil
        let call = try SignedMessage.worldlineAccount(gatewayName).status(of: page)
        switch call.read(response) {
        case .outcome(let outcome):
            var report = try #require(outcome.report)
            if attempt.sessionID == nil { report.sessionID = nil }
            return report
        case .next(let next):
            var report = Worldline.pageStatusReport(response, platform)
            #expect(next.attempt?.paymentID == report.paymentID && report.paymentID != nil)
            report.sessionID = attempt.sessionID
            return report
        case .notSent(let error): throw error
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
}
