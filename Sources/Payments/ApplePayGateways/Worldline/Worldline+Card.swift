internal import ApplePayAcceptance
internal import ApplePayWire

extension Worldline.PaymentState {
    /// Returns the card that Worldline stored with the payment, or with which it was made; nil if no token is stated.
    ///
    /// Direct's output of a mobile payment has no token: only `creationOutput` of the first answer and of its repetitions
    /// states it.
    ///
    /// - Parameter created: `creationOutput.token`; nil without one.
    /// - Returns: The card, with what the payment's output states about it.
    /// - Throws: `malformed` for a member.
    ///
    /// Source: the server SDKs, `PaymentCreationOutput`, `MobilePaymentMethodSpecificOutput`,
    /// `CardPaymentMethodSpecificOutput`, `CardEssentials`.
    func card(token created: ExactText? = nil) throws(PaymentError) -> PaymentReport.Card? {
        let mobile = try output?.object("mobilePaymentMethodSpecificOutput")
        let other = try output?.object("cardPaymentMethodSpecificOutput")
        guard let method = mobile ?? other else {
            return created.flatMap { PaymentReport.Card($0) }
        }
        let used = try method.text("token")
        guard let token = created ?? used, var card = PaymentReport.Card(token) else { return nil }
        let isMobile = mobile != nil
        let details = try method.object(isMobile ? "paymentData" : "card")
        card.setNumber(try details?.text(isMobile ? "dpan" : "cardNumber"))
        if let (month, year) = Self.numbers(try details?.text("expiryDate")) {
            card.setExpiry(year: year, month: month)
        }
        card.network = try isMobile ? method.text("network") : details?.text("cardScheme")
        if platform.isDirect {
            card.agreement = try method.text("schemeReferenceData")
        } else {
            let own = try method.text("schemeTransactionId")
            card.agreement = try method.text("initialSchemeTransactionId") ?? own
        }
        return card
    }

    /// Returns the numbers of a text `MMYY`.
    private static func numbers(_ text: ExactText?) -> (month: Int64, year: Int64)? {
        guard let text, text.utf8.count == 4, text.utf8.allSatisfy(\.isDigit),
            let number = Int64(String(text))
        else { return nil }
        return (number / 100, number % 100)
    }
}

extension Worldline {
    /// Writes that the merchant begins a payment with a stored card, and that no schedule was fixed for it.
    static func writeUnscheduled(into body: inout JSONBody) {
        body.string("unscheduledCardOnFileRequestor", "merchantInitiated")
        body.string("unscheduledCardOnFileSequenceIndicator", "subsequent")
    }
}
