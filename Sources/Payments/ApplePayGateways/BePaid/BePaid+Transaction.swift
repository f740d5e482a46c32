internal import ApplePayAcceptance
internal import ApplePayWire

extension BePaid {
    /// A transaction in an answer or a message: a payment, or an operation on one.
    ///
    /// Source: bePaid, *Payment*, *Capture*, *Void*, *Refund*, *Transaction statuses*, *Processing codes*, *Error response*
    /// (2026-11-22); beGateway's iOS SDK, `ResponsePaymentV2`.
    struct Transaction {
        /// The statements, without totals.
        var report: PaymentReport
        /// `uid`.
        let uid: ExactText?
        /// `parent_uid`: the transaction that was captured, voided, refunded or charged back.
        let parentUID: ExactText?
        /// `type`, or the name of the acquirer's part.
        let type: ExactText?
        /// Whether the transaction reserves money without capturing it.
        let isAuthorization: Bool

        /// Reads the transaction of an answer, or the members of an error.
        ///
        /// - Throws: Those of ``init(_:about:)``.
        static func read(
            _ answer: AnswerValue, about: PaymentReport.Subject = .payment
        ) throws(PaymentError) -> Transaction {
            let object = try object(in: answer)
            var transaction = try Transaction(object, about: about)
            guard transaction.uid == nil, try !isOwnError(object, of: answer) else {
                if let errors = object["errors"] {
                    transaction.report.refusal?.blame(members(of: errors))
                }
                return transaction
            }
            if transaction.report.meaning == .refused { transaction.report.meaning = .undocumented }
            transaction.report.refusal = nil
            return transaction
        }

        /// Returns the members that an error names, those of an object after its name; `base` and `system` are none.
        private static func members(of errors: AnswerValue) -> [ExactText] {
            errors.members.flatMap { name, value in
                value.isObject ? value.members.map { "\(name).\($0.name)" } : [name]
            }.filter { $0 != "base" && $0 != "system" }
        }

        /// Returns whether an object without a transaction is an error of bePaid's, and not that of a proxy: a text with
        /// the members at fault, with a code of bePaid's, or in `response`.
        ///
        /// Source: bePaid, *Error response*, *API version 3* (2026-11-22).
        private static func isOwnError(
            _ object: AnswerValue, of answer: AnswerValue
        ) throws(PaymentError) -> Bool {
            let code = Array((try object.text("code") ?? "").utf8)
            let hasCode =
                code.count == 6 && "EFPS".utf8.contains(code[0]) && code[1] == UInt8(ascii: ".")
                && code[2...].allSatisfy(\.isDigit)
            let response = try answer.object("response")
            let isInner = answer["uid"] == nil && response != nil
            let hasErrors = object["errors"]?.isObject == true
            return object["message"]?.isString == true && (hasErrors || hasCode || isInner)
        }

        /// Returns the object of the transaction in an answer or a message, or that of an error.
        ///
        /// Version 3 has the members at the top level, where a member `transaction` is the acquirer's part; other versions
        /// have them in `transaction`, and the checkout and errors in `response`.
        static func object(in answer: AnswerValue) throws(PaymentError) -> AnswerValue {
            let transaction = try answer.object("transaction")
            let response = try answer.object("response")
            let isOuter = answer["uid"] != nil || answer["status"] != nil
            return isOuter ? answer : transaction ?? response ?? answer
        }

        /// Reads a transaction, or the members of an error; what it is about is given for one that does not state a type.
        ///
        /// - Throws: `malformed`, or `missing-member` for a success without `uid`, such as that of a check.
        init(
            _ value: AnswerValue, about: PaymentReport.Subject = .payment
        ) throws(PaymentError) {
            let kinds: [ExactText] = [
                "authorization", "payment", "capture", "void", "refund", "chargeback",
            ]
            let part = kinds.first { value[String($0)] != nil }
            type = try value.text("type") ?? part
            isAuthorization = type == "authorization" || part == "authorization"
            uid = try value.text("uid")
            parentUID = try value.text("parent_uid")
            report = PaymentReport(
                gateway: BePaid.gatewayName, about: type.map(Self.subject) ?? about)
            report.status = try value.text("status")
            report.currency = try value.text("currency")?.uppercasedASCII
            report.isTest = try value.boolean("test")
            let isTask = value["status_url"] != nil || value["response_url"] != nil
            judge(try value.text("code"), value["message"]?.string, isTask: isTask)
            if report.status == "successful", uid == nil {
                throw .gateway(.missingMember, "uid")
            }
            let amount = try value.integer("amount")
            guard report.about == .payment else {
                report.operationID = uid
                report.operationAmount = amount
                report.hasChargeback = report.about == .chargeback
                // The parent of a refund or a chargeback may be a capture.
                let namesPayment = report.about == .capture || report.about == .cancellation
                report.paymentID = namesPayment ? parentUID : nil
                return
            }
            report.paymentID = uid
            report.reference = try value.text("tracking_id")
            report.ordered = amount
            report.card = try Self.card(value)
            guard report.meaning == .awaitingCustomer else { return }
            let url = try value.text("url")
            report.setAddress(try value.text("redirect_url") ?? url)
        }

        /// Returns the card of a transaction, if bePaid gave it a token: `credit_card`, in version 3 `payment_method`.
        private static func card(_ value: AnswerValue) throws(PaymentError) -> PaymentReport.Card? {
            let ofVersion3 = try value.object("payment_method")
            guard let object = try value.object("credit_card") ?? ofVersion3,
                var card = try object.text("token").flatMap({ PaymentReport.Card($0) })
            else { return nil }
            card.setNumber(try object.text("last_4").map { "…\($0)" })
            card.setExpiry(
                year: try object.integer("exp_year"), month: try object.integer("exp_month"))
            card.network = try object.text("brand")
            return card
        }

        private static func subject(_ type: ExactText) -> PaymentReport.Subject {
            switch type {
            case "payment", "authorization", "charge": .payment
            case "void": .cancellation
            default: PaymentReport.Subject(rawValue: type)
            }
        }

        /// Fills in what `status` and `code` mean.
        ///
        /// `processing` is the status of a task under `/async`, whose transaction is not decided. Duplicates, unknown reasons
        /// and the gateway's own errors decide nothing, and a success must not have the code of something else.
        private mutating func judge(_ code: ExactText?, _ message: ExactText?, isTask: Bool) {
            let cause = Self.cause(code)
            report.meaning =
                switch report.status {
                case "successful": .booked
                case "incomplete": .awaitingCustomer
                case "pending": .undecided
                case "processing" where isTask: .undecided
                case "failed", "expired": .refused
                case "error" where cause == .operator: .refused
                default: .undocumented
                }
            let undecided: [ExactText] = [
                "F.0108", "F.0215", "F.0399", "F.0997", "F.0999", "P.1019", "P.9999",
            ]
            let isSuccess = report.meaning == .booked
            let isDuplicate = !isSuccess && message?.lowercasedASCII.contains("duplicate") == true
            let isError = code?.hasPrefix("E.") == true || report.status == "error" && uid != nil
            if isSuccess && code?.hasPrefix("S.") == false || isError && cause != .operator
                || isDuplicate || code.map(undecided.contains) == true
            {
                report.fault = "The answer decides nothing (code \(code ?? "unknown"))."
            }
            guard report.meaning == .refused || report.meaning == .undocumented else { return }
            // An answer without a transaction is about the merchant's request.
            let other: PaymentReport.Refusal.Origin = uid == nil ? .operator : .issuer
            report.refusal = .init(code: code, text: message, origin: cause ?? other)
            if report.status == "expired" { report.refusal?.origin = .customer }
        }

        /// Returns who caused what a code states: the merchant's account or request; the customer, who did not confirm or
        /// failed 3-D Secure; nil for all other causes.
        private static func cause(_ code: ExactText?) -> PaymentReport.Refusal.Origin? {
            let digits = code.map { String(decoding: $0.utf8.dropFirst(2), as: UTF8.self) }
            return
                switch (
                    code?.utf8.first.map { Unicode.Scalar($0) }, digits.flatMap { Int($0) } ?? 0
                )
            {
            case ("E", 601...607), ("E", 609...617), ("E", 621...634), ("E", 637...665),
                ("E", 1001...1017), ("E", 1021...1034), ("E", 1037...1065), ("F", 100...104),
                ("F", 106...107), ("F", 113), ("F", 128), ("F", 2010...2011):
                .operator
            case ("F", 131...134), ("F", 998), ("F", 4000...4999): .customer
            default: nil
            }
        }

        /// Fills in the totals of a payment from its amount and the transactions on it or on one of its captures.
        ///
        /// An amount that is neither captured nor voided counts as reserved, although bePaid does not document a second capture.
        mutating func fillTotals(from all: [Transaction]) throws(PaymentError) {
            guard report.meaning == .booked, let uid, let amount = report.ordered else { return }
            let captures = all.filter { $0.report.about == .capture && $0.parentUID == uid }
            let parents = [uid] + captures.compactMap(\.uid)
            let children = all.filter { $0.parentUID.map(parents.contains) == true }
            for child in children {
                let (about, meaning) = (child.report.about, child.report.meaning)
                let isReturn = about == .refund || about == .chargeback
                let isOther = about == .capture || about == .cancellation
                guard isReturn || isOther && isAuthorization && child.parentUID == uid,
                    child.report.fault == nil, meaning != .undocumented
                else {
                    report.fault = "The effect of a \(about.rawValue) on the payment is not known."
                    return
                }
                guard meaning == .refused || child.report.operationAmount ?? -1 >= 0,
                    child.report.currency ?? report.currency == report.currency
                else { throw .gateway(.malformed, "transactions.amount") }
            }
            func sum(_ reports: [PaymentReport], _ about: PaymentReport.Subject...) -> Int64 {
                let amounts = reports.filter { about.contains($0.about) }.map(\.operationAmount)
                return Int64(clamping: amounts.reduce(Int128(0)) { $0 + Int128($1 ?? 0) })
            }
            let reports = children.map(\.report).filter { $0.meaning != .refused }
            let done = reports.filter { $0.meaning == .booked }
            let open = reports.filter { $0.meaning != .booked }
            let captured = isAuthorization ? sum(done, .capture) : amount
            let (requested, voided) = (sum(open, .capture), sum(done, .cancellation))
            let left = Int128(amount) - Int128(captured) - Int128(requested) - Int128(voided)
            report.authorized = Int64(clamping: max(left, 0))
            report.captureRequested = requested
            report.captured = captured
            report.refundRequested = sum(open, .refund, .chargeback)
            report.refunded = sum(done, .refund, .chargeback)
            report.hasChargeback = reports.contains { $0.about == .chargeback }
            if left <= 0, captured == 0, requested == 0 { report.meaning = .cancelled }
        }
    }
}
