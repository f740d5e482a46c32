internal import ApplePayAcceptance
internal import ApplePayWire

extension Dintero {
    /// Reads the answer to the query for a transaction.
    package static func transactionReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.statusAnswer(response, report()) {
            answer, report throws(PaymentError) in
            report.refusal = try questionError(answer)
            if response.isAccepted { report = try Transaction(answer).report() }
        }
    }

    /// Reads the answer to a payment with a stored card: the whole transaction, also after 200 if it failed.
    package static func cardReport(_ response: GatewayResponse) -> PaymentReport {
        PaymentReport.answer(response, report()) { answer, report throws(PaymentError) in
            report.refusal = try refusal(answer)
            guard response.isAccepted else { return }
            guard answer["id"] != nil else { throw .gateway(.missingMember, "id") }
            report = try Transaction(answer).report()
        }
    }

    /// Reads the answer to the query for the transactions with a reference, which is documented as a bare array.
    package static func searchReport(
        _ response: GatewayResponse, _ reference: ExactText
    ) -> PaymentReport {
        guard response.isAccepted else {
            return PaymentReport.statusAnswer(response, report(), isSearch: true) {
                answer, report throws(PaymentError) in
                report.refusal = try questionError(answer)
            }
        }
        var result = report()
        do throws(PaymentError) {
            let found = try response.objects("transactions")
            result = try PaymentReport.search(found, with: reference, else: result) {
                value, one throws(PaymentError) in one = try Transaction(value).report()
            }
            if found.count >= searchLimit {
                result.fault = "The gateway may have more transactions with the reference."
            }
        } catch {
            result.fault = "\(error)"
        }
        return result
    }

    /// Reads the answer to a capture, void or refund: the whole transaction.
    ///
    /// A 200 does not prove that the operation was done; only its event does (*Transaction management*). After 202 it
    /// will be done later (Node SDK, `TransactionOperationAccepted`).
    package static func operationReport(
        _ response: GatewayResponse, of kind: PaymentOperation.Kind, key: ExactText
    ) -> PaymentReport {
        PaymentReport.answer(response, report(about: kind.subject)) {
            answer, report throws(PaymentError) in
            report.refusal = try refusal(answer)
            let isStated = response.isAccepted || answer["id"] != nil
            guard isStated, answer["error"] == nil else { return }
            let transaction = try Transaction(answer)
            report = try transaction.report(about: kind.subject)
            guard transaction.status == nil || transaction.meaning != .undocumented else { return }
            report.meaning = .undecided
            guard response.status != 202 else { return }
            if kind == .cancellation, transaction.meaning == .cancelled {
                report.meaning = .cancelled
            } else if let event = transaction.event(of: kind, key: key), let success = event.success
            {
                report.meaning = success ? .booked : .refused
                report.operationID = event.id
                report.operationAmount = kind == .cancellation ? nil : event.amount
                report.refusal = event.error
            }
        }
    }
}

/// A transaction in Dintero's answers.
///
/// `amount` is that of the whole transaction; only the events state what was captured and refunded.
///
/// Source: the Node SDK, `Transaction`, `TransactionEvent`; Dintero, *Transaction statuses*.
private struct Transaction {
    let status: ExactText?
    /// ``status`` in capital letters, which some answers write in small ones.
    private let word: ExactText?
    private let amount: Int64?
    private let events: [Event]
    private let value: AnswerValue

    /// The words that report money, with whether something was captured and given back.
    private static let booked: [ExactText: (captures: Bool, refunds: Bool)] = [
        "AUTHORIZED": (captures: false, refunds: false), "CAPTURED": (true, false),
        "PARTIALLY_CAPTURED": (true, false), "PARTIALLY_CAPTURED_REFUNDED": (true, true),
        "PARTIALLY_REFUNDED": (true, true), "REFUNDED": (true, true),
    ]

    init(_ value: AnswerValue) throws(PaymentError) {
        status = try value.text("status")
        let small = UInt8(ascii: "a")...UInt8(ascii: "z")
        let isSmall =
            status?.utf8.allSatisfy { small.contains($0) || $0 == UInt8(ascii: "_") } == true
        word = isSmall ? status?.uppercasedASCII : status
        amount = try value.integer("amount")
        let events = try value.objects("events")
            .map { event throws(PaymentError) in try Event(event) }
        // An operation that was only begun counts until another event has its request_id as correlation_request_id.
        let begun: ExactText = "INITIATE_"
        let ended = Set(events.filter { !$0.kind.hasPrefix(begun) }.compactMap(\.correlationID))
        self.events = events.filter {
            !$0.kind.hasPrefix(begun) || !ended.contains($0.requestID ?? "")
        }
        self.value = value
    }

    /// Returns a report about the payment, or the identifiers for one about an operation.
    func report(
        about subject: PaymentReport.Subject = .payment
    ) throws(PaymentError) -> PaymentReport {
        var report = Dintero.report(about: subject)
        report.status = status
        report.paymentID = try value.text("id")
        report.sessionID = try value.text("session_id")
        report.isTest = Dintero.isTest(report.paymentID)
        report.reference = try value.text("merchant_reference")
        report.mark = try value.text("merchant_reference_2")
        report.currency = try value.text("currency")
        guard subject == .payment else { return report }
        report.ordered = amount
        report.card = try card()
        report.meaning = meaning
        fillTotals(&report)
        guard meaning == .refused else { return report }
        let error = events.last { $0.error != nil }?.error
        report.refusal = PaymentReport.Refusal(
            code: error?.code ?? status, text: error?.text,
            origin: word == "DECLINED" ? .customer : error?.origin ?? .issuer)
        return report
    }

    /// Returns the card, if the answer contains a token for it.
    private func card() throws(PaymentError) -> PaymentReport.Card? {
        guard
            var card = try value.text("card", "payment_token")
                .flatMap({ PaymentReport.Card($0) })
        else { return nil }
        card.setNumber(try value.text("card", "masked_pan"))
        let expiry =
            try value.text("card", "expiry_date")?.utf8  // MM/YYYY
            .split(separator: UInt8(ascii: "/")).map { Int64(String(ExactText(utf8: $0))) } ?? []
        if expiry.count == 2 { card.setExpiry(year: expiry[1], month: expiry[0]) }
        card.network = try value.text("card", "brand")
        return card
    }

    /// The meaning of `status`; `UNKNOWN` is documented as an outcome that could not be determined.
    var meaning: PaymentReport.Meaning {
        switch word {
        case let word? where Self.booked[word] != nil: .booked
        case "AUTHORIZATION_VOIDED": .cancelled
        case "DECLINED", "FAILED": .refused
        case "INITIATED", "ON_HOLD": .undecided
        case _ where status == "initialized": .undecided
        default: .undocumented
        }
    }

    /// Returns the event of an operation; a void has no reference, so any void counts.
    func event(of kind: PaymentOperation.Kind, key: ExactText) -> Event? {
        let isVoid = kind == .cancellation
        let word = isVoid ? "VOID" : ExactText(kind.rawValue).uppercasedASCII
        let own = events.filter { $0.kind == word && (isVoid || $0.reference == key) }
        return own.first { $0.success == true } ?? own.last
    }

    /// Fills in the totals: the sums of the successful events, if they are complete.
    private func fillTotals(_ report: inout PaymentReport) {
        guard !events.isEmpty else {
            if word == "AUTHORIZED" { report.authorized = amount }
            if word == "CAPTURED" { report.captured = amount }
            return
        }
        guard let captured = sum("CAPTURE"), let refunded = sum("REFUND"),
            let captureRequested = sum("INITIATE_CAPTURE"),
            let refundRequested = sum("INITIATE_REFUND")
        else { return }
        // If the sums do not fit the status, a refund without an event would look like a paid order.
        let stated = word.flatMap { Self.booked[$0] } ?? (captured > 0, refunded > 0)
        guard stated == (captured > 0, refunded > 0) else { return }
        report.captured = captured
        report.captureRequested = captureRequested
        report.refunded = refunded
        report.refundRequested = refundRequested
        let isReserved = word == "AUTHORIZED" || word?.hasPrefix("PARTIALLY_CAPTURED") == true
        let isVoided = events.contains { $0.kind == "VOID" && $0.success == true }
        let rest = (amount ?? 0).without(captured, captureRequested)
        report.authorized = isReserved && !isVoided ? rest : 0
    }

    /// Returns the sum of the successful events of a kind; nil if one of them does not state its amount.
    private func sum(_ kind: ExactText) -> Int64? {
        let amounts = events.filter { $0.kind == kind && $0.success == true }.map(\.amount)
        guard !amounts.contains(nil) else { return nil }
        return Int64(exactly: amounts.reduce(Int128(0)) { $0 + Int128($1 ?? 0) })
    }
}

/// An event of a transaction, such as `CAPTURE`, or `INITIATE_CAPTURE` for a capture that was only begun.
private struct Event {
    let kind: ExactText
    let id, reference, requestID, correlationID: ExactText?
    let success: Bool?
    let amount: Int64?
    let error: PaymentReport.Refusal?

    init(_ value: AnswerValue) throws(PaymentError) {
        kind = try value.text("event") ?? ""
        id = try value.text("id")
        reference = try value.text("event_reference")
        requestID = try value.text("request_id")
        correlationID = try value.text("correlation_request_id")
        success = try value.boolean("success")
        amount = try value.integer("amount")
        guard (amount ?? 0) >= 0 else { throw .gateway(.malformed, "events.amount") }
        let types = value["error", "type"]?.elements.compactMap(\.string) ?? []
        var error = Dintero.reason(value)
        if error?.code == nil { error?.code = types.first }
        // INVALID_MERCHANT, INVALID_TRANSACTION and INVALID_AMOUNT are the merchant's.
        error?.origin = types.contains { $0.hasPrefix("INVALID_") } ? .operator : .issuer
        self.error = error
    }
}
