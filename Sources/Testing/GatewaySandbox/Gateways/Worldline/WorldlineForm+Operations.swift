/// Captures, cancellations and refunds of Worldline.
///
/// Source: the server SDKs, `CapturePaymentRequest`, `ApprovePaymentRequest`, `CancelPaymentRequest`, `RefundRequest`
/// and their answers; `PaymentDetailsResponse`; the live tests of Direct's SDKs.
extension WorldlineForm {
    /// Captures a payment, or approves a payment of Connect's that requires it.
    ///
    /// A capture without an amount is final; an approval always is, because it allows only one capture.
    @Sendable func capture(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let isApproval = call.request.path.hasSuffix("/approve")
        let amount = call.body["amount"]?.integer
        if let payment = book[payment: paymentID(call), of: call.gateway.name],
            isApproval != requiresApproval(payment)
        {
            return .answer(call.fault(.refused(.notAuthorized)))
        }
        return perform(.capture, call, &book) { operation in
            operation.amount = amount
            let isFinal = call.body["isFinal"]?.boolean == true
            operation.isFinal = isApproval || amount == nil || isFinal
        } _: { payment, operation in
            guard isApproval else { return SandboxAnswer(201, answer(operation, payment)) }
            return SandboxAnswer(200, ["payment": self.payment(payment)])
        }
    }

    /// Cancels a payment; only Direct can cancel a part.
    ///
    /// Connect's answer has the acquirer's code: `0` if it released the amount, `98` if it did not answer.
    @Sendable func cancel(_ call: Call, _ book: inout PaymentBook) -> Reply {
        perform(.cancel, call, &book) { operation in
            if isDirect {
                operation.amount = call.body["amountOfMoney.amount"]?.integer
            } else {
                operation.progress = .done
            }
        } _: { payment, operation in
            let output: JSON = ["voidResponseId": operation.isDone ? "0" : "98"]
            let body: JSON = [
                "payment": self.payment(payment, as: status(operation)),
                "cardPaymentMethodSpecificOutput": isDirect ? nil : output,
            ]
            return SandboxAnswer(200, body)
        }
    }

    @Sendable func refund(_ call: Call, _ book: inout PaymentBook) -> Reply {
        perform(.refund, call, &book) { operation in
            operation.amount = call.body["amountOfMoney.amount"]?.integer
        } _: { payment, operation in
            SandboxAnswer(201, answer(operation, payment))
        }
    }

    private func perform(
        _ kind: Operation.Kind,
        _ call: Call,
        _ book: inout PaymentBook,
        _ complete: (inout Operation) -> Void,
        _ answer: (SandboxPayment, Operation) -> SandboxAnswer
    ) -> Reply {
        let reference =
            call.body["operationReferences.merchantReference"]
            ?? call.body["references.merchantReference"]
        func operation(_ payment: SandboxPayment) -> Operation {
            var operation = Operation(
                kind: kind, id: operationID(kind, payment), reference: reference?.string,
                progress: .requested(queries: 1))
            complete(&operation)
            return operation
        }
        return call.perform(on: paymentID(call), in: &book, operation, answer)
    }

    /// Returns an identifier: the number that follows the last operation's.
    private func operationID(_ kind: Operation.Kind, _ payment: SandboxPayment) -> String {
        let number = payment.operations.count + 1
        if isDirect { return "\(payment.id.prefix { $0 != "_" })_\(number)" }
        let base = payment.id.prefix(20)
        return kind == .refund ? "\(base)-30000\(number)" : "\(base)00001\(10_001 + number)"
    }

    /// Answers the list of a payment's captures or refunds, which does not count as a status query.
    ///
    /// The list of a sale's captures is empty.
    func list(_ kind: Operation.Kind, _ call: Call, _ book: PaymentBook) -> Reply {
        guard let payment = book[payment: paymentID(call), of: call.gateway.name] else {
            return .answer(call.fault(.notFound))
        }
        let list = payment.operations.filter { $0.kind == kind }.map { answer($0, payment) }
        return .ok(["\(kind.rawValue)s": .array(list)])
    }

    /// Returns a capture or a refund.
    func answer(_ operation: Operation, _ payment: SandboxPayment) -> JSON {
        let status = status(operation)
        let isCapture = operation.kind == .capture
        let amount = money(operation.amount ?? 0, payment)
        let output: JSON = [
            "amountOfMoney": amount, "acquiredAmount": isCapture && isDirect ? amount : nil,
            "references": references(payment),
            "operationReferences": operation.reference.map { ["merchantReference": .string($0)] },
            "paymentMethod": "mobile",
        ]
        return [
            "id": .string(operation.id), "status": .string(status.name),
            "statusOutput": [
                "isCancellable": isCapture ? nil : false,
                "statusCategory": isCapture ? nil : .string(status.category),
                "statusCode": .integer(status.code),
            ], isCapture ? "captureOutput" : "refundOutput": output,
        ]
    }

    /// Returns a payment with its operations, as GetPaymentDetails answers it: the authorization or the sale, then
    /// what was done to it.
    func details(_ payment: SandboxPayment) -> JSON {
        var first = status(payment)
        if payment.state == .accepted {
            first =
                payment.isSale
                ? ("CAPTURED", "COMPLETED", 9) : ("PENDING_CAPTURE", "PENDING_MERCHANT", 5)
        }
        func operation(_ id: String, _ amount: Int64?, _ status: Status, _ own: String?) -> JSON {
            [
                "id": .string(id), "amountOfMoney": money(amount ?? 0, payment),
                "status": .string(status.name), "statusOutput": statusOutput(payment, status),
                "paymentMethod": "mobile", "references": references(payment),
                "operationReferences": own.map { ["merchantReference": .string($0)] },
            ]
        }
        let others = payment.operations.map {
            operation($0.id, $0.amount, status($0), $0.reference)
        }
        let all = [operation(payment.id, payment.approved, first, nil)] + others
        return self.payment(payment).adding(["Operations": .array(all)])
    }
}
