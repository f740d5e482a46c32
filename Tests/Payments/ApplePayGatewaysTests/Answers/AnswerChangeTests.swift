import ApplePayAcceptance
import ApplePayGateways
import ApplePayTokenTestingPrimitives
import TestVectors
import Testing

/// The outcome of a published answer in which one member was removed or replaced.
@Suite("A published answer with one change")
struct AnswerChangeTests {
    /// The answers that are objects, and not those of the customer's app.
    private static let objects = AnswerVector.all.filter { vector in
        if case .object = vector.body { true } else { false }
    }

    /// The answers whose members are changed.
    static let vectors = objects.enumerated().filter { LongTest.includes($0.offset) }.map(\.element)

    /// The states after which goods are shipped, or that end an operation.
    private static let positive: Set = ["paid", "authorized", "done", "added"]

    /// Members of a report that are only for people.
    private static let words: Set = ["refusal.code", "refusal.text", "refusal.origin"]

    /// Members that alone show that the word of the status is not the whole truth, by gateway and path.
    private static let warnings = [
        // The acquirer did not answer.
        "worldline-connect cardPaymentMethodSpecificOutput",
        "worldline-connect cardPaymentMethodSpecificOutput.voidResponseId",
        // Without the refund, what is left of the captures is the whole amount.
        "rbs paymentAmountInfo.refundedAmount",
        // Money that was reserved before the payment was refused.
        "cybersource orderInformation", "cybersource orderInformation.amountDetails",
        "cybersource orderInformation.amountDetails.authorizedAmount",
        // The code of what is in progress or was done before.
        "adyen errorCode", "rbs errorCode", "paypal details", "paypal details.0",
        "paypal details.0.issue",
    ]

    /// Members whose value may have another type: digits that are text, and names in lists.
    private static let lenient = [
        "worldline-direct id", "rbs orderNumber", "rbs attributes.0.name", "paypal links.0.rel",
        "paypal links.1.rel",
    ]

    /// Reads the answer with a change; nil for a message that is not the merchant's any more.
    private func read(_ vector: AnswerVector, _ body: JSONTree) throws -> AnswerReading? {
        do {
            return try AnswerReading(vector, body)
        } catch let error as PaymentError where error.code == .otherAccount {
            return nil
        }
    }

    private func facts(_ reading: AnswerReading?) -> [String: String] {
        (reading?.report?.stated ?? [:]).filter { !Self.words.contains($0.key) }
    }

    /// Returns what is wrong with a reading that a change led to; nil if nothing is.
    private func problem(
        _ reading: AnswerReading, after before: AnswerReading, _ vector: AnswerVector
    ) -> String? {
        guard reading.state != before.state else { return nil }
        // A step before the payment that is not answered is not a refusal of the payment.
        if Self.positive.contains(reading.state)
            || reading.state == "refused" && before.report != nil
        {
            return "\(before.state) becomes \(reading.state)"
        }
        return nil
    }

    /// Returns why a positive state is not supported by what the report states; nil if it is.
    private func doubt(_ reading: AnswerReading, _ vector: AnswerVector) throws -> String? {
        guard Self.positive.contains(reading.state), let report = reading.report else { return nil }
        let attempt = try vector.attempt()
        if let operation = vector.operation {
            let amount = report.operationAmount
            return amount ?? operation.amount == operation.amount ? nil : "another amount"
        }
        if let isTest = report.isTest, vector.isTest == !isTest { return "another test flag" }
        // A verified card states no money; the order is for 0.
        if report.meaning == .verified { return attempt.amount == 0 ? nil : "no money" }
        if report.reference != attempt.reference { return "another reference" }
        if report.currency != attempt.currency.alphabetic { return "another currency" }
        let open = (report.authorized ?? 0) + (report.captureRequested ?? 0)
        let total = reading.state == "paid" ? report.captured ?? 0 : open
        if total != attempt.amount { return "another amount" }
        let isReturned = report.hasChargeback && reading.state == "paid"
        return report.refunded ?? 0 != 0 || isReturned ? "money that was given back" : nil
    }

    @Test(
        "never has a more certain outcome if a member is missing, null or changed",
        arguments: vectors)
    func values(_ vector: AnswerVector) throws {
        let before = try AnswerReading(vector)
        var problems: [String] = []
        for change in JSONChange.all(of: vector.body) {
            let removed = try read(vector, change.replaced(nil))
            let null = try read(vector, change.replaced(.null))
            if !change.isElement, facts(removed) != facts(null) {
                problems.append("\(change.path): null is not read like a missing member")
            }
            let other = try change.otherValue.flatMap { try read(vector, change.replaced($0)) }
            for (name, reading) in [("missing", removed), ("null", null), ("another", other)] {
                guard let reading else { continue }
                let isWarned = Self.warnings.contains("\(vector.gateway) \(change.path)")
                if !isWarned, let problem = problem(reading, after: before, vector) {
                    problems.append("\(change.path) \(name): \(problem)")
                }
                if let doubt = try doubt(reading, vector) {
                    problems.append("\(change.path) \(name): \(reading.state) with \(doubt)")
                }
            }
        }
        #expect(problems == [])
    }

    @Test("is unreadable if a member that decides has another type", arguments: vectors)
    func types(_ vector: AnswerVector) throws {
        let before = try AnswerReading(vector)
        var problems: [String] = []
        for change in JSONChange.all(of: vector.body) {
            let removed = try read(vector, change.replaced(nil))
            let decides =
                before.report?.fault == nil && removed != nil && facts(removed) != facts(before)
                && !Self.lenient.contains("\(vector.gateway) \(change.path)")
            for type in change.otherTypes {
                guard let reading = try read(vector, change.replaced(type)) else { continue }
                let isUnusable =
                    reading.report.map { $0.fault != nil } ?? (reading.state != before.state)
                if decides, !isUnusable {
                    problems.append("\(change.path) is \(AnswerVector.text(type)): usable")
                }
                let isWarned = Self.warnings.contains("\(vector.gateway) \(change.path)")
                if !isWarned, let problem = problem(reading, after: before, vector) {
                    problems.append("\(change.path) is \(AnswerVector.text(type)): \(problem)")
                }
            }
        }
        #expect(problems == [])
    }
}
