internal import ApplePayAcceptance

extension Worldline {
    /// A payment, a capture or a refund in Worldline's answers and messages.
    struct PaymentState {
        /// `id`, of the payment or of the operation.
        let id: ExactText
        /// `status`.
        let status: ExactText
        /// `statusOutput.statusCode`.
        let code: Int64?
        /// `statusOutput.isAuthorized`.
        let isAuthorized: Bool?
        /// `amountOfMoney.amount` in minor units: of the payment, or of the operation that the object is about.
        let amount: Int64?
        /// `amountOfMoney.currencyCode`, in capital letters.
        let currency: ExactText?
        /// `acquiredAmount` of Direct in the same currency.
        let acquired: Int64?
        /// `surchargeSpecificOutput.surchargeAmount` of Direct in the same currency, 0 if there is none.
        let surcharge: Int64
        /// `references.merchantReference`.
        let reference: ExactText?
        /// `merchantParameters` of the output or of its references, the mark of the payment at Direct.
        let mark: ExactText?
        /// The first of `statusOutput.errors`.
        let refusal: PaymentReport.Refusal?

        /// `paymentOutput`, `captureOutput` or `refundOutput`.
        let output: AnswerValue?
        let platform: Platform

        private let value: AnswerValue

        /// Reads the object.
        ///
        /// - Throws: `missing-member` or `malformed` for `id` and `status`, `malformed` for the others, also for two marks
        ///   that differ.
        init(_ value: AnswerValue, _ platform: Platform) throws(PaymentError) {
            id = try value.mandatoryText("id")
            status = try value.mandatoryText("status")
            let state = try value.object("statusOutput")
            code = try state?.integer("statusCode")
            isAuthorized = try state?.boolean("isAuthorized")
            let outputs = [
                try value.object("paymentOutput"), try value.object("captureOutput"),
                try value.object("refundOutput"),
            ]
            output = outputs.compactMap { $0 }.first
            // The operations of GetPaymentDetails have no output.
            let money = try (output ?? value).object("amountOfMoney")
            currency = try money?.text("currencyCode")?.uppercasedASCII
            if let stated = try money?.integer("amount") {
                guard let currency else { throw .gateway(.missingMember, "currencyCode") }
                amount = try platform.scale.minorUnits(stated, of: currency, "amountOfMoney")
            } else {
                amount = nil
            }
            acquired = try Self.amount("acquiredAmount", in: output, currency, platform)
            let surcharges = try output?.object("surchargeSpecificOutput")
            surcharge =
                try Self.amount("surchargeAmount", in: surcharges, currency, platform) ?? 0
            reference = try output?.text("references", "merchantReference")
            let marks = [
                try output?.text("references", "merchantParameters"),
                try output?.text("merchantParameters"),
            ].compactMap { $0 }
            mark = marks.first
            guard marks.allSatisfy({ $0 == marks[0] }) else {
                throw .gateway(.malformed, "merchantParameters")
            }
            refusal =
                if let state { try Worldline.refusal(state, else: .issuer) } else { nil }
            self.value = value
            self.platform = platform
        }

        /// Returns an amount of Direct in minor units; nil if it is missing or in another currency, such as that of a settlement.
        private static func amount(
            _ name: String, in object: AnswerValue?, _ currency: ExactText?, _ platform: Platform
        ) throws(PaymentError) -> Int64? {
            guard platform.isDirect, let money = try object?.object(name),
                let amount = try money.integer("amount")
            else { return nil }
            let stated = try money.text("currencyCode")
            guard amount >= 0 else { throw .gateway(.malformed, name) }
            return stated?.uppercasedASCII == currency ? amount : nil
        }

        /// The most that is authorized or captured: what the acquirer took, less the surcharge; nil if it is not stated.
        ///
        /// A part is acquired if the customer pays in parts, such as with vouchers.
        ///
        /// Source: Worldline Direct server SDKs, `PaymentOutput.acquiredAmount`, `CaptureOutput.acquiredAmount`: "amount that has
        /// been acquired by the acquirer"; the official plugins' comparisons with `surchargeSpecificOutput`.
        var limit: Int64? { acquired?.without(surcharge) }

        /// Returns why the acquired amount contradicts the ordered one; nil if it does not.
        var excess: ExactText? {
            guard let limit, let amount, limit > amount else { return nil }
            return "The acquirer took more than was ordered."
        }

        /// The amount of the operation that the object is about, as far as it was acquired.
        var operationAmount: Int64? { amount.map { min($0, limit ?? $0) } }

        /// The identifier with which the payment is asked for.
        ///
        /// Direct's identifiers end with the number of the operation, `_0` for the payment itself, or in a newer form with
        /// three digits, `000` for the payment itself.
        ///
        /// Source: Worldline Direct, *Webhooks: payment.id*; the official plugins' `PaymentId`.
        var paymentID: ExactText {
            guard platform.isDirect else { return id }
            let number = ExactText(utf8: id.utf8.prefix { $0 != UInt8(ascii: "_") })
            guard number == id else { return "\(number)_0" }
            guard id.utf8.count >= 19 else { return "\(id)_0" }
            return "\(ExactText(utf8: id.utf8.dropLast(3)))000"
        }

        /// Fills in everything but the totals, and Connect's totals.
        func fill(
            _ report: inout PaymentReport, withTotals: Bool = true
        ) throws(PaymentError) {
            report.paymentID = paymentID
            report.status = status
            report.meaning = meaning
            report.reference = reference
            report.mark = mark
            report.currency = currency
            report.ordered = amount
            report.refusal = refusal ?? report.refusal ?? (meaning == .refused ? .init() : nil)
            report.hasChargeback = ["CHARGEBACKED", "CHARGEBACK_NOTIFICATION"].contains(status)
            if !platform.isDirect, withTotals { try fillTotals(&report) }
            report.card = try card()
        }

        /// Fills in the totals of a payment that was made a moment ago.
        func fillFirstAmounts(_ report: inout PaymentReport) {
            report.fault = excess ?? report.fault
            let ordered = amount
            let amount = operationAmount
            switch status {
            // 9 is Direct's code for a captured payment, whatever the word.
            case "PENDING_CAPTURE" where platform.isDirect && code == 9: report.captured = amount
            case "PENDING_CAPTURE", "PENDING_APPROVAL", "REJECTED_CAPTURE":
                report.authorized = amount
            // The acquirer has not answered.
            case "CAPTURE_REQUESTED": report.captureRequested = ordered
            case "CAPTURED", "PAID": report.captured = amount
            default: break
            }
        }

        /// Fills in Connect's totals, where the answer has them.
        ///
        /// Captured money without a total of refunds, and a status that reports a return without its amount, do not state
        /// how much is left: then nothing is filled in. A payment that allows only one capture has none before its approval.
        ///
        /// Source: Connect's server SDKs from version 8, `PaymentOutput`, whose totals are integers with two decimals.
        private func fillTotals(_ report: inout PaymentReport) throws(PaymentError) {
            func total(_ name: String) throws(PaymentError) -> Int64? {
                guard let stated = try output?.integer(name), let currency else { return nil }
                guard stated >= 0 else { throw .gateway(.malformed, name) }
                return try platform.scale.minorUnits(stated, of: currency, name)
            }
            let (amountCaptured, paid) = (try total("amountCaptured"), try total("amountPaid"))
            let captured = amountCaptured ?? paid
            let requested = try total("amountCaptureRequested")
            let (refunded, reversed) = (try total("amountRefunded"), try total("amountReversed"))
            let returnRequested = try total("amountRefundRequested")
            let sum = Int128(refunded ?? 0) + Int128(reversed ?? 0)
            guard status != "PENDING_APPROVAL" else {
                report.authorized = amount
                return
            }
            let isReturn = ["REFUNDED", "REFUND_REQUESTED", "REVERSED"].contains(status)
            let isComplete =
                isReturn
                ? sum > 0 || returnRequested ?? 0 > 0
                : captured ?? 0 == 0 || refunded != nil || returnRequested != nil
                    || report.hasChargeback
            guard captured != nil || requested != nil, isComplete || meaning != .booked
            else { return }
            report.captured = captured
            report.captureRequested = requested
            report.refundRequested =
                status == "CHARGEBACK_NOTIFICATION" ? captured : returnRequested
            report.refunded = status == "CHARGEBACKED" ? captured : Int64(clamping: sum)
            if status == "PENDING_CAPTURE" || status == "REJECTED_CAPTURE" {
                report.authorized = amount?.without(captured ?? 0, requested ?? 0)
            }
        }

        /// The meaning of `status`; for Direct, only the code distinguishes a refused payment from a refused operation on it.
        ///
        /// Source: Worldline Direct, *Statuses* (2026-11-22), and the official plugins' lists of codes; Connect's SDKs,
        /// `Payment.status`.
        private var meaning: PaymentReport.Meaning {
            switch (status, platform.isDirect ? code ?? -1 : nil) {
            case ("PAID", _) where platform.isDirect: .undocumented
            case ("CAPTURED", _), ("PAID", _), ("PENDING_CAPTURE", _), ("PENDING_APPROVAL", _),
                ("CAPTURE_REQUESTED", _), ("REJECTED_CAPTURE", _), ("REFUND_REQUESTED", _),
                ("REFUNDED", _), ("REVERSED", _), ("CHARGEBACK_NOTIFICATION", _),
                ("CHARGEBACKED", _):
                .booked
            // A refund or a deletion was refused; a cancellation was refused.
            case ("REJECTED", 73), ("REJECTED", 83), ("CANCELLED", 63), ("CANCELLED", 64): .booked
            case ("REJECTED", nil), ("REJECTED", 0), ("REJECTED", 2), ("REJECTED", 57),
                ("REJECTED", 59), ("CANCELLED", 1):
                .refused
            case ("CANCELLED", nil), ("CANCELLED", 0), ("CANCELLED", 6): .cancelled
            case ("CANCELLED", 61), ("CANCELLED", 62): .undecided
            case ("ACCOUNT_VERIFIED", _): .verified
            case ("CREATED", _), ("PENDING_PAYMENT", _), ("PENDING_FRAUD_APPROVAL", _),
                ("PENDING_COMPLETION", _), ("AUTHORIZATION_REQUESTED", _):
                .undecided
            case ("REDIRECTED", _): .awaitingCustomer
            default: .undocumented
            }
        }
    }

    /// Reads the answer to GetPaymentDetails of Direct, whose operations state what is captured and refunded.
    ///
    /// Source: Worldline Direct server SDKs, `PaymentDetailsResponse`; the official plugins' sums over the codes of
    /// `Operations`.
    package static func detailsReport(_ response: GatewayResponse) -> PaymentReport {
        queryReport(response, .direct) { answer, report throws(PaymentError) in
            let state = try PaymentState(answer, .direct)
            try state.fill(&report)
            let operations = try answer.objects("Operations")
            guard !operations.isEmpty else {
                // Without an operation the payment itself is all that has happened.
                if state.code == 5 || state.code == 9 { state.fillFirstAmounts(&report) }
                return
            }
            var sums: [OperationClass: Int64] = [:]
            for operation in operations {
                let operation = try PaymentState(operation, .direct)
                guard let kind = operation.operationClass else {
                    throw .gateway(.malformed, "Operations.status")
                }
                if kind == .nothing { continue }
                guard let amount = operation.amount, amount >= 0,
                    operation.currency == state.currency
                else { throw .gateway(.malformed, "Operations.amountOfMoney") }
                sums[kind, default: 0].add(amount)
            }
            guard !sums.isEmpty else { return }
            report.fault = state.excess ?? report.fault
            // The operations may contain the surcharge, which is not a part of the order.
            if state.surcharge > 0, let ordered = state.amount, state.limit == ordered {
                let whole = Int128(ordered) + Int128(state.surcharge)
                for (kind, sum) in sums where Int128(sum) == whole { sums[kind] = ordered }
            }
            let returned = (sums[.refunded] ?? 0, sums[.refundRequested] ?? 0)
            if state.isReturn, returned == (0, 0) {
                report.fault = "The payment was given back, but no operation states how much."
            }
            if let limit = state.limit, ["PENDING_CAPTURE", "CAPTURED"].contains(state.status) {
                // What was given back had been captured, whatever is left of it.
                let least = Int128(returned.0) + Int128(returned.1)
                for kind in [OperationClass.authorized, .captured] where Int128(limit) >= least {
                    sums[kind] = sums[kind].map { min($0, limit) }
                }
            }
            let (captured, requested) = (sums[.captured] ?? 0, sums[.captureRequested] ?? 0)
            let left = (sums[.authorized] ?? 0).without(
                captured, requested, sums[.cancelled] ?? 0)
            (report.captured, report.captureRequested) = (captured, requested)
            let isOpen = state.isAuthorized ?? (state.status == "PENDING_CAPTURE")
            report.authorized = isOpen ? left : 0
            (report.refunded, report.refundRequested) = returned
            // A refused operation is not the state of a payment of which money is reserved or taken.
            let isHeld = report.authorized != 0 || captured > 0 || requested > 0
            if isHeld, report.meaning != .undocumented { report.meaning = .booked }
        }
    }

    /// The effect of an operation of GetPaymentDetails on the amounts.
    fileprivate enum OperationClass {
        case nothing, authorized, captureRequested, captured, cancelled, refundRequested, refunded
    }
}

extension Worldline.PaymentState {
    /// Whether the status states that money was or will be given back.
    fileprivate var isReturn: Bool {
        ["REFUNDED", "REFUND_REQUESTED", "REVERSED"].contains(status)
            || [7, 8, 85, 71, 72, 81, 82].contains(code)
    }

    /// The effect of an operation on the amounts, nothing if it was refused; nil for a status that is not documented.
    fileprivate var operationClass: Worldline.OperationClass? {
        switch code {
        case 5: return .authorized
        case 9: return .captured
        case 4, 91, 92, 99: return .captureRequested
        case 6, 61, 62: return .cancelled
        case 7, 8, 85: return .refunded
        // A deletion that waits, or whose result is uncertain, may give the money back.
        case 71, 72, 81, 82: return .refundRequested
        case 0, 1, 2, 46, 50, 51, 52, 55, 56, 57, 59, 63, 64, 73, 83, 93: return .nothing
        case nil: break
        default: return nil
        }
        switch status {
        case "PENDING_CAPTURE": return .authorized
        case "CAPTURED": return .captured
        case "CAPTURE_REQUESTED": return .captureRequested
        case "CANCELLED": return .cancelled
        case "REFUNDED": return .refunded
        case "REFUND_REQUESTED": return .refundRequested
        case "CREATED", "REDIRECTED", "REJECTED", "REJECTED_CAPTURE": return .nothing
        default: return nil
        }
    }
}
