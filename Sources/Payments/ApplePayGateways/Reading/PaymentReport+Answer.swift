public import ApplePayAcceptance
public import ApplePayWire

extension PaymentReport {
    /// Reads the answer to a request that changes something; the report has a ``fault`` if the answer cannot be used.
    ///
    /// `fill` fills in the report from any JSON object, whatever the HTTP status, and sets ``refusal`` for nothing but the
    /// gateway's own documented error: a proxy's error proves nothing, because the gateway may have got the request.
    /// Then the status decides: after 2xx the report is what was filled in, except that a payment must have the status
    /// `success`, if the gateway documents only one; after 4xx with a refusal it is refused, unless the members state
    /// otherwise, which is a contradiction; after every other answer it may have been carried out.
    ///
    /// Source: RFC 9110 §15.
    public static func answer(
        _ response: GatewayResponse, _ report: PaymentReport, success: Int? = nil,
        _ fill: (AnswerValue, inout PaymentReport) throws(PaymentError) -> Void
    ) -> PaymentReport {
        var report = report.filled(from: response, fill)
        guard report.fault == nil else { return report }
        switch response.status {
        case 200..<300:
            if report.meaning == .booked, let success, response.status != success {
                report.fault = "HTTP status \(response.status) is not documented for a payment."
            }
        case 408, 409, 425, 429:
            report.fault =
                "HTTP status \(response.status): the request may be done or in progress."
        case 400..<500:
            switch (report.meaning, report.refusal) {
            case (.undocumented, nil):
                report.fault =
                    "HTTP status \(response.status) without the gateway's own error: the request may have been carried out."
            case (.undocumented, var refusal?), (.refused, var refusal?):
                report.meaning = .refused
                refusal.code = refusal.code ?? "\(response.status)"
                report.refusal = refusal
            case (.refused, nil):
                report.refusal = Refusal(code: "\(response.status)", origin: .operator)
            default:
                report.fault = "HTTP status \(response.status) contradicts the status in the body."
            }
        default:
            report.fault =
                "HTTP status \(response.status): it is not known whether the request was carried out."
        }
        return report
    }

    /// Reads the answer to a status query: ``Meaning/absent`` after 404 with the gateway's own error, for which `fill` sets
    /// ``refusal``; a ``fault`` after any other answer whose status is not 2xx.
    ///
    /// If `isSearch`, the query was for all payments with a reference: 404 then means that nothing was asked, not
    /// that there is no payment.
    public static func statusAnswer(
        _ response: GatewayResponse, _ report: PaymentReport, isSearch: Bool = false,
        _ fill: (AnswerValue, inout PaymentReport) throws(PaymentError) -> Void
    ) -> PaymentReport {
        guard !response.isAccepted else { return report.filled(from: response, fill) }
        // The members of an error are read only for the gateway's code and text, which tell operators what is wrong.
        let refusal = report.filled(from: response, fill).refusal
        var report = report
        let isAbsent = response.status == 404 && !isSearch && refusal != nil
        report.meaning = isAbsent ? .absent : .undocumented
        if !isAbsent {
            let code = refusal?.code.map { " (\($0))" } ?? ""
            report.refusal = refusal
            report.fault =
                [401, 403].contains(response.status)
                ? "HTTP status \(response.status)\(code): the account or its secrets were refused, by the gateway or a proxy."
                : "HTTP status \(response.status)\(code): the question about the payment was not answered."
        }
        return report
    }

    /// Reads the answer to a query by reference: the payments in an array, each filled in.
    ///
    /// - Throws: ``PaymentError`` for the array, then the errors of `fill`.
    package static func search(
        _ payments: [AnswerValue], with reference: ExactText, else empty: PaymentReport,
        _ fill: (AnswerValue, inout PaymentReport) throws(PaymentError) -> Void
    ) throws(PaymentError) -> PaymentReport {
        var found: [PaymentReport] = []
        for payment in payments {
            var one = empty
            try fill(payment, &one)
            found.append(one)
        }
        return first(of: found, with: reference, else: empty)
    }

    private func filled(
        from response: GatewayResponse,
        _ fill: (AnswerValue, inout PaymentReport) throws(PaymentError) -> Void
    ) -> PaymentReport {
        var report = self
        do {
            try fill(try response.object(), &report)
        } catch {
            report.fault =
                response.isEmpty
                ? "The answer with HTTP status \(response.status) has no body."
                : "HTTP status \(response.status): \(error)"
        }
        return report
    }

    /// Returns one of the reports about the payments with a reference that a query found, with the others in ``others``;
    /// `empty` with ``Meaning/absent`` if there is none.
    ///
    /// Reports about other references are left out. The first payment that was not refused is the one; whose payments they are
    /// is for `OrderPayments` to decide.
    public static func first(
        of reports: [PaymentReport], with reference: ExactText, else empty: PaymentReport
    ) -> PaymentReport {
        var found = reports.filter {
            $0.reference ?? reference == reference
        }
        let index = found.firstIndex { $0.meaning != .refused || $0.fault != nil }
        guard !found.isEmpty else {
            var report = empty
            report.meaning = .absent
            return report
        }
        var report = found.remove(at: index ?? 0)
        report.others = found
        return report
    }
}

extension PaymentReport.Refusal {
    /// Adds the members that the gateway blames to ``text``, in parentheses; at most five, without those that the text is.
    package mutating func blame(_ members: [ExactText?]) {
        var names: [ExactText] = []
        for case let name? in members where name != "" && name != text && !names.contains(name) {
            names.append(name)
        }
        guard !names.isEmpty else { return }
        let list = "(\(names.prefix(5).joined(separator: ", ")))"
        text = text.map { $0.isEmpty ? ExactText(list) : "\($0) \(list)" } ?? ExactText(list)
    }
}
