import ApplePayAcceptance
import ApplePayGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// A gateway of a shop's own whose payments are in ``Books``: written with nothing but the library's public API.
struct BooksGateway: PaymentGateway {
    /// The classes of gateways, by what protects an order from a second charge.
    enum Class: String, CaseIterable, CustomTestStringConvertible {
        /// Keeps the first answer for a key; is asked by reference and by identifier.
        case keys
        /// Keeps the first answer for a key; is asked by identifier only, like Worldline Direct.
        case identifier
        /// Keeps no keys; is asked by reference and by identifier.
        case query
        /// Neither keeps keys nor can be asked; there are only messages.
        case nothing

        var keepsKeys: Bool { self == .keys || self == .identifier }

        var testDescription: String { rawValue }
    }

    let kind: Class
    var name: ExactText = "books"
    var account: ExactText = ""
    var isTest = false
    var longestReference = 255
    /// The sign of payments that this library requested; the books store and repeat a field.
    var mark: GatewayAbilities.Mark? = .field
    /// Whether an answer that is repeated for a key is marked as such.
    var marksAnswers = false
    /// The hours for which keys are promised to be kept.
    var keyHours = 24
    /// Whether a session precedes the payment, in a request that can move money, too.
    var hasSession = false
    /// Whether the answer to the session states its identifier.
    var statesSession = true
    /// Whether the gateway has pages, in addition.
    var hasPages = false
    /// Whether the answer that creates a page contains a code for the customer's return.
    var hasReturnCode = true
    /// Whether an order can be paid in a session that the shop created.
    var takesSessions = false
    /// Whether the gateway stores the card of each payment, and charges it later, whoever begins that.
    var storesCards = false
    /// Whether a page or a session is asked for its payment; otherwise its reference is, as at bePaid.
    var asksSessions = true

    var abilities: GatewayAbilities {
        let questions: Set<GatewayAbilities.Question> =
            switch kind {
            case .keys, .query: asksSessions ? [.identifier, .reference] : [.reference]
            case .identifier: [.identifier]
            case .nothing: []
            }
        var abilities = GatewayAbilities(
            [.decrypted, .encrypted], status: questions, repetition: kind.keepsKeys,
            operations: [.capture: .part, .cancellation: .part, .refund: .part], messages: true)
        abilities.keyHours = keyHours
        abilities.hasPages = hasPages
        abilities.takesSessions = takesSessions
        abilities.initiators = storesCards ? Set(PaymentInitiator.allCases) : []
        abilities.mark = mark
        abilities.ignoresRepeatedBody = kind == .identifier
        return abilities
    }

    func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount < 1_000_000 else { throw .gateway(.unsupportedAmount, "amount") }
        try FieldLength.check(attempt.reference, "reference", 1...longestReference)
    }

    func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let (order, attempt) = (accepted.order, accepted.attempt)
        try check(order, attempt: attempt)
        let number = accepted.payment?.accountNumber.digits
        let body = JSONBody.object { body in if let number { body.secret("number", number) } }
        if takesSessions, let session = attempt.sessionID {
            let request = GatewayRequest(
                "https://books.example", "/sessions/\(session)/payments",
                query: [("amount", "\(order.amount)")], headers: [.contentType()], body: body)
            return payment(attempt, in: String(session), request)
        }
        return charge(order, attempt, body)
    }

    func payment(
        with card: PaymentReport.Card, by initiator: PaymentInitiator, for order: Order,
        attempt: PaymentAttempt
    ) throws(PaymentError) -> PaymentCall {
        guard storesCards else { throw .gateway(.unsupportedOperation, "card") }
        try check(order, attempt: attempt)
        return charge(
            order, attempt,
            JSONBody.object { body in
                body.string("card", card.identifier)
                body.string("initiator", initiator.rawValue)
            })
    }

    private func charge(
        _ order: Order, _ attempt: PaymentAttempt, _ body: SensitiveBytes
    ) -> PaymentCall {
        let request = GatewayRequest(
            "https://books.example", "/payments",
            query: [
                ("reference", String(attempt.reference)), ("amount", "\(order.amount)"),
                ("key", String(attempt.key)), ("mark", String(attempt.mark ?? "")),
            ],
            headers: [.contentType()], body: body)
        return hasSession
            ? session(attempt, before: request, "\(order.amount)") : paymentCall(attempt, request)
    }

    /// Returns a query for a session that the shop created, which the payment follows if the session is the order's.
    private func payment(
        _ attempt: PaymentAttempt, in session: String, _ payment: GatewayRequest
    ) -> PaymentCall {
        let request = GatewayRequest(
            method: "GET", "https://books.example", "/sessions/\(session)")
        let next = paymentCall(attempt, payment)
        return GatewayCall(
            attempt, at: self, canMoveMoney: false,
            request: { _ throws(PaymentError) in request },
            read: { response in
                let object = try? response.object()
                guard response.isAccepted, object?["reference"]?.string == attempt.reference,
                    (try? object?.integer("amount")) == attempt.amount,
                    object?["status"]?.string == "open"
                else { return .notSent(.gateway(.unsupportedValue, "session")) }
                return .next(next)
            })
    }

    func page(for order: Order, attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        guard hasPages else { throw .gateway(.unsupportedOperation, "page") }
        try check(order, attempt: attempt)
        guard order.returnURL != nil else { throw .gateway(.unsupportedValue, "returnUrl") }
        let request = GatewayRequest(
            "https://books.example", "/pages",
            query: [("reference", String(attempt.reference)), ("amount", "\(order.amount)")])
        return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
            PaymentReport.answer(response, empty) { answer, report throws(PaymentError) in
                guard response.isAccepted else {
                    report.refusal = PaymentReport.Refusal(origin: .operator)
                    return
                }
                try fill(&report, answer)
                if !hasReturnCode { report.returnCode = nil }
            }
        }
    }

    /// Returns the request for a session, which the payment follows.
    private func session(
        _ attempt: PaymentAttempt, before payment: GatewayRequest, _ amount: String
    ) -> PaymentCall {
        let request = GatewayRequest(
            "https://books.example", "/sessions", query: [("amount", amount)])
        var later = attempt
        if statesSession { later.sessionID = "s1" }
        let next = paymentCall(later, payment)
        return GatewayCall(
            attempt, at: self, canMoveMoney: true,
            request: { _ throws(PaymentError) in request }, read: { _ in .next(next) })
    }

    private func paymentCall(_ attempt: PaymentAttempt, _ request: GatewayRequest) -> PaymentCall {
        GatewayCall(attempt, at: self, canMoveMoney: true, request) { response in
            PaymentReport.answer(response, empty) { answer, report throws(PaymentError) in
                report.isRepeated = marksAnswers && response.header("Repeated") != nil
                if response.isAccepted {
                    try fill(&report, answer)
                } else {
                    report.refusal = PaymentReport.Refusal(origin: .operator)
                }
            }
        }
    }

    func status(of attempt: PaymentAttempt) throws(PaymentError) -> PaymentCall {
        if let id = attempt.paymentID, kind != .nothing {
            let request = GatewayRequest(method: "GET", "https://books.example", "/payments/\(id)")
            return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
                PaymentReport.statusAnswer(response, empty) {
                    answer, report throws(PaymentError) in
                    if response.isAccepted {
                        try fill(&report, answer)
                    } else {
                        report.refusal = PaymentReport.Refusal(origin: .operator)
                    }
                }
            }
        }
        if let id = attempt.sessionID, hasPages || takesSessions, asksSessions, kind != .nothing {
            let request = GatewayRequest(method: "GET", "https://books.example", "/sessions/\(id)")
            return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
                PaymentReport.statusAnswer(response, empty) {
                    answer, report throws(PaymentError) in
                    if response.isAccepted {
                        try fill(&report, answer)
                    } else {
                        report.refusal = PaymentReport.Refusal(origin: .operator)
                    }
                }
            }
        }
        guard abilities.status.contains(.reference) else {
            throw .gateway(.unsupportedOperation, "status")
        }
        let request = GatewayRequest(
            method: "GET", "https://books.example", "/payments",
            query: [("reference", String(attempt.reference))])
        return GatewayCall(attempt, at: self, canMoveMoney: false, request) { response in
            PaymentReport.statusAnswer(response, empty, isSearch: true) {
                answer, report throws(PaymentError) in
                guard response.isAccepted else { return }
                var found: [PaymentReport] = []
                for payment in try answer.objects("data") {
                    var one = empty
                    try fill(&one, payment)
                    found.append(one)
                }
                report = .first(of: found, with: attempt.reference, else: empty)
            }
        }
    }

    func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        let amount = try operation.amount(on: payment, of: attempt)
        let key = try operation.key(of: attempt)
        guard let id = attempt.paymentID ?? payment.paymentID else {
            throw .gateway(.unsupportedValue, "payment")
        }
        let request = GatewayRequest(
            "https://books.example", "/payments/\(id)/\(operation.kind.rawValue)",
            query: [("amount", "\(amount)"), ("key", String(key))])
        let empty = PaymentReport(gateway: name, about: operation.kind.subject)
        return GatewayCall(
            attempt, at: self, canMoveMoney: true,
            request: { _ throws(PaymentError) in request },
            read: { response in
                let report = PaymentReport.answer(response, empty) {
                    answer, report throws(PaymentError) in
                    guard response.isAccepted else {
                        report.refusal = PaymentReport.Refusal(origin: .operator)
                        return
                    }
                    report.meaning = answer["operation"]?.string == "done" ? .booked : .undecided
                    report.paymentID = try answer.text("id")
                    report.operationID = try answer.text("operationId")
                    report.operationAmount = try answer.integer("amount")
                }
                return .outcome(
                    OperationOutcome(report, of: operation.kind, amount: amount, on: attempt))
            })
    }

    func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        if message.target.hasPrefix("/return?") {
            let words = message.target.dropFirst("/return?".count).split(separator: "=")
            guard words.count == 2 else { throw .gateway(.missingMember, "return") }
            return .customerReturn(
                sessionID: ExactText(words[0]), code: ExactText(words[1]))
        }
        if message.method == "GET" { return .endpointCheck(reply: "here") }
        if try message.header("Signature") == "no key" { throw .gateway(.invalidKey) }
        guard try message.header("Signature") == "right" else { throw .gateway(.wrongSignature) }
        let object = try message.object()
        let about = object["about"]?.string.map(PaymentReport.Subject.init) ?? .payment
        var report = PaymentReport(gateway: name, about: about)
        try fill(&report, object)
        return .event(
            GatewayEvent(
                identifier: "e", type: "changed", time: nil, report: report,
                relatedID: try? object.text("parent")))
    }

    private var empty: PaymentReport { PaymentReport(gateway: name) }

    private func fill(
        _ report: inout PaymentReport, _ payment: AnswerValue
    ) throws(PaymentError) {
        let status = try payment.mandatoryText("status")
        report.status = status
        report.paymentID = try payment.text("id")
        report.sessionID = try payment.text("session")
        report.returnCode = try payment.text("code")
        report.reference = try payment.text("reference")
        report.mark = try payment.text("mark")
        report.currency = try payment.text("currency")
        report.ordered = try payment.integer("amount")
        report.authorized = try payment.integer("authorized")
        report.captured = try payment.integer("captured")
        report.refunded = try payment.integer("refunded")
        report.hasChargeback = try payment.boolean("chargeback") ?? false
        report.canBeAsked = kind != .nothing
        if storesCards {
            report.card = try payment.text("card").flatMap { PaymentReport.Card($0) }
        }
        switch status {
        case "captured", "authorized": report.meaning = .booked
        case "pending", "open": report.meaning = .undecided
        case "retry":
            report.meaning = .undecided
            report.refusal = PaymentReport.Refusal(code: "05")
        case "page":
            report.meaning = .awaitingCustomer
            report.setAddress("https://books.example/pages/\(report.sessionID ?? "")")
        case "closed":
            report.meaning = .refused
            report.refusal = PaymentReport.Refusal(origin: .customer)
        case "challenge":
            report.meaning = .awaitingCustomer
            report.setAddress("https://books.example/challenge")
        // Not every gateway repeats the address.
        case "challenged": report.meaning = .awaitingCustomer
        case "cancelled": report.meaning = .cancelled
        case "declined":
            report.meaning = .refused
            report.refusal = PaymentReport.Refusal(code: "05", text: try payment.text("text"))
        case "blocked":
            report.meaning = .refused
            report.refusal = PaymentReport.Refusal(origin: .operator)
        default: break
        }
    }
}
