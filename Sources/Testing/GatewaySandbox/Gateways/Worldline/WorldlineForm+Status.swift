/// The statuses of Worldline.
///
/// Source: Worldline Direct, *Statuses*, and the official plugins' lists of codes; Connect's SDKs, `Payment.status`.
/// Direct has no word for a chargeback, nor for a card check.
extension WorldlineForm {
    /// A status in the three forms in which an answer states it.
    typealias Status = (name: String, category: String, code: Int64)

    /// Returns the status of a payment.
    func status(_ payment: SandboxPayment) -> Status {
        switch payment.state {
        case .awaitingCustomer, .confirmed: ("REDIRECTED", "PENDING_PAYMENT", isDirect ? 46 : 50)
        case .processing:
            ("AUTHORIZATION_REQUESTED", "PENDING_CONNECT_OR_3RD_PARTY", isDirect ? 51 : 200)
        case .declined: ("REJECTED", "UNSUCCESSFUL", isDirect ? 2 : 100)
        case .abandoned: ("CANCELLED", "UNSUCCESSFUL", isDirect ? 1 : 99_999)
        case .accepted: isDirect ? directStatus(payment) : connectStatus(payment)
        }
    }

    /// Returns the status of an accepted payment of Direct: 5 while something is left to capture, then 9, 8 or 6.
    private func directStatus(_ payment: SandboxPayment) -> Status {
        if payment.authorized > 0 || payment.isOpenCheck {
            return ("PENDING_CAPTURE", "PENDING_MERCHANT", 5)
        }
        if payment.captureRequested > 0 {
            return ("CAPTURE_REQUESTED", "PENDING_CONNECT_OR_3RD_PARTY", 91)
        }
        if payment.captured > 0 {
            if payment.refunded == payment.captured { return ("REFUNDED", "REFUNDED", 8) }
            return payment.refundable == 0
                ? ("REFUND_REQUESTED", "REVERSED", 81) : ("CAPTURED", "COMPLETED", 9)
        }
        return ("CANCELLED", "UNSUCCESSFUL", payment.cancelRequested > 0 ? 61 : 6)
    }

    /// Returns the status of an accepted payment of Connect, without a word for a waiting cancellation.
    private func connectStatus(_ payment: SandboxPayment) -> Status {
        if payment.isOpenCheck { return ("ACCOUNT_VERIFIED", "ACCOUNT_VERIFIED", 300) }
        if payment.chargedBack > 0 { return ("CHARGEBACKED", "REVERSED", 1500) }
        if payment.authorized + payment.cancelRequested > 0 {
            return requiresApproval(payment)
                ? ("PENDING_APPROVAL", "PENDING_MERCHANT", 600)
                : ("PENDING_CAPTURE", "PENDING_MERCHANT", 600)
        }
        if payment.captureRequested > 0 {
            return ("CAPTURE_REQUESTED", "PENDING_CONNECT_OR_3RD_PARTY", 800)
        }
        if payment.captured > 0 {
            return payment.refunded == payment.captured
                ? ("REFUNDED", "REFUNDED", 1800) : ("PAID", "COMPLETED", 1000)
        }
        return ("CANCELLED", "UNSUCCESSFUL", 99_999)
    }

    /// Returns whether a payment allows only one capture, by an approval.
    func requiresApproval(_ payment: SandboxPayment) -> Bool {
        payment["requiresApproval"]?.boolean == true
    }

    /// Returns the status of an operation.
    func status(_ operation: Operation) -> Status {
        let isDone = operation.isDone
        let pending = "PENDING_CONNECT_OR_3RD_PARTY"
        return switch operation.kind {
        case .capture where isDone: ("CAPTURED", "COMPLETED", isDirect ? 9 : 1000)
        case .capture: ("CAPTURE_REQUESTED", pending, isDirect ? 91 : 800)
        case .cancel where isDirect && !isDone: ("CANCELLED", "PENDING_MERCHANT", 61)
        case .cancel: ("CANCELLED", "UNSUCCESSFUL", isDirect ? 6 : 99_999)
        case .refund where isDone: ("REFUNDED", "REFUNDED", isDirect ? 8 : 1800)
        case .refund: ("REFUND_REQUESTED", pending, isDirect ? 81 : 800)
        case .chargeback: ("CHARGEBACKED", "REVERSED", 1500)
        }
    }

    /// Returns a status as an object; after CancelPayment of Direct the payment still counts as authorized.
    func statusOutput(_ payment: SandboxPayment, _ status: Status) -> JSON {
        let isAuthorized = payment.authorized > 0 || payment.isOpenCheck
        return [
            "isAuthorized": .boolean(isAuthorized || status.category == "PENDING_MERCHANT"),
            "isCancellable": .boolean(isAuthorized),
            "isRefundable": .boolean(payment.refundable > 0),
            "statusCategory": .string(status.category), "statusCode": .integer(status.code),
            "errors": payment.state == .declined ? [decline(payment)] : nil,
        ]
    }
}
