public import ApplePayAcceptance
public import ApplePayWire
public import FoundationEssentials

/// An attempt to pay an order, as a ledger recorded it; it contains no card number.
public struct RecordedPayment: Hashable, Sendable {
    /// The serial of the attempt, with which a person decides about it: 32 hexadecimal digits.
    public let serial: ExactText
    /// The order, its slot, and the identifiers that the gateway gave.
    public let attempt: PaymentAttempt
    /// The gateway's name.
    public let gateway: ExactText
    /// The account there, as the gateway or the shop names it.
    public let account: ExactText
    /// Whether the account is for tests.
    public let isTest: Bool
    /// The transaction that pays the order; nil if the customer pays on a page of the gateway, or a stored card pays it.
    public let transaction: TransactionIdentifier?
    /// Who began the payment with a stored card; nil for other payments.
    public let initiator: PaymentInitiator?
    /// The card that the gateway stored with the payment, which can pay later orders; nil if it stated none.
    public let card: StoredCard?
    /// The gateway's identifier of a payment whose money does not pay the order; nil if there is none, or if the gateway gave
    /// no identifier.
    public let secondPaymentID: ExactText?
    /// The gateway's identifiers of the order's other payments that hold money or may, nil for one that is not known, if
    /// ``secondPaymentID`` was compared with them; nil if it was not.
    package var otherPaymentIDs: [ExactText?]?
    /// When the last request of an attempt that a person gave up before can arrive at the latest; nil for other attempts.
    package let requestEnd: Date?
    /// The shop's names of the operations on the payment that are not decided.
    public let openOperations: [ExactText]
    /// When the attempt began.
    public let beginning: Date
    /// When its record was changed last.
    public let change: Date

    /// Creates a description of an attempt.
    package init(
        serial: ExactText, attempt: PaymentAttempt, gateway: ExactText, account: ExactText,
        isTest: Bool,
        transaction: TransactionIdentifier?, initiator: PaymentInitiator? = nil,
        card: PaymentReport.Card? = nil, secondPaymentID: ExactText? = nil,
        openOperations: [ExactText] = [], beginning: Date, change: Date, requestEnd: Date? = nil
    ) {
        self.serial = serial
        self.attempt = attempt
        self.gateway = gateway
        self.account = account
        self.isTest = isTest
        self.transaction = transaction
        self.initiator = initiator
        self.card = card.map {
            StoredCard($0, gateway: gateway, account: account, isTest: isTest)
        }
        self.secondPaymentID = secondPaymentID
        self.openOperations = openOperations
        self.beginning = beginning
        self.change = change
        self.requestEnd = requestEnd
    }

    /// Returns whether the payment was made at the account of a gateway.
    package func isAt(_ gateway: any PaymentGateway) -> Bool {
        (self.gateway, account, isTest) == (gateway.name, gateway.account, gateway.isTest)
    }
}
