public import ApplePayDecryption
internal import ApplePayPrimitives
public import ApplePayWire

/// One payment of an order at a gateway, as the merchant knows it: enough to recognize and to ask for it, and no card data.
///
/// `OrderPayments` makes it, and gives it to the gateway.
///
/// An order has slots, numbered from 1. A slot is the place of one payment: the reference, the key and the mark that the
/// gateway gets are made for the order's reference and the slot, once, and every attempt in the slot has them. A repeated
/// request, and a request with another token of the same customer, therefore have the same key as long as the slot is the
/// same, and a gateway that keeps the first answer for a key books one payment. The next slot begins only after the gateway
/// itself stated that the payment of this slot was refused, or that all of it was returned.
public struct PaymentAttempt: Hashable, Sendable {
    /// The merchant's reference of the order.
    public let orderReference: ExactText

    /// The order's total in minor units.
    public let amount: Int64

    /// The order's currency.
    public let currency: Currency

    /// The number of the slot, from 1.
    public let slot: Int

    /// The reference that the gateway gets: the order's in the first slot, with a suffix such as `.r2` in a later one; with a
    /// suffix such as `.3fa94c01b2` in every slot, if the gateway returns no other mark (`GatewayAbilities.mark`).
    public package(set) var reference: ExactText

    /// The idempotency key: 32 hexadecimal digits.
    public package(set) var key: ExactText

    /// How often the slot's key was replaced, because the gateway kept a refusal of the merchant's request for it.
    package var keyGeneration = 0

    /// The value that marks this payment among others with the same reference, where the gateway returns it: 20 hexadecimal
    /// digits; nil for other gateways.
    public package(set) var mark: ExactText?

    /// The gateway's identifier of the payment; nil as long as no answer contained it.
    public var paymentID: ExactText?

    /// The gateway's identifier of the object in which the order is paid, such as a session or a page; nil if there is
    /// none, or as long as no answer contained it.
    public var sessionID: ExactText?

    /// Whether the amount is the one that the customer confirmed and Apple signed; false if the token was not decrypted, or
    /// is for 0 and pays another amount.
    public package(set) var isAmountSigned: Bool

    private static var suffix: String { ".r" }

    /// The number of digits of a mark that end a reference: 40 bits, so that no other channel writes them by chance.
    private static var markLength: Int { 10 }

    /// Creates the first attempt in a slot of an order, with the slot's key and reference, and without a mark.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - slot: 1, plus the number of payments of the order that the gateway itself stated as refused or returned.
    /// - Throws: ``PaymentError``: `order` with code `invalid-reference`, then `library-failure`.
    package init(_ order: Order, slot: Int = 1) throws(PaymentError) {
        guard Self.isValid(order.reference), slot >= 1 else {
            throw PaymentError(.invalidReference)
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
        orderReference: ExactText, amount: Int64, currency: Currency, slot: Int,
        reference: ExactText,
        key: ExactText, paymentID: ExactText? = nil, sessionID: ExactText? = nil,
        isAmountSigned: Bool = true
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

    /// Returns a key for something that is named by several texts: 32 hexadecimal digits.
    ///
    /// - Throws: `order` with code `library-failure`.
    package static func key(_ names: [ExactText]) throws(PaymentError) -> ExactText {
        // The length before each name keeps two lists of names apart that are equal when joined.
        let text = names.map { "\($0.utf8.count):\($0)" }.joined()
        let hash = try rethrowing(
            try SHA256.hash(text.utf8.span), as: { _ in PaymentError(.orderLibraryFailure) })
        return ExactText(TransactionIdentifier(hash).description.prefix(32))
    }

    /// Replaces the key by that of the next generation.
    ///
    /// - Throws: `order` with code `library-failure`.
    package mutating func useNextKey() throws(PaymentError) {
        key = try Self.key(["payment", orderReference, "\(slot)", "\(keyGeneration + 1)"])
        keyGeneration += 1
    }

    /// Ends the reference with a mark, 20 hexadecimal digits, of which it takes the first 10.
    package mutating func end(referenceWith mark: ExactText) {
        let start = ExactText(utf8: mark.utf8.prefix(Self.markLength))
        reference = "\(orderReference).\(start)"
    }

    /// Returns the references of the orders that a gateway's reference may name: without the suffix of a slot, if it may have
    /// one, then the whole of it.
    package static func orderReferences(of reference: ExactText) -> [ExactText] {
        let utf8 = reference.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
            return [reference]
        }
        let end = utf8[(dot + 1)...]
        let digits = "0123456789abcdef".utf8
        let isMark = end.count == markLength && end.allSatisfy(digits.contains)
        return isMark || isLaterSlot(end)
            ? [ExactText(utf8: utf8[..<dot]), reference] : [reference]
    }

    /// Returns whether a text can be an order's reference: 1 to 255 characters without controls that do not end like
    /// the reference of a later slot.
    private static func isValid(_ reference: ExactText) -> Bool {
        guard (1...255).contains(reference.characterCount),
            String(reference).unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control
            })
        else { return false }
        let utf8 = reference.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")) else { return true }
        return !isLaterSlot(utf8[(dot + 1)...])
    }

    /// Returns whether a text is the end of a later slot's reference: `r` and digits.
    private static func isLaterSlot(_ end: ArraySlice<UInt8>) -> Bool {
        end.count > 1 && end.first == UInt8(ascii: "r")
            && end.dropFirst().allSatisfy("0123456789".utf8.contains)
    }
}
