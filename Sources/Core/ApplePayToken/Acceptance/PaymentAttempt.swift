public import ApplePayDecryption
internal import ApplePayPrimitives
internal import ApplePayWire

/// One payment of an order at a gateway, as the merchant knows it: enough to recognize and to ask for it, and no card data.
///
/// `OrderPayments` makes it, and gives it to the gateway.
///
/// An order has slots, numbered from 1. A slot is the place of one payment: the reference and the key that the gateway
/// gets are derived from the order's reference and the slot. A repeated request, and a request with another token of the
/// same customer, therefore have the same key as long as the slot is the same, and a gateway that keeps the first answer
/// for a key books one payment. The next slot begins only after the gateway itself stated that the payment of this
/// slot was refused, or that all of it was returned.
public struct PaymentAttempt: Hashable, Sendable {
    /// The merchant's reference of the order.
    public let orderReference: String

    /// The order's total in minor units.
    public let amount: Int64

    /// The order's currency.
    public let currency: Currency

    /// The number of the slot, from 1.
    public let slot: Int

    /// The reference that the gateway gets: the order's in the first slot, with a suffix such as `.r2` in a later one.
    public package(set) var reference: String

    /// The idempotency key: 32 hexadecimal digits.
    public let key: String

    /// What tells this payment from others with the same reference, for a gateway that returns it: 20 hexadecimal digits; nil
    /// for other gateways.
    public package(set) var mark: String?

    /// The gateway's identifier of the payment; nil as long as no answer contained it.
    public var paymentID: String?

    /// The gateway's identifier of the object in which the order is paid, such as a session or a page; nil if there is
    /// none, or as long as no answer contained it.
    public var sessionID: String?

    /// Whether the amount is the one that the customer confirmed and Apple signed; false if the token was not decrypted, or
    /// is for 0 and pays another amount.
    public package(set) var isAmountSigned: Bool

    private static var suffix: String { ".r" }

    /// Creates the first attempt in a slot of an order, with the slot's key and reference.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - slot: 1, plus the number of payments of the order that the gateway itself stated as refused or returned.
    /// - Throws: ``PaymentTokenError``: `order` with code `invalid-reference`, then `library-failure`.
    package init(_ order: Order, slot: Int = 1) throws(PaymentTokenError) {
        guard Self.isValid(order.reference), slot >= 1 else {
            throw PaymentTokenError(.invalidReference)
        }
        self.init(
            orderReference: order.reference, amount: order.amount, currency: order.currency,
            slot: slot,
            reference: slot == 1
                ? order.reference : "\(order.reference)\(Self.suffix)\(slot)",
            key: try Self.key(["payment", order.reference, "\(slot)"]))
    }

    /// Creates an attempt from its members, as a ledger stored them.
    package init(
        orderReference: String, amount: Int64, currency: Currency, slot: Int, reference: String,
        key: String, paymentID: String? = nil, sessionID: String? = nil, isAmountSigned: Bool = true
    ) {
        self.orderReference = orderReference
        self.amount = amount
        self.currency = currency
        self.slot = slot
        self.reference = reference
        self.key = key
        self.paymentID = paymentID
        self.sessionID = sessionID
        self.isAmountSigned = isAmountSigned
    }

    /// Returns whether this is an attempt to pay an order: the same reference, amount and currency.
    package func isOf(_ order: Order) -> Bool {
        orderReference == order.reference && amount == order.amount && currency == order.currency
    }

    /// Returns a key for something that is named by several texts: 32 hexadecimal digits.
    ///
    /// - Throws: `order` with code `library-failure`.
    package static func key(_ names: [String]) throws(PaymentTokenError) -> String {
        // The length before each name keeps two lists of names apart that are equal when joined.
        let text = names.map { "\($0.utf8.count):\($0)" }.joined()
        let hash = try rethrowing(
            try SHA256.hash(text.utf8.span), as: { _ in PaymentTokenError(.orderLibraryFailure) })
        return String(TransactionIdentifier(hash).description.prefix(32))
    }

    /// Returns the reference of the order that a gateway's reference names: without the suffix of a later slot.
    package static func orderReference(of reference: String) -> String {
        let order = reference.dropLast(digitCount(reference))
        let isLater = order.count < reference.count && order.hasSuffix(suffix)
        return isLater ? String(order.dropLast(suffix.count)) : reference
    }

    /// Returns whether a text can be an order's reference: 1 to 255 characters without controls that do not end like
    /// the reference of a later slot.
    private static func isValid(_ reference: String) -> Bool {
        let scalars = reference.unicodeScalars
        guard (1...255).contains(scalars.count),
            scalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return false }
        let digits = digitCount(reference)
        return digits == 0 || !reference.dropLast(digits).hasSuffix(suffix)
    }

    /// Returns the number of digits at the end of a reference.
    private static func digitCount(_ reference: String) -> Int {
        reference.reversed().prefix { $0.isASCII && $0.isNumber }.count
    }
}
