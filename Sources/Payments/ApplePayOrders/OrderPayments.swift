public import ApplePayGateways
public import ApplePayLedger
public import ApplePayToken
package import FoundationEssentials

/// Pays orders, each once, at one gateway: verifies and decrypts the token, claims it together with the order, sends the
/// payment, records what the gateway reports, and asks again about what stayed open.
///
/// ```swift
/// let payments = try OrderPayments(decryptor: decryptor, ledger: ledger, gateway: gateway, transport: HTTPSClient())
/// let outcome = try await payments.pay(body, for: order)
/// ```
///
/// An order is `paid` only if the gateway stated it about this reference, this amount and this currency. In one durable
/// ledger it is charged at most once at gateways that keep the first answer for a key, within the time that they
/// promise; at the others, a lost answer is decided by a person (``resolve(_:serial:as:by:because:isConfirmed:)``).
/// The article "Pay an order once" of the module ApplePayLedger explains the states.
public struct OrderPayments: Sendable {
    let opener: TokenOpener
    let ledger: any AttemptLedger
    let gateway: any PaymentGateway
    let transport: any GatewayTransport
    let time: OrderTime

    /// The conditions on which payments and operations begin.
    package var permission = OrderPermission()

    /// Creates payments for tokens that are decrypted here.
    ///
    /// - Parameters:
    ///   - decryptor: Verifies and decrypts tokens.
    ///   - ledger: Remembers the attempts.
    ///   - gateway: The merchant's account.
    ///   - transport: Sends the requests, such as `HTTPSClient`.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the
    ///   decryptor still accepts.
    public init(
        decryptor: PaymentTokenDecryptor, ledger: any AttemptLedger, gateway: any PaymentGateway,
        transport: any GatewayTransport
    ) throws(LedgerError) {
        self.init(
            try TokenOpener(decryptor.verifier, decryptor, for: ledger), ledger, gateway, transport,
            OrderTime())
    }

    /// Creates payments for tokens that the gateway decrypts.
    ///
    /// Only the signature is verified here, and the amount that the customer confirmed is not known:
    /// `OrderOutcome.isAmountSigned` is false.
    ///
    /// - Parameters:
    ///   - verifier: Verifies tokens.
    ///   - ledger: Remembers the attempts.
    ///   - gateway: The merchant's account.
    ///   - transport: Sends the requests, such as `HTTPSClient`.
    /// - Throws: `LedgerError` with code `window-too-wide` if the ledger would forget claims of tokens that the verifier
    ///   still accepts.
    public init(
        verifier: PaymentTokenVerifier, ledger: any AttemptLedger, gateway: any PaymentGateway,
        transport: any GatewayTransport
    ) throws(LedgerError) {
        self.init(
            try TokenOpener(verifier, nil, for: ledger), ledger, gateway, transport, OrderTime())
    }

    /// Creates payments with another clock, for tokens that are decrypted here if there is a decryptor.
    package init(
        verifier: PaymentTokenVerifier, decryptor: PaymentTokenDecryptor?,
        ledger: any AttemptLedger, gateway: any PaymentGateway, transport: any GatewayTransport,
        time: OrderTime
    ) throws(LedgerError) {
        self.init(
            try TokenOpener(verifier, decryptor, for: ledger), ledger, gateway, transport, time)
    }

    private init(
        _ opener: TokenOpener, _ ledger: any AttemptLedger, _ gateway: any PaymentGateway,
        _ transport: any GatewayTransport, _ time: OrderTime
    ) {
        self.opener = opener
        self.ledger = ledger
        self.gateway = gateway
        self.transport = transport
        self.time = time
    }
}

/// What a program that may be about to end permits; an error prevents a payment or an operation, and is thrown to its caller.
package struct OrderPermission: Sendable {
    /// Asked before an order and its token are claimed, which ends with a release unless money may move.
    package var claim: @Sendable () throws(PaymentTokenError) -> Void = {}
    /// Asked before it is recorded that money may move; afterwards the exchange and its record must be finished.
    package var sending: @Sendable () throws(PaymentTokenError) -> Void = {}

    /// Creates permission for everything.
    package init() {}
}

/// The clock of payments, which tests replace.
package struct OrderTime: Sendable {
    /// Returns the current time.
    package var now: @Sendable () -> Date = { Date() }
    /// Returns the time that the limit for the first byte of a request counts from; this clock is never set.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits.
    package var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

    /// Creates the system's clock.
    package init() {}
}

extension OrderPayments: CustomStringConvertible, CustomReflectable {
    /// The gateway's name.
    public var description: String { "OrderPayments(\(gateway.name))" }

    /// A mirror without children, so that dumps do not include keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: Records

/// Calls a ledger, and returns what it returns.
///
/// - Throws: `replay/ledger-unavailable`; a change may be stored nevertheless.
func stored<Stored>(
    _ call: () async throws(LedgerError) -> Stored
) async throws(PaymentTokenError) -> Stored {
    do {
        return try await call()
    } catch {
        throw PaymentTokenError(error)
    }
}

extension PaymentTokenError {
    /// The error if a record changed after each of several readings.
    static let recordChanges = PaymentTokenError(
        .ledgerUnavailable, reason: "other calls changed the order's record again and again")
}

extension OrderPayments {
    /// Reads the attempts to pay an order.
    ///
    /// - Throws: `replay/ledger-unavailable`.
    func history(of reference: String) async throws(PaymentTokenError) -> OrderHistory {
        try await Self.history(of: reference, in: ledger)
    }

    /// Reads the attempts to pay an order in a ledger.
    ///
    /// - Throws: `replay/ledger-unavailable`.
    static func history(
        of reference: String, in ledger: any AttemptLedger
    ) async throws(PaymentTokenError) -> OrderHistory {
        let rows = try await stored { () throws(LedgerError) in
            try await ledger.attempts(of: reference)
        }
        var records: [OrderRecord] = []
        for row in rows { records.append(try OrderRecord(row)) }
        return OrderHistory(records: records)
    }

    /// Replaces a record by its changed copy.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - changed: Its changed copy.
    ///   - transactions: Those of its transactions that can be claimed again.
    /// - Returns: The copy as it is stored; nil if somebody changed the record after it was read.
    /// - Throws: `replay/ledger-unavailable`; the copy may be stored nevertheless.
    func replace(
        _ record: OrderRecord, with changed: OrderRecord,
        freeing transactions: [TransactionIdentifier] = []
    ) async throws(PaymentTokenError) -> OrderRecord? {
        var next = changed
        next.row = try changed.encoded().next(at: time.now())
        next.row.isNews = changed.announced != record.announced
        let row = next.row
        let isStored = try await stored { () throws(LedgerError) in
            try await ledger.replace(record.row, with: row, freeing: transactions)
        }
        return isStored ? next : nil
    }
}
