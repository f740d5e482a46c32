public import ApplePayToken

/// An answer of a gateway, after it was read.
public protocol GatewayAnswer: Sendable {
    /// The gateway's name for the state, as it was received; nil if the answer does not contain one.
    var gatewayStatus: String? { get }

    /// The meaning of the answer, without a comparison of its amount; ``outcome(for:)`` compares the amount.
    var outcome: PaymentOutcome { get }

    /// Returns false if the amount or the currency in the answer differs from the order's.
    ///
    /// - Parameter order: The order; for an answer about a capture or a refund, the amount to capture or refund.
    /// - Returns: True if the answer contains neither, unless the type's documentation states otherwise.
    func agrees(with order: Order) -> Bool
}

extension GatewayAnswer {
    /// Returns true, because answers of this type do not contain an amount.
    public func agrees(with order: Order) -> Bool { true }

    /// Returns the meaning of the answer for an order; ``PaymentOutcome/unknown(reason:)`` if the amount or currency
    /// differs.
    ///
    /// - Parameter order: The order.
    /// - Returns: ``outcome``, if ``agrees(with:)`` returns true.
    public func outcome(for order: Order) -> PaymentOutcome {
        if case .unknown = outcome { return outcome }
        guard agrees(with: order) else {
            return .unknown(
                reason: "The answer does not confirm the order's amount and currency, "
                    + "\(order.amount) minor units of \(order.currency).")
        }
        return outcome
    }
}

/// Comparisons of the amount in an answer with an order.
enum AnsweredMoney {
    /// Compares an amount in a gateway's units; ignores values that are nil.
    static func agrees(
        _ amount: Int64?,
        _ currency: String?,
        with order: Order,
        _ scale: CurrencyScale = CurrencyScale(exceptions: [:])
    ) -> Bool {
        if let currency, currency != order.currency.alphabetic { return false }
        guard let amount else { return true }
        return amount == scale.amount(order)
    }

    /// Compares a decimal amount such as `10.99`; ignores values that are nil.
    static func agrees(decimal: String?, _ currency: String?, with order: Order) -> Bool {
        if let currency, currency != order.currency.alphabetic { return false }
        guard let decimal else { return true }
        return minorUnits(decimal, order.currency) == order.amount
    }

    /// Converts a decimal number to minor units; returns nil for any other text, and for more decimals than the
    /// currency has.
    private static func minorUnits(_ decimal: String, _ currency: Currency) -> Int64? {
        let parts = decimal.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber, let whole = parts.first else { return nil }
        var fraction = parts.count == 2 ? String(parts[1]) : ""
        while fraction.hasSuffix("0") { fraction.removeLast() }
        guard fraction.utf8.count <= currency.exponent else { return nil }
        let zeros = String(repeating: "0", count: currency.exponent - fraction.utf8.count)
        return Int64(whole + fraction + zeros)
    }
}
