internal import ApplePayPrimitives
internal import ApplePayToken

extension RBS {
    static func check(
        orderNumber: String?,
        _ limits: Limits
    ) throws(PaymentTokenError) {
        try Checks.length(orderNumber, limits.orderNumber, field: "orderNumber")
    }

    static func check(
        _ options: PaymentOptions,
        _ limits: Limits
    ) throws(PaymentTokenError) {
        try Checks.length(options.description, limits.description, field: "description")
        if limits == .russianBanks, let description = options.description {
            let forbidden = Array("%+\r\n".utf8)
            try Checks.value(
                !description.utf8.contains { forbidden.contains($0) }, field: "description")
        }
        try Checks.length(options.language, 2...2, field: "language")
        try Checks.length(options.clientId, 0...255, field: "clientId")
        try Checks.length(options.email, 0...40, field: "email")
        try check(phone: options.phone)
        try check(options.autocompletionDate, field: "autocompletionDate")
        try check(options.autoReverseDate, field: "autoReverseDate")
        try Checks.value(options.feeInput ?? 0 >= 0, field: "feeInput")
        var names: Set<String> = []
        for parameter in options.additionalParameters {
            // A repeated name makes JSON that readers understand differently (RFC 8259 §4).
            try Checks.value(
                names.insert(parameter.name).inserted, field: "additionalParameters")
        }
    }

    /// `paymentToken`: base64 of JSON without any wrapper, 1 to 8,192 characters.
    static func paymentToken(_ json: SensitiveBytes) throws(PaymentTokenError) -> SensitiveBytes {
        let token = TokenJSON.base64(json)
        try Checks.length(token, 1...8192, field: "paymentToken")
        return token
    }

    private static func check(phone: String?) throws(PaymentTokenError) {
        guard let phone else { return }
        let digits = phone.hasPrefix("+") ? phone.dropFirst() : phone[...]
        try Checks.value(digits.utf8.allSatisfy(isDigit), field: "phone")
        try Checks.length(String(digits), 7...15, field: "phone")
    }

    /// Compares with `yyyy-MM-ddTHH:mm:ss`, digit for digit.
    private static func check(_ date: String?, field: String) throws(PaymentTokenError) {
        guard let date else { return }
        let pattern = "0000-00-00T00:00:00"
        let fits = zip(date.utf8, pattern.utf8).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? isDigit(byte) : byte == expected
        }
        try Checks.value(fits && date.utf8.count == pattern.utf8.count, field: field)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
