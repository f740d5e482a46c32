package import ApplePayAcceptance
package import ApplePayWire

/// The number of decimals that a gateway uses for each currency, where it differs from ISO 4217.
package struct CurrencyScale {
    private let exceptions: [ExactText: Int]
    private let uniform: Int?

    /// Creates a scale from the gateway's decimals by alphabetic currency code; all other currencies have those of ISO
    /// 4217.
    package init(exceptions: [ExactText: Int]) {
        self.exceptions = exceptions
        uniform = nil
    }

    /// Creates a scale with the same number of decimals for every currency.
    package init(uniform: Int) {
        exceptions = [:]
        self.uniform = uniform
    }

    /// Returns the number of decimals that the gateway uses for a currency.
    package func exponent(of currency: Currency) -> Int {
        uniform ?? exceptions[currency.alphabetic] ?? currency.exponent
    }

    /// Returns an amount in ISO 4217's minor units in the gateway's units, exactly.
    ///
    /// - Throws: `gateway` with code `unsupported-amount` if the gateway's units are too coarse for the amount, or if
    ///   the number is too large.
    package func amount(
        _ amount: Int64, of currency: Currency, _ field: String
    ) throws(PaymentError) -> Int64 {
        guard let amount = Self.scaled(amount, by: exponent(of: currency) - currency.exponent)
        else { throw .gateway(.unsupportedAmount, field) }
        return amount
    }

    /// Returns an amount of an answer, in the gateway's units, in ISO 4217's minor units, exactly; `currency` is the
    /// alphabetic code in either case.
    ///
    /// - Throws: ``PaymentError`` with code `malformed` for a currency that is not in use, and for an amount that
    ///   has more decimals than the currency.
    package func minorUnits(
        _ amount: Int64, of currency: ExactText, _ field: String
    ) throws(PaymentError) -> Int64 {
        guard let currency = Currency(alphabetic: currency.uppercasedASCII) else {
            throw .gateway(.malformed, field)
        }
        let digits = currency.exponent - exponent(of: currency)
        guard let amount = Self.scaled(amount, by: digits) else {
            throw .gateway(.malformed, field)
        }
        return amount
    }

    /// Returns an amount times a power of ten; nil if it is not an integer, or too large.
    private static func scaled(_ amount: Int64, by digits: Int) -> Int64? {
        var amount = amount
        for _ in 0..<max(digits, 0) {
            let (product, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            amount = product
        }
        for _ in 0..<max(-digits, 0) {
            guard amount.isMultiple(of: 10) else { return nil }
            amount /= 10
        }
        return amount
    }
}

/// Amounts as decimal numbers, for gateways that do not use minor units; written digit by digit, without arithmetic.
package enum DecimalAmount {
    /// Returns an amount of 0 or more minor units with the currency's number of decimals, such as `10.99`, `1099` or
    /// `1.099`.
    package static func text(_ minor: Int64, _ currency: Currency) -> String {
        let digits = String(minor)
        guard currency.exponent > 0 else { return digits }
        let padded =
            String(repeating: "0", count: max(currency.exponent + 1 - digits.count, 0)) + digits
        return "\(padded.dropLast(currency.exponent)).\(padded.suffix(currency.exponent))"
    }

    /// Returns the minor units of a decimal number such as `10.99` in an answer; `currency` is the alphabetic code in
    /// either case.
    ///
    /// - Throws: ``PaymentError`` with code `malformed` for any other text or currency, and for more decimals than
    ///   the currency has.
    package static func minorUnits(
        _ decimal: ExactText, of currency: ExactText, _ field: String
    ) throws(PaymentError) -> Int64 {
        let parts = decimal.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isDigit) }
        var fraction = parts.count == 2 ? parts[1] : []
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard isNumber, let whole = parts.first,
            let currency = Currency(alphabetic: currency.uppercasedASCII),
            fraction.count <= currency.exponent,
            let amount = Int64(
                String(decoding: whole + fraction, as: UTF8.self)
                    + String(repeating: "0", count: currency.exponent - fraction.count))
        else { throw .gateway(.malformed, field) }
        return amount
    }
}
