/// The abilities of a gateway, as far as this library supports it.
public struct GatewayAbilities: Hashable, Sendable {
    /// The forms in which payments are sent.
    public enum Form: String, CaseIterable, Sendable {
        /// Decrypted by the merchant.
        case decrypted
        /// As Apple encrypted them: the gateway has the key.
        case encrypted
    }

    /// The identifiers with which the state of a payment can be asked for.
    public enum Question: String, CaseIterable, Sendable {
        /// The gateway's identifier of the payment.
        case identifier
        /// The merchant's reference.
        case reference
    }

    /// How much of an amount an operation can be about.
    public enum Extent: String, CaseIterable, Sendable {
        /// The operation is not supported.
        case none
        /// The whole amount only.
        case whole
        /// The whole amount or a part of it.
        case part
    }

    /// The signs by which a payment that this shop requested is told from another one with the order's reference.
    public enum Mark: String, CaseIterable, Sendable {
        /// The reference that the gateway gets: it has a suffix that no other channel uses.
        case reference
        /// A field of its own, which the gateway returns in its answers to questions: `PaymentAttempt.mark`.
        case field
        /// The gateway's object in which the order is paid, at most once: it is recorded before money can move. A payment with
        /// a stored card, whose object the gateway creates only then, has a mark in a field.
        case session
    }

    /// The forms in which payments are sent.
    public var forms: Set<Form>
    /// The identifiers with which the state of a payment can be asked for.
    public var status: Set<Question>
    /// Whether the gateway promises its first answer to a repetition of the same request with the same key.
    public var repetition: Bool
    /// The hours for which the gateway keeps a key and its first answer; meaningful with ``repetition``.
    public var keyHours = 24
    /// Whether the gateway documents its first answer to a key whatever the repeated request contains, such as another token.
    public var ignoresRepeatedBody = false
    /// The sign of a payment that this shop requested; nil if only the answers to its requests name one.
    public var mark: Mark?
    /// Whether the gateway has a page on which customers pay with Apple Pay.
    public var hasPages = false
    /// Whether an order can be paid in an object of the gateway's that the shop or its app created, such as a session.
    public var takesSessions = false
    /// Who can begin a payment with a card that the gateway stored; none if that is not supported.
    public var initiators: Set<PaymentInitiator> = []
    /// The supported captures, cancellations and refunds.
    public var operations: [PaymentOperation.Kind: Extent]
    /// Whether the gateway's messages can be verified and read.
    public var messages: Bool

    /// Creates the abilities of a gateway.
    public init(
        _ forms: Set<Form>, status: Set<Question> = [], repetition: Bool = false,
        operations: [PaymentOperation.Kind: Extent] = [:], messages: Bool = false
    ) {
        self.forms = forms
        self.status = status
        self.repetition = repetition
        self.operations = operations
        self.messages = messages
    }

    /// Returns how much of an amount a kind of operation can be about; ``Extent/none`` if it is not supported.
    public subscript(_ kind: PaymentOperation.Kind) -> Extent { operations[kind] ?? .none }
}
