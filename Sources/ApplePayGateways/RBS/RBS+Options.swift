internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension RBS {
    /// What `payment.do` and `paymentDirect.do` may say besides order and token; nil leaves the member out.
    ///
    /// Its debug description and its mirror, which are what is printed of it, show none of it.
    public struct PaymentOptions: Sendable, CustomDebugStringConvertible, CustomReflectable {
        /// `description`; ``Limits`` has its length.
        public var description: String?

        /// `language`: two letters of ISO 639-1.
        public var language: String?

        /// `preAuth`: true holds the amount until a deposit (two stages), false or nil captures it at
        /// once.
        public var preAuth: Bool?

        /// `clientId`: at most 255 characters.
        public var clientId: String?

        /// `email`: at most 40 characters.
        public var email: String?

        /// `tii`; nil for an ordinary payment.
        public var storedCredential: StoredCredential?

        /// `feeInput` in minor units, 0 or more; one bank's client alone knows it for `payment.do`.
        public var feeInput: Int64?

        /// `additionalParameters`, written in the order of their names; empty leaves them out.
        public var additionalParameters: [String: String] = [:]

        /// Creates options that leave everything out.
        public init() {}

        /// A mask.
        public var debugDescription: String { "PaymentOptions(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The members that only `payment.do` has; nil leaves the member out.
    ///
    /// Its description and its mirror show none of it.
    public struct PaymentExtras: Sendable, CustomStringConvertible, CustomReflectable {
        /// `phone`: 7 to 15 digits, perhaps behind a plus sign.
        public var phone: String?

        /// `autocompletionDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a held amount is captured.
        public var autocompletionDate: String?

        /// `autoReverseDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a held amount is let go.
        public var autoReverseDate: String?

        /// `dynamicCallbackUrl`, which one bank's client alone knows.
        public var dynamicCallbackURL: String?

        /// Creates extras that leave everything out.
        public init() {}

        /// A mask.
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
        guard options.feeInput ?? 0 >= 0 else {
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

    /// `paymentToken`: base64 of JSON without any wrapper, 1 to 8,192 characters.
    static func paymentToken(_ json: SensitiveBytes) throws(PaymentTokenError) -> SensitiveBytes {
        let token = TokenJSON.base64(json)
        try FieldLength.check(token, "paymentToken", 1...8192)
        return token
    }

    /// Compares with `yyyy-MM-ddTHH:mm:ss`, digit for digit.
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
