internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension RBS {
    /// Optional members of `payment.do` and `paymentDirect.do`; a member that is nil is left out.
    ///
    /// Its debug description and its mirror do not show any value.
    public struct PaymentOptions: Sendable, CustomDebugStringConvertible, CustomReflectable {
        /// `description`; ``Limits`` contains its maximum length.
        public var description: String?

        /// `language`: two letters of ISO 639-1.
        public var language: String?

        /// `preAuth`: true reserves the amount until a deposit (two stages); false or nil captures it at once.
        public var preAuth: Bool?

        /// `clientId`: at most 255 characters.
        public var clientId: String?

        /// `email`: at most 40 characters.
        public var email: String?

        /// `tii`, if the card is stored; nil for an ordinary payment.
        public var storedCredential: StoredCredential?

        /// `feeInput` in minor units, 0 or more; for `payment.do`, only one bank's client documents it.
        public var feeInput: Int64?

        /// `additionalParameters`, written in the order of their names; an empty dictionary is left out.
        public var additionalParameters: [String: String] = [:]

        /// Creates options without any member.
        public init() {}

        /// A fixed text that does not show any value.
        public var debugDescription: String { "PaymentOptions(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Members that only `payment.do` has; a member that is nil is left out.
    ///
    /// Its description and its mirror do not show any value.
    public struct PaymentExtras: Sendable, CustomStringConvertible, CustomReflectable {
        /// `phone`: 7 to 15 digits, with an optional plus sign before them.
        public var phone: String?

        /// `autocompletionDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a reserved amount is captured.
        public var autocompletionDate: String?

        /// `autoReverseDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a reserved amount is released.
        public var autoReverseDate: String?

        /// `dynamicCallbackUrl`, which only one bank's client documents.
        public var dynamicCallbackURL: String?

        /// Creates extras without any member.
        public init() {}

        /// A fixed text that does not show any value.
        public var description: String { "PaymentExtras(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension RBS {
    static func check(
        orderNumber: String?,
        _ limits: Limits
    ) throws(PaymentTokenError) {
        try FieldLength.check(orderNumber, "orderNumber", limits.orderNumber)
    }

    static func check(
        _ options: PaymentOptions,
        _ limits: Limits
    ) throws(PaymentTokenError) {
        try FieldLength.check(options.description, "description", limits.description)
        if limits == .russianBanks {
            let forbidden = Array("%+\r\n".utf8)
            for byte in (options.description ?? "").utf8 where forbidden.contains(byte) {
                throw PaymentTokenError(.unsupportedCharacter, member: "description")
            }
        }
        try FieldLength.check(options.language, "language", 2...2)
        try FieldLength.check(options.clientId, "clientId", 0...255)
        try FieldLength.check(options.email, "email", 0...40)
        if let fee = options.feeInput, fee < 0 {
            throw PaymentTokenError(.unsupportedAmount, member: "feeInput")
        }
    }

    static func check(_ extras: PaymentExtras) throws(PaymentTokenError) {
        if let phone = extras.phone {
            let digits = phone.hasPrefix("+") ? String(phone.dropFirst()) : phone
            try FieldLength.check(digits, "phone", 7...15)
            try require(digits.utf8.allSatisfy(isDigit), "phone")
        }
        try check(date: extras.autocompletionDate, "autocompletionDate")
        try check(date: extras.autoReverseDate, "autoReverseDate")
    }

    /// Returns `paymentToken`, the base64 of the JSON itself, 1 to 8,192 characters.
    static func paymentToken(_ json: SensitiveBytes) throws(PaymentTokenError) -> SensitiveBytes {
        let token = TokenJSON.base64(json)
        try FieldLength.check(token, "paymentToken", 1...8192)
        return token
    }

    /// Checks that a date has the form `yyyy-MM-ddTHH:mm:ss`.
    private static func check(date: String?, _ field: String) throws(PaymentTokenError) {
        guard let date else { return }
        let pattern = "0000-00-00T00:00:00"
        try FieldLength.check(date, field, pattern.utf8.count...pattern.utf8.count)
        let fits = zip(date.utf8, pattern.utf8).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? isDigit(byte) : byte == expected
        }
        try require(fits, field)
    }

    private static func require(_ fits: Bool, _ field: String) throws(PaymentTokenError) {
        guard fits else { throw PaymentTokenError(.unsupportedCharacter, member: field) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
