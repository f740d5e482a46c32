public import FoundationEssentials

/// One attempt to pay an order, as a ledger stores it: enough to recognize the payment and to ask for it, and no card
/// data.
public struct AttemptRecord: Hashable, Sendable {
    /// The states.
    public enum State: String, CaseIterable, Codable, Sendable {
        /// Its owner has claimed order and transaction, and has sent nothing that can move money.
        case claimed
        /// A request that can move money may have been sent, and nobody knows its result.
        case sending
        /// The gateway has reported something that can still change, or nothing certain.
        case open
        /// The whole amount is captured.
        case paid
        /// The gateway refused the payment.
        case refused
        /// All of the amount was given back, or its reservation ended.
        case returned
        /// Nothing that can move money was sent.
        case released
        /// A person decided that the payment was not made; the gateway did not state it.
        case givenUp = "given-up"

        /// Whether an order can have no other attempt while it has one in this state.
        public var isLive: Bool {
            switch self {
            case .claimed, .sending, .open, .paid: true
            case .refused, .returned, .released, .givenUp: false
            }
        }

        /// The state of the claim of the attempt's transaction.
        public var claim: ClaimState {
            switch self {
            case .claimed: .claimed
            case .released: .released
            case .sending, .open, .paid, .refused, .returned, .givenUp: .confirmed
            }
        }
    }

    /// The serial that distinguishes this attempt from all others, and that its claim has too: 32 lowercase hexadecimal
    /// digits.
    public let serial: String
    /// The version of this record: 32 lowercase hexadecimal digits, chosen at random for each change.
    ///
    /// A number that counts changes could occur twice, if a ledger is restored from a backup.
    public internal(set) var version: String
    /// The merchant's reference of the order.
    public let reference: String
    /// The gateway's name.
    public let gateway: String
    /// The transaction that pays the order.
    public let transaction: TransactionIdentifier
    /// When the attempt began, to the second.
    public let beginning: Date
    /// When the record was changed last, to the second.
    public internal(set) var change: Date
    /// The state.
    public var state: State
    /// Whether the gateway reported money for an attempt that had ended without it, and no person has decided about it.
    public var hasLateCharge: Bool
    /// The gateway's identifier of the payment; nil as long as no answer contained it.
    public var paymentID: String?
    /// When the gateway is to be asked next, to the second; nil if nobody asks by itself.
    public var question: Date?
    /// Everything else, as JSON in UTF-8; a ledger stores it and does not read it.
    public var contents: String

    /// Creates the record of an attempt that begins, in the state `claimed`.
    ///
    /// - Parameters:
    ///   - reference: The merchant's reference of the order.
    ///   - gateway: The gateway's name.
    ///   - transaction: The transaction that pays the order.
    ///   - time: The current time.
    ///   - contents: Everything else, as JSON.
    public init(
        reference: String, gateway: String, transaction: TransactionIdentifier, at time: Date,
        contents: String
    ) {
        let second = Self.second(time)
        self.init(
            serial: Claim.newSerial(), version: Claim.newSerial(), reference: reference,
            gateway: gateway, transaction: transaction, beginning: second, change: second,
            state: .claimed, hasLateCharge: false, paymentID: nil, question: nil,
            contents: contents)
    }

    /// Creates a record from its stored members, for a ledger that you write.
    public init(
        serial: String, version: String, reference: String, gateway: String,
        transaction: TransactionIdentifier, beginning: Date, change: Date, state: State,
        hasLateCharge: Bool, paymentID: String?, question: Date?, contents: String
    ) {
        self.serial = serial
        self.version = version
        self.reference = reference
        self.gateway = gateway
        self.transaction = transaction
        self.beginning = beginning
        self.change = change
        self.state = state
        self.hasLateCharge = hasLateCharge
        self.paymentID = paymentID
        self.question = question
        self.contents = contents
    }

    /// Returns the record with a new version, as changed at a time.
    public func next(at time: Date) -> AttemptRecord {
        var next = self
        next.version = Claim.newSerial()
        next.change = Self.second(time)
        return next
    }

    /// The claim of its transaction.
    public var claim: Claim { Claim(transaction: transaction, serial: serial) }

    /// Whether a gateway or a person has yet to say how it ends, or has to decide about a late charge.
    public var isOpen: Bool {
        switch state {
        case .claimed, .sending, .open: true
        case .paid, .refused, .returned, .released, .givenUp: hasLateCharge
        }
    }

    /// Returns a time without fractions of a second, which ledgers do not store.
    package static func second(_ time: Date) -> Date {
        Date(timeIntervalSince1970: Double(time.secondsSince1970))
    }
}

extension AttemptRecord: CustomStringConvertible, CustomReflectable {
    /// The order's reference and the state.
    public var description: String { "AttemptRecord(\(reference), \(state.rawValue))" }

    /// A mirror without children, because a gateway's text may repeat card data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
