extension RBS {
    /// Reads the answer to a payment request, success or failure.
    ///
    /// `success` means only that the request was processed. Of the error codes, 1, 5, 7 and 10 each have several meanings,
    /// such as an order number that was used before: after them only the order's state shows whether it was refused.
    ///
    /// Source: BPC, *REST API*, "Apple Pay", "Tokenised payment", error codes.
    package static func paymentReport(
        _ response: GatewayResponse, canBeAsked: Bool
    ) -> PaymentReport {
        PaymentReport.answer(response, PaymentReport(gateway: gatewayName)) {
            answer, report throws(UnreadableJSONError) in
            guard let isSuccess = try answer.boolean("success") else {
                return try checkMissing("success", response)
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
                let code = answer["error"]?["code"]?.string
                if order == nil, code == "3" || code == "4" {
                    report.meaning = .refused
                    let text = answer["error"]?["message"]?.string
                    report.refusal = .init(code: code, text: text, origin: .operator)
                } else {
                    report.fault =
                        "The error \(code ?? "without a code") does not show the order's state."
                }
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
            answer, report throws(UnreadableJSONError) in
            let code = try errorCode(answer)
            let isStated = answer["orderStatus"] != nil
            switch code {
            case 6 where !isStated: report.meaning = .absent
            case nil where isStated, 0 where isStated: try fill(&report, answer, isFirst: false)
            case nil, 0: throw .init(.missingMember, field: "orderStatus")
            case let code?: report.fault = "The gateway reported the error \(code)."
            }
        }
    }

    /// Reads the answer to a capture, a cancellation or a refund, which states no amount.
    ///
    /// 5 and 7 are also system errors and operations in progress.
    ///
    /// Source: BPC, *REST API*, "Order management"; Sberbank, OpenAPI 1.0.7, for the codes.
    package static func operationReport(
        _ response: GatewayResponse, of kind: PaymentOperation.Kind
    ) -> PaymentReport {
        let empty = PaymentReport(gateway: gatewayName, about: kind.subject)
        return PaymentReport.answer(response, empty) { answer, report throws(UnreadableJSONError) in
            guard let code = try errorCode(answer) else {
                return try checkMissing("errorCode", response)
            }
            report.status = "\(code)"
            switch code {
            case 0: report.meaning = .booked
            case 5, 7: report.fault = "The gateway reported the error \(code)."
            default:
                report.meaning = .refused
                report.refusal = .init(
                    code: "\(code)", text: answer["errorMessage"]?.string, origin: .operator)
            }
        }
    }

    /// Throws for a missing member, except in an HTTP error that has its usual meaning: 400 is an internal error.
    private static func checkMissing(
        _ member: String, _ response: GatewayResponse
    ) throws(UnreadableJSONError) {
        guard response.isAccepted || response.status == 400 else { return }
        throw .init(.missingMember, field: member)
    }

    /// Returns `errorCode`, or the spelling of older servers.
    private static func errorCode(_ value: AnswerValue) throws(UnreadableJSONError) -> Int64? {
        let former = try value.integer("ErrorCode")
        return try value.integer("errorCode") ?? former
    }
}
