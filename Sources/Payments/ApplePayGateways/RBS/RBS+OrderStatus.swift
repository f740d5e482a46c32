internal import ApplePayAcceptance

extension RBS {
    /// Fills in the state of an order.
    ///
    /// `depositedAmount` is what remains after refunds, `approvedAmount` is not reduced by captures, and `amount` is what was
    /// registered. Which members an answer contains depends on the merchant's settings: without `paymentAmountInfo` (from
    /// response version 3 on) only the first answer to a payment states totals. 4 may follow the refund of a part, and some
    /// banks write 7 for it.
    ///
    /// Source: BPC, *REST API*, "Order status"; for the amounts answers recorded at Alfa-Bank's test gateway.
    static func fill(
        _ report: inout PaymentReport, _ order: AnswerValue, isFirst: Bool
    ) throws(PaymentError) {
        let state = try order.integer("orderStatus")
        report.status = state.map { "\($0)" }
        report.reference = try order.text("orderNumber")
        report.mark = try mark(order)
        report.paymentID = try order.objects("attributes").first {
            $0["name"]?.string == "mdOrder"
        }?.text("value")
        report.card = try card(order)
        report.currency = try currency(order)
        report.ordered = try amount("amount", order)
        let info = try order.object("paymentAmountInfo")
        let approved = try amount("approvedAmount", info)
        let deposited = try amount("depositedAmount", info)
        report.refunded = try amount("refundedAmount", info)
        report.captured = deposited.map { deposited in
            Int64(clamping: Int128(deposited) + Int128(report.refunded ?? 0))
        }
        let taken = report.captured ?? 0
        let held = approved ?? (isFirst || info != nil ? report.ordered : nil)
        switch state {
        case 0: report.meaning = .undecided
        case 1, 8:
            report.meaning = .booked
            report.authorized = held.map { max($0 - taken, 0) }
        case 2:
            report.meaning = .booked
            if isFirst, info == nil { report.captured = report.ordered }
            report.authorized = report.captured.map { _ in 0 }
        case 3: report.meaning = .cancelled
        case 4: report.meaning = .booked
        case 5: report.meaning = .awaitingCustomer
        case 6:
            report.meaning = .refused
            report.authorized = approved
            try refuse(&report, order)
        case 7: report.meaning = taken > 0 ? .booked : .undecided
        default: report.meaning = .undocumented
        }
        report.hasChargeback = try order.boolean("chargeback") ?? false
        if report.hasChargeback, report.refunded ?? 0 == 0 {
            report.refundRequested = report.captured
        }
    }

    /// Returns the card of an order that was stored with the payment, or that paid it: `bindingInfo` and `cardAuthInfo`.
    private static func card(_ order: AnswerValue) throws(PaymentError) -> PaymentReport.Card? {
        guard
            var card = try order.text("bindingInfo", "bindingId")
                .flatMap({ PaymentReport.Card($0) })
        else { return nil }
        let number = try order.text("cardAuthInfo", "pan")
        card.setNumber(try order.text("cardAuthInfo", "maskedPan") ?? number)
        let expiration = try order.integer("cardAuthInfo", "expiration")  // YYYYMM
        card.setExpiry(year: expiration.map { $0 / 100 }, month: expiration.map { $0 % 100 })
        card.network = try order.text("cardAuthInfo", "paymentSystem")
        return card
    }

    /// The name of the additional parameter that contains a payment's mark; not one of the gateway's own names.
    static let markName: ExactText = "orderMark"

    /// Reads the mark among `merchantOrderParams`; nil if it is missing.
    ///
    /// - Throws: `malformed`, also for two marks.
    private static func mark(_ order: AnswerValue) throws(PaymentError) -> ExactText? {
        let list = "merchantOrderParams"
        var marks: [ExactText] = []
        for parameter in try order.objects(list) where parameter["name"]?.string == markName {
            marks.append(try parameter.mandatoryText("value"))
        }
        guard marks.count <= 1 else { throw .gateway(.malformed, list) }
        return marks.first
    }

    /// Returns an amount in minor units, 0 or more.
    private static func amount(
        _ name: String, _ value: AnswerValue?
    ) throws(PaymentError) -> Int64? {
        guard let amount = try value?.integer(name) else { return nil }
        guard amount >= 0 else { throw .gateway(.malformed, name) }
        return amount
    }

    /// Fills in why an order was declined.
    ///
    /// Source: BPC, *REST API*, "Action codes"; Sberbank, OpenAPI 1.0.7.
    private static func refuse(
        _ report: inout PaymentReport, _ order: AnswerValue
    ) throws(PaymentError) {
        let code = try order.text("actionCode")
        let origin: PaymentReport.Refusal.Origin
        switch code.flatMap({ Int64(String($0)) }) {
        // Pending, a system error, no answer of the bank, or a duplicate.
        case -30001, 90, 94, 998, 1001, 1019, 1120, 2007, 2023, 8204, 151_019:
            report.fault = "The action code \(code ?? "") decides nothing."
            return
        // The customer left, or failed 3-D Secure.
        case -2006, -2007, -2009, -2013, -2014, -2016, -2018, -2020, -2023, -2024, -2025, 4032:
            origin = .customer
        case -301, 109, 181, 904, 913, 941, 2003, 2004, 2005, 2014, 2016: origin = .operator
        default: origin = .issuer
        }
        let text = order["actionCodeDescription"]?.string
        report.refusal = .init(code: code, text: text, origin: origin)
    }

    /// The currencies that some banks write with a former code, by that code.
    private static let formerCodes: [ExactText: ExactText] = ["810": "643", "974": "933"]

    /// Returns the digits with which a currency is written.
    func currencyCode(_ currency: Currency) -> ExactText {
        let former = Self.formerCodes.first { $0.value == currency.numeric }?.key
        return options.sendsFormerCurrencyCodes ? former ?? currency.numeric : currency.numeric
    }

    /// Returns the alphabetic code of `currency`, whose digits may lack leading zeros.
    private static func currency(_ order: AnswerValue) throws(PaymentError) -> ExactText? {
        guard let digits = try order.text("currency") else { return nil }
        let zeros = String(repeating: "0", count: max(3 - digits.utf8.count, 0))
        let padded: ExactText = "\(zeros)\(digits)"
        guard let currency = Currency(numeric: formerCodes[padded] ?? padded) else {
            throw .gateway(.malformed, "currency")
        }
        return currency.alphabetic
    }
}
