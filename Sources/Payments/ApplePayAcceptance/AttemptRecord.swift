public import ApplePayWire
public import FoundationEssentials

/// One attempt to pay an order, as a ledger stores it: enough to recognize the payment and to ask for it, and no card
/// data.
public struct AttemptRecord: Hashable, Sendable {
    /// The states.
    public enum State: String, CaseIterable, Sendable {
        /// Its owner has claimed the order, and has sent nothing that can move money.
        case claimed
        /// A request that can move money may have been sent, and its result is not known.
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
    }

    /// Whether an attempt is listed among the open ones.
    public enum Listing: Int, CaseIterable, Sendable {
        /// It is not: it has ended.
        case none = 0
        /// It is: the gateway or a person has yet to state how it ends.
        case open = 1
        /// It is listed before the others: a person must decide about money.
        case first = 2
    }

    /// The serial that distinguishes this attempt from all others, and that its claims have too: 32 lowercase hexadecimal
    /// digits.
    public let serial: ExactText
    /// The version of this record: 32 lowercase hexadecimal digits, chosen at random for each change.
    ///
    /// A number that counts changes could occur twice, if a ledger is restored from a backup.
    public internal(set) var version: ExactText
    /// The merchant's reference of the order.
    public let reference: ExactText
    /// The merchant's account at the gateway.
    public let account: AttemptAccount
    /// When the attempt began, to the second.
    public let beginning: Date
    /// When the record was changed last, to the second.
    public internal(set) var change: Date
    /// The state.
    public var state: State
    /// Whether it is listed among the open attempts.
    public var listing: Listing
    /// The gateway's identifier of the payment; nil as long as no answer contained it.
    public var paymentID: ExactText?
    /// The gateway's identifier of the object in which the order is paid, such as a page; nil if there is none.
    public var sessionID: ExactText?
    /// When the gateway is to be asked next, to the second; nil if nobody asks by itself.
    public var question: Date?
    /// How many seconds after now `question` is at most, unless a process whose clock was ahead stored it: a day.
    package static let longestDelay: Int64 = 86_400
    /// Whether writing this record makes it news, because its outcome changed.
    ///
    /// It is then among the next changes that `AttemptLedger.changes` returns. A record that was read has false, and so has a
    /// successor.
    public var isNews = false
    /// Everything else, as JSON in UTF-8; a ledger stores it and does not read it.
    public var contents: ExactText

    /// Creates the record of an attempt that begins, in the state `claimed`.
    ///
    /// - Parameters:
    ///   - reference: The merchant's reference of the order.
    ///   - account: The merchant's account at the gateway.
    ///   - sessionID: The gateway's object in which the order is paid; nil if there is none yet.
    ///   - time: The current time.
    ///   - contents: Everything else, as JSON.
    package init(
        reference: ExactText, account: AttemptAccount, sessionID: ExactText? = nil, at time: Date,
        contents: ExactText
    ) {
        let second = Self.second(time)
        self.init(
            serial: Claim.newSerial(), version: Claim.newSerial(), reference: reference,
            account: account, beginning: second, change: second, state: .claimed, listing: .open,
            paymentID: nil, sessionID: sessionID, question: nil, contents: contents)
    }

    /// Creates a record from its stored members, for a ledger that you write.
    public init(
        serial: ExactText, version: ExactText, reference: ExactText, account: AttemptAccount,
        beginning: Date, change: Date, state: State, listing: Listing, paymentID: ExactText?,
        sessionID: ExactText?, question: Date?, contents: ExactText
    ) {
        self.serial = serial
        self.version = version
        self.reference = reference
        self.account = account
        self.beginning = beginning
        self.change = change
        self.state = state
        self.listing = listing
        self.paymentID = paymentID
        self.sessionID = sessionID
        self.question = question
        self.contents = contents
    }

    /// Returns the record with a new version, as changed at a time.
    package func next(at time: Date) -> AttemptRecord {
        var next = self
        next.version = Claim.newSerial()
        next.change = Self.second(time)
        next.isNews = false
        return next
    }

    /// The record as a ledger that does not store `isNews` returns it.
    package var asRead: AttemptRecord {
        var read = self
        read.isNews = false
        return read
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

/// A merchant's account at a gateway; only that account is asked about an attempt.
public struct AttemptAccount: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of accounts.
    public enum Mode: String, CaseIterable, Sendable {
        /// Real money.
        case live
        /// Tests.
        case test
    }

    /// The gateway's name.
    public let gateway: ExactText
    /// The gateway's identifier of the account, or the shop's.
    public let identifier: ExactText
    /// Whether the account is for tests.
    public let mode: Mode

    /// Creates an account.
    public init(gateway: ExactText, identifier: ExactText, mode: Mode) {
        self.gateway = gateway
        self.identifier = identifier
        self.mode = mode
    }

    /// The gateway, the mode and the account's identifier, such as `worldline-direct (live, shop)`.
    public var description: String { "\(gateway) (\(mode.rawValue), \(identifier))" }
}
