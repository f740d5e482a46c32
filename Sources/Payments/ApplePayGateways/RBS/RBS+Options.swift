internal import ApplePayAcceptance
internal import ApplePayWire

extension RBS {
    /// The payment requests; the raw values are their paths.
    public enum Kind: String, CaseIterable, Sendable {
        /// The encrypted token.
        case encrypted = "/applepay/payment.do"
        /// Apple's plaintext, with expiry and amount as Apple wrote them; it is not known which banks offer it.
        case decrypted = "/applepay/paymentDirect.do"
        /// The fields of the decrypted token.
        case token = "/token/payment.do"
    }

    /// The payments for which a card is stored: `tii` of the customer's first payment.
    public enum StoredCredential: String, CaseIterable, Sendable {
        /// Payments of any kind.
        case common = "CI"
        /// Recurring payments.
        case recurring = "RI"
        /// Installments.
        case instalments = "II"
    }

    /// The members of a payment request that are the same for every order; a member that is nil is left out.
    ///
    /// `token/payment.do` has only ``preAuth`` and the currency. The description and the mirror do not show any value.
    public struct Options: Sendable, CustomStringConvertible, CustomReflectable {
        /// The request with which payments are made.
        public var kind = Kind.encrypted
        /// `preAuth`: true reserves the amount until a capture; false or nil captures it at once.
        public var preAuth: Bool?
        /// `tii`, if the card is stored, for which the order needs a `customerReference` (`clientId`); nil for an ordinary payment.
        public var storedCredential: StoredCredential?
        /// `additionalParameters`, written in the order of their names; `orderMark` is the library's.
        ///
        /// `token/payment.do` does not have them.
        public var additionalParameters: [ExactText: ExactText] = [:]
        /// `autocompletionDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a reserved amount is captured; only for `payment.do`.
        public var autocompletionDate: String?
        /// `autoReverseDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a reserved amount is released; only for `payment.do`.
        public var autoReverseDate: String?
        /// `dynamicCallbackUrl`, which only one bank's client documents; only for `payment.do`.
        public var dynamicCallbackURL: String?
        /// Whether the card of an order of 0 is only verified (`features` with `VERIFY`), with `paymentDirect.do`.
        public var verifiesOnly = false
        /// `merchantLogin`: the merchant whose order is asked for by reference, if it is not the user's.
        public var merchantLogin: String?
        /// Whether `currency` is written with a former code: 810 for RUB and 974 for BYN, as some banks expect.
        public var sendsFormerCurrencyCodes = false

        /// Creates options without any member.
        public init() {}

        /// A fixed text that does not show any value.
        public var description: String { "Options(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension RBS.Options {
    /// Checks the members that the request contains.
    ///
    /// - Throws: `gateway` with code `unsupported-value` or `unsupported-amount` (`features`), `unsupported-value`
    ///   (`orderMark`), then `unsupported-length`,
    ///   `unsupported-character` or `unsupported-amount` for the first member that the gateway does not accept.
    func check(_ order: Order, _ limits: RBS.Limits) throws(PaymentError) {
        guard !verifiesOnly || kind == .decrypted else {
            throw .gateway(.unsupportedValue, "features")
        }
        guard !verifiesOnly || order.amount == 0 else {
            throw .gateway(.unsupportedAmount, "features")
        }
        guard additionalParameters[RBS.markName] == nil else {
            throw .gateway(.unsupportedValue, String(RBS.markName))
        }
        guard kind != .token else {
            try FieldLength.check(order.returnURL ?? "", "returnUrl", 1...Int.max)
            return
        }
        try Self.checkTexts(order, limits)
        if storedCredential != nil {
            try FieldLength.check(order.customerReference ?? "", "clientId", 1...255)
        }
        if kind == .encrypted, let phone = order.customer?.phoneNumber {
            let digits = phone.hasPrefix("+") ? String(phone.dropFirst()) : phone
            try FieldLength.check(digits, "phone", 7...15)
            try FieldCharacters.check(ExactText(digits), "phone", \.isDigit)
        }
        try Self.check(date: autocompletionDate, "autocompletionDate")
        try Self.check(date: autoReverseDate, "autoReverseDate")
    }

    /// Checks the texts and the fee that most requests contain.
    ///
    /// - Throws: `gateway` with code `unsupported-length`, `unsupported-character` or `unsupported-amount`.
    static func checkTexts(_ order: Order, _ limits: RBS.Limits) throws(PaymentError) {
        try limits.check(description: order.description)
        try FieldLength.check(order.language, "language", 2...2)
        try FieldLength.check(order.customerReference, "clientId", 0...255)
        try FieldLength.check(order.customer?.emailAddress, "email", 0...40)
        guard order.fee ?? 0 >= 0 else { throw .gateway(.unsupportedAmount, "feeInput") }
    }

    private static func check(date: String?, _ field: String) throws(PaymentError) {
        guard let date else { return }
        let pattern = "0000-00-00T00:00:00"
        try FieldLength.check(date, field, pattern.utf8.count...pattern.utf8.count)
        let fits = zip(date.utf8, pattern.utf8).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? byte.isDigit : byte == expected
        }
        guard fits else { throw .gateway(.unsupportedCharacter, field) }
    }
}
