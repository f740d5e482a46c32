internal import ApplePayAcceptance

extension RBS {
    /// Reads the answer to a payment request, success or failure.
    ///
    /// `success` means only that the request was processed. Of the error codes, 1, 5, 7 and 10 each have several meanings,
    /// such as an order number that was used before: after them only the order's state shows whether it was refused. An
    /// answer without `success`, with `errorCode` 5, was refused before it was processed: the account lacks a right.
    ///
    /// Source: BPC, *REST API*, "Apple Pay", "Tokenised payment", error codes.
    package static func paymentReport(
        _ response: GatewayResponse, canBeAsked: Bool
    ) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName)) {
            answer, report throws(PaymentError) in
            guard let isSuccess = try answer.boolean("success") else {
                guard let code = try errorCode(answer) else {
                    throw .gateway(.missingMember, "success")
                }
                let text = try answer.text("errorMessage")
                guard code == 5, let text else {
                    leaveOpen(&report, "\(code)", text)
                    return
                }
                report.meaning = .refused
                report.refusal = .init(code: "5", text: text, origin: .operator)
                return
            }
            let (data, order) = (try answer.object("data"), try answer.object("orderStatus"))
            var isStated = false
            if let order, try errorCode(order) ?? 0 == 0 {
                try fill(&report, order, isFirst: true)
                isStated = true
            }
            report.paymentID = try data?.text("orderId") ?? report.paymentID
            let reference = try data?.text("orderNumber")
            report.reference = report.reference ?? reference
            report.canBeAsked = canBeAsked
            guard isSuccess else {
                guard report.meaning != .refused else { return }
                let (code, text) = (
                    answer["error"]?["code"]?.string, answer["error"]?["message"]?.string
                )
                let isRefusal = code == "3" || code == "4" || code == "5" && isDenied(text)
                if order == nil, isRefusal {
                    report.meaning = .refused
                    report.refusal = .init(code: code, text: text, origin: .operator)
                } else {
                    leaveOpen(&report, code ?? "without a code", text)
                }
                // The technical explanation names the member at fault.
                report.refusal?.blame([answer["error"]?["description"]?.string])
                return
            }
            if !isStated { report.meaning = .booked }
            let isOpen = report.meaning == .undecided || report.meaning == .awaitingCustomer
            let acsUrl = try data?.text("acsUrl")
            // A relative address is one of the shop's own pages.
            guard isOpen || !isStated, let address = try data?.text("redirect") ?? acsUrl,
                !address.hasPrefix("/")
            else { return }
            report.meaning = .awaitingCustomer
            report.setAddress(address)
        }
    }

    /// Reads the answer to a status query; 6 means that the gateway does not have the order.
    ///
    /// Source: BPC, *REST API*, "Order status", and for HTTP 404, which means that the address is wrong.
    package static func statusReport(_ response: GatewayResponse) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName)
        return PaymentReport.statusAnswer(response, empty, isSearch: true) {
            answer, report throws(PaymentError) in
            let code = try errorCode(answer)
            let isStated = answer["orderStatus"] != nil
            switch code {
            case 6 where !isStated: report.meaning = .absent
            case nil where isStated, 0 where isStated: try fill(&report, answer, isFirst: false)
            case nil, 0: throw .gateway(.missingMember, "orderStatus")
            case let code?:
                leaveOpen(&report, "\(code)", answer["errorMessage"]?.string)
            }
        }
    }

    /// Reads the answer to a capture, a cancellation or a refund, which states no amount.
    ///
    /// 1, 5 and 7 are also duplicates, system errors and operations in progress.
    ///
    /// Source: BPC, *REST API*, "Order management"; Sberbank, OpenAPI 1.0.7, for the codes.
    package static func operationReport(
        _ response: GatewayResponse, of kind: PaymentOperation.Kind
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName, about: kind.subject)
        return PaymentReport.answer(response, empty) { answer, report throws(PaymentError) in
            guard let code = try errorCode(answer) else {
                throw .gateway(.missingMember, "errorCode")
            }
            let text = try answer.text("errorMessage")
            report.status = "\(code)"
            switch code {
            case 0: report.meaning = .booked
            case 1, 7: leaveOpen(&report, "\(code)", text)
            case 5 where !isDenied(text): leaveOpen(&report, "\(code)", text)
            default:
                report.meaning = .refused
                report.refusal = .init(code: "\(code)", text: text, origin: .operator)
            }
        }
    }

    /// Returns whether the text of the error 5 states that the account lacks a right.
    static func isDenied(_ text: ExactText?) -> Bool {
        text == "Access denied"
    }

    /// Fills in an error that does not show the order's state; its text is for the merchant's staff, and not in the fault,
    /// which is stored.
    static func leaveOpen(
        _ report: inout PaymentReport, _ code: ExactText, _ text: ExactText?
    ) {
        report.fault =
            isDenied(text)
            ? "The error \(code): the account or its secrets were refused."
            : "The error \(code) does not show the order's state."
        report.refusal = .init(code: code, text: text, origin: .operator)
    }

    /// Returns `errorCode`, or the spelling of older servers.
    static func errorCode(_ value: AnswerValue) throws(PaymentError) -> Int64? {
        let former = try value.integer("ErrorCode")
        return try value.integer("errorCode") ?? former
    }
}
