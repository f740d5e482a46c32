package import ApplePayAcceptance
public import ApplePayWire

/// A card that a gateway stored with a payment, with which later orders are paid at the same account.
///
/// It is the gateway's name for the card, never a card number. With the account's credentials the card can be charged by it, so
/// the description shows no identifier, and the mirror has no children.
public struct StoredCard: Hashable, Sendable {
    /// The gateway's name.
    public let gateway: ExactText
    /// The account there, as the gateway or the shop names it.
    public let account: ExactText
    /// Whether the account is for tests.
    public let isTest: Bool
    /// What the gateway states about the card.
    public let details: PaymentReport.Card

    /// Creates a stored card.
    ///
    /// - Parameters:
    ///   - details: What the gateway stated about the card.
    ///   - gateway: The gateway's name.
    ///   - account: The account there, as `PaymentGateway.account` names it.
    ///   - isTest: Whether the account is for tests.
    public init(
        _ details: PaymentReport.Card, gateway: ExactText, account: ExactText, isTest: Bool
    ) {
        self.gateway = gateway
        self.account = account
        self.isTest = isTest
        self.details = details
    }

    /// Checks that the card is stored at a gateway's account, and that such a payment with it is possible there.
    ///
    /// - Throws: ``PaymentError``: `gateway` with codes `unsupported-operation` (`card`) for a gateway without stored cards,
    ///   `unsupported-value` (`card`) for a card of another account, then `unsupported-value` (`initiator`).
    package func check(
        for initiator: PaymentInitiator, at gateway: any PaymentGateway
    ) throws(PaymentError) {
        let initiators = gateway.abilities.initiators
        guard !initiators.isEmpty else { throw .gateway(.unsupportedOperation, "card") }
        guard (self.gateway, account, isTest) == (gateway.name, gateway.account, gateway.isTest)
        else {
            throw PaymentError(
                .unsupportedValue, members: ["card"],
                reason:
                    "the card is stored at \(Self.place(self.gateway, account, isTest)), and this is "
                    + Self.place(gateway.name, gateway.account, gateway.isTest))
        }
        guard initiators.contains(initiator) else {
            let known = PaymentInitiator.allCases.filter(initiators.contains).map(\.rawValue)
            throw PaymentError(
                .unsupportedValue, members: ["initiator"],
                reason:
                    "the gateway documents payments with a stored card for \(known.alternatives)")
        }
    }

    private static func place(_ gateway: ExactText, _ account: ExactText, _ isTest: Bool) -> String
    {
        "\(gateway), account \(account) (\(isTest ? "test" : "live"))"
    }
}

extension StoredCard: CustomStringConvertible, CustomReflectable {
    /// The gateway's name, and what may be shown of the card.
    public var description: String { "StoredCard(\(gateway), \(details))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Who begins a payment with a stored card, and for what: the networks refuse the wrong word.
public enum PaymentInitiator: String, CaseIterable, Sendable {
    /// The customer, who chose a stored card.
    case customer
    /// The merchant, for a fixed amount at fixed intervals, such as a subscription.
    case recurring
    /// The merchant, for a part of a known sum.
    case instalment
    /// The merchant, for an amount or at a time that was not fixed before, such as a balance that is filled up.
    case unscheduled
}

extension PaymentReport {
    /// What a gateway states about a card that it stored.
    public struct Card: Hashable, Sendable {
        /// The gateway's identifier of the card: 1 to 255 visible ASCII characters.
        public let identifier: ExactText
        /// The card's number as the gateway shows it, most of whose digits are hidden; nil if it does not.
        public var maskedNumber: ExactText?
        /// The last month in which the card is valid, `YYYY-MM`; nil if the gateway does not state it.
        public var expiry: ExactText?
        /// The card's network, in the gateway's words; nil if the gateway does not state it.
        public var network: ExactText?
        /// The reference of the first payment or of the agreement at the network, which later payments repeat; nil without one.
        public var agreement: ExactText?

        /// Creates the statement about a card.
        ///
        /// It is nil for a text that is no identifier: with another length, other characters, or a card number.
        ///
        /// - Parameter identifier: The gateway's identifier.
        public init?(_ identifier: ExactText) {
            let bytes = identifier.utf8
            let isNumber = (12...19).contains(bytes.count) && bytes.allSatisfy(\.isDigit)
            guard (1...255).contains(bytes.count), bytes.allSatisfy(\.isVisible), !isNumber else {
                return nil
            }
            self.identifier = identifier
        }

        /// Sets ``maskedNumber``, unless more than ten digits of it can be read.
        package mutating func setNumber(_ text: ExactText?) {
            guard let text, text.utf8.count <= 32, text.utf8.count(where: \.isDigit) <= 10 else {
                return
            }
            maskedNumber = text
        }

        /// Sets ``expiry`` from numbers; the year may have two digits.
        package mutating func setExpiry(year: Int64?, month: Int64?) {
            guard let year, let month, (1...12).contains(month), (0...9_999).contains(year) else {
                return
            }
            let digits = "\(year < 100 ? 2_000 + year : year)"
            expiry = "\(digits)-\(month < 10 ? "0" : "")\(month)"
        }
    }
}

extension PaymentReport.Card: CustomStringConvertible, CustomReflectable {
    /// The network, the hidden number and the expiry.
    public var description: String {
        let shown = [network, maskedNumber, expiry].compactMap(\.self)
        return "Card(\(shown.map(\.description).joined(separator: ", ")))"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
