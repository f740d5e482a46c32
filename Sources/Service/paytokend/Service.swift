internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayOrders
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayServiceHTTP
internal import ApplePayWire
internal import FoundationEssentials

/// The service: what its endpoints use, and how a request finds one.
final class Service: Sendable {
    let ledger: any AttemptLedger
    let metrics: ServiceMetrics
    let audit: AuditLog
    let access: ServiceAccess
    let confinement: Confinement
    /// Passes requests to the process that sends them.
    let sender: SenderTransport
    /// Whether requests are refused if decisions cannot be logged.
    let needsAudit: Bool

    /// How long an answer may wait for its line of the audit log.
    private static let auditLimit = Duration.seconds(5)

    private let arguments: Arguments
    private let loaded: Lock<ServiceAccounts>
    private let reloads = Lock(Reloads())

    /// Loads keys and accounts.
    init(
        _ arguments: Arguments, ledger: any AttemptLedger, metrics: ServiceMetrics,
        audit: AuditLog, access: ServiceAccess, confinement: Confinement, sender: String
    ) throws(CommandFailure) {
        self.arguments = arguments
        self.ledger = ledger
        self.metrics = metrics
        self.audit = audit
        self.access = access
        self.confinement = confinement
        self.sender = SenderTransport(path: sender) {
            metrics.measureExchange($0, $1, $2)
        }
        needsAudit = arguments.has(.auditRequired)
        loaded = Lock(try ServiceAccounts(arguments, ledger, self.sender, metrics))
        metrics.begin(accounts.gateways.map(\.account.name))
    }

    /// The keys and accounts that were loaded last.
    var accounts: ServiceAccounts { loaded.withLock { $0 } }

    /// The attempts to load them anew.
    struct Reloads {
        /// How many have begun.
        var count = 0
        /// Whether the last one is not over.
        var isRunning = false
        /// Whether the last one failed, or is not over.
        var hasFailed = false
    }

    /// How many attempts to load them anew have begun, and how the last one ended.
    var lastReload: Reloads { reloads.withLock { $0 } }

    /// Loads keys and accounts anew; payments that have begun go on with the old ones.
    ///
    /// - Throws: A failure that names the file; the old ones stay.
    func reload() throws(CommandFailure) {
        reloads.withLock { $0 = Reloads(count: $0.count + 1, isRunning: true, hasFailed: true) }
        defer { reloads.withLock { $0.isRunning = false } }
        let accounts = try ServiceAccounts(arguments, ledger, sender, metrics)
        metrics.begin(accounts.gateways.map(\.account.name))
        loaded.withLock { $0 = accounts }
        reloads.withLock { $0.hasFailed = false }
    }

    /// Asks for the state of all payments that are due; blocks the calling thread.
    func recover() {
        for gateway in accounts.gateways {
            do throws(PaymentError) {
                let recovery = try waiting { () async throws(PaymentError) in
                    try await gateway.payments.recover()
                }
                guard recovery.asked + recovery.released + recovery.failed > 0 else { continue }
                audit.record("recover", by: nil) { json in
                    json.member("gateway", gateway.account.name)
                    json.recovery(recovery)
                }
            } catch {
                metrics.countRefusal(error)
                audit.record("recover", by: nil) { json in
                    json.member("gateway", gateway.account.name)
                    json.member("code", error.name)
                    json.member("reason", error.reason.map { ExactText($0).withoutCardNumbers })
                }
            }
        }
    }

    /// Decides from the head of a request whether its client may make it, so that no body is read of one that it may not.
    ///
    /// - Throws: The answer to a request that is refused.
    func call(
        _ head: ServiceHead, from peer: UnixSocket.Peer
    ) throws(ServiceReply) -> ServiceCall {
        let all = ServiceEndpoint.all
        let found = all.first { $0.matches(head.segments) }
        guard let endpoint = found, endpoint.method == head.method else {
            let reply =
                found.map { ServiceReply.wrongMethod($0.method) } ?? .unknownPath(head.segments)
            metrics.countRequest("unknown", reply.status)
            throw reply
        }
        let call = ServiceCall(
            head: head, endpoint: endpoint, peer: peer, roles: access.roles(of: peer),
            service: self, accounts: accounts)
        do throws(ServiceReply) {
            try call.require(endpoint.roles)
            try call.requireParameters()
        } catch {
            metrics.countRequest(endpoint.path, error.status)
            throw error
        }
        return call
    }

    /// Answers a request; blocks the calling thread.
    func answer(_ call: ServiceCall) -> ServiceReply {
        let reply = logged(call)
        metrics.countRequest(call.endpoint.path, reply.status)
        return reply
    }

    private func logged(_ call: ServiceCall) -> ServiceReply {
        let endpoint = call.endpoint
        do throws(ServiceReply) {
            guard !needsAudit || endpoint.roles.isEmpty || !audit.isFailing else {
                throw .fault(
                    503, "audit-failed",
                    "Decisions cannot be logged, so none is made: make room for the audit log, which is paytokend's standard "
                        + "output.",
                    retryAfter: 5)
            }
            let reply = Result { () throws(ServiceReply) in try endpoint.run(call) }
            // Refused tokens and payments are decisions, too. A client that repeats a payment gets its outcome when there is a log again.
            guard !needsAudit || endpoint.roles.isEmpty || audit.isWritten(within: Self.auditLimit)
            else {
                throw .unlogged
            }
            return try reply.get()
        } catch {
            return error
        }
    }
}
