internal import ApplePayPrimitives
internal import ApplePayToken

extension Worldline {
    /// The lengths of a cardholder name, in characters, that Connect states; Direct states none.
    private static var cardholderNameCounts: ClosedRange<Int> { 2...51 }

    /// The member `decryptedPaymentData`.
    struct DecryptedPaymentData {
        private let data: PaymentData
        private let cryptogram: SensitiveBytes
        private let cardholderName: SensitiveBytes?
        private let eciForm: ECIForm

        /// Takes a payment.
        ///
        /// - Throws: `gateway` with code `cryptogram-missing`.
        init(_ payment: Payment, _ eciForm: ECIForm) throws(PaymentTokenError) {
            data = payment.data
            cryptogram = try payment.requiredCryptogram("cryptogram").text
            cardholderName = payment.cardholderName(cardholderNameCounts)
            self.eciForm = eciForm
        }

        /// Writes the member.
        func write(into body: inout JSONBody) {
            body.object("decryptedPaymentData") { body in
                body.secret("dpan", data.accountNumber.digits)
                body.secret("cryptogram", cryptogram)
                body.string("expiryDate", data.expiration.monthAndYear)
                body.secret("cardholderName", cardholderName)
                switch eciForm {
                case .number: body.integer("eci", data.eciIndicator.map { Int64($0.integer) })
                case .string: body.string("eci", data.eciIndicator?.text)
                }
            }
        }
    }
}
