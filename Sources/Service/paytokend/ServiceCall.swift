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

/// One request of a client, and the answers of the endpoints to it.
struct ServiceCall: Sendable {
    let head: ServiceHead
    /// The bytes of the body; none before it has been read.
    var contents: [UInt8] = []
    let endpoint: ServiceEndpoint
    let peer: UnixSocket.Peer
    let roles: Set<ServiceRole>
    let service: Service
    let accounts: ServiceAccounts

    /// The greatest number of payments on a page.
    private static let listLimit = 1_000

    /// The second or third segment, which is the order's reference or the account's name.
    private var name: ExactText {
        head.segments.count > 2 ? ExactText(head.segments[2]) : ""
    }
}

// MARK: Access

extension ServiceCall {
    /// Refuses a client that has none of several roles, and logs that.
    ///
    /// - Parameters:
    ///   - needed: The roles of which the client needs one; none if every client may ask.
    ///   - member: The member of the body that needs them.
    /// - Throws: The answer to the client.
    func require(_ needed: Set<ServiceRole>, for member: String? = nil) throws(ServiceReply) {
        guard !needed.isEmpty, needed.isDisjoint(with: roles) else { return }
        let code = "role-missing"
        service.audit.record("refused", by: peer) { json in
            json.member("path", endpoint.path)
            json.member("reference", endpoint.path.contains("{reference}") ? name.logged : nil)
            json.member("code", code)
        }
        let names = ServiceRole.allCases.filter(needed.contains).map(\.rawValue)
        throw .fault(
            403, code,
            "The user \(peer.user) does not have the role \(names.alternatives); start paytokend with "
                + "\(CommandOption.allow) \(peer.user)=\(names[0]) to give it, or ask as a user who has it.",
            member: member)
    }
}

extension ServiceCall {
    /// Refuses parameters that the endpoint does not have.
    func requireParameters() throws(ServiceReply) {
        let names = endpoint.parameters.map(\.name)
        guard let other = head.query.keys.sorted().first(where: { !names.contains($0) }) else {
            return
        }
        throw .fault(
            400, "unknown-parameter",
            names.isEmpty
                ? "This path has no parameters; leave out the query."
                : "This path has no parameter \(other); leave it out, or give \(names.alternatives).",
            member: other)
    }

    /// Returns the value of the parameter `after`; nil without it.
    private func after<Value: LosslessStringConvertible>(
        _ source: String
    ) throws(ServiceReply) -> Value? {
        guard let text = head.query["after"] else { return nil }
        guard let value = Value(text) else {
            throw .fault(
                400, "invalid-parameter",
                "The parameter after is not \(source); give it as it was answered, or leave it out to begin.",
                member: "after")
        }
        return value
    }
}

// MARK: Payments

extension ServiceCall {
    /// Pays an order with a token or a stored card, or creates a page of the gateway on which the customer pays it.
    func pay(onPage isPage: Bool) throws(ServiceReply) -> ServiceReply {
        let payment = try body { body throws(FileError) in
            try ServiceBody.Payment(body, isPage: isPage)
        }
        let gateway = try gateway(payment.gateway)
        if case .card(let card, let initiator) = payment.means,
            let account = gateway.account.gateway
        {
            do throws(PaymentError) {
                try card.check(for: initiator, at: account)
            } catch {
                throw .fault(400, "invalid-body", "\(error).", member: error.members.first)
            }
        }
        let token: [UInt8]? = if case .token(let text, _) = payment.means { text } else { nil }
        let outcome = try decided(
            isPage ? .page : .pay, payment.order.reference, gateway, token: token
        ) { () async throws(PaymentError) in
            switch payment.means {
            case .token(let text, let session):
                try await gateway.payments.pay(
                    text, for: payment.order, session: session, again: payment.again)
            case .card(let card, let initiator):
                try await gateway.payments.pay(
                    card, for: payment.order, initiator: initiator, again: payment.again)
            case .page:
                try await gateway.payments.page(for: payment.order, again: payment.again)
            }
        } log: { json, outcome in
            json.payment(outcome)
        }
        return ServiceReply(JSONLine { $0.order(outcome, showsCard: true) })
    }

    /// Returns the state of an order.
    func state() throws(ServiceReply) -> ServiceReply {
        let gateway = try gatewayOfOrder(isRequired: false)
        let outcome = try run { () async throws(PaymentError) in
            guard let outcome = try await gateway.payments.state(of: name) else {
                throw PaymentError.noPayment(of: name)
            }
            return outcome
        }
        // Whoever may not pay needs no card.
        let mayPay = service.access.roles(of: peer).contains(.pay)
        return ServiceReply(JSONLine { $0.order(outcome, showsCard: mayPay) })
    }

    /// Returns a page of the payments that are not settled.
    func list() throws(ServiceReply) -> ServiceReply {
        let now = Date()
        let position: AttemptPosition? = try after("next of a page")
        let page = try run { () async throws(PaymentError) in
            try await OrderPayments.openPayments(
                in: service.ledger, after: position, limit: Self.listLimit, at: now)
        }
        let (outcomes, faults) = Self.sorted(page.results)
        let open = outcomes.compactMap { outcome in outcome.payment.map { (outcome, $0) } }
        return ServiceReply(
            JSONLine { json in
                json.objects("payments", open) { $0.open($1.0, $1.1, at: now) }
                json.member("next", page.next?.description)
                json.member("faults", faults)
            })
    }

    /// Returns the orders whose outcomes changed.
    func changes() throws(ServiceReply) -> ServiceReply {
        let now = Date()
        let start: ChangeStart? = try after("a cursor of this path")
        let page = try run { () async throws(PaymentError) in
            try await OrderPayments.changes(
                in: service.ledger, after: start?.cursor, at: now)
        }
        guard let page else { throw .unknownCursor }
        let (outcomes, faults) = Self.sorted(page.results)
        return ServiceReply(
            JSONLine { json in
                json.objects("orders", outcomes) { $0.order($1) }
                json.member("cursor", page.cursor.description)
                json.member("faults", faults)
            })
    }

    /// Returns the outcomes, and why the other records cannot be read; nil if all can.
    private static func sorted(
        _ results: [Result<OrderOutcome, PaymentError>]
    ) -> (outcomes: [OrderOutcome], faults: [String]?) {
        var (outcomes, faults): ([OrderOutcome], [String]) = ([], [])
        for result in results {
            switch result {
            case .success(let outcome): outcomes.append(outcome)
            case .failure(let error): faults.append((error.reason ?? error.description).printable)
            }
        }
        return (outcomes, faults.isEmpty ? nil : faults)
    }

    /// Captures, cancels or refunds.
    func perform(_ kind: PaymentOperation.Kind) throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in try ServiceBody.Operation(body) }
        let gateway = try gatewayOfOrder()
        var operation = OrderPayments.operation(kind, stated.amount, stated.operation)
        operation.reason = stated.reason
        operation.isFinal = stated.isFinal
        let outcome = try decided(OutcomeKind(kind), name, gateway) {
            [operation] () async throws(PaymentError) in
            try await gateway.payments.perform(operation, on: name)
        } log: { json, _ in
            json.member("operation", operation.name)
        }
        return ServiceReply(
            JSONLine {
                $0.operation(
                    outcome, operation.name, of: operation, on: name,
                    at: gateway.account.gatewayName)
            })
    }

    /// Records a person's decision.
    func resolve() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in try ServiceBody.Decision(body) }
        if let order = stated.order { return try resolve(order, stated) }
        let gateway = try gatewayOfOrder(stated.serial)
        if let operation = stated.operation {
            return try resolve(operation, stated, at: gateway)
        }
        let (decision, word): (OrderPayments.Decision, String) =
            if let paymentID = stated.paid {
                (.paid(paymentID: paymentID), "paid")
            } else {
                stated.isRefused
                    ? (.refused(paymentID: stated.paymentID), "refused")
                    : (.returned(paymentID: stated.paymentID), "returned")
            }
        let outcome = try decided(.resolve, name, gateway) {
            () async throws(PaymentError) in
            try await gateway.payments.resolve(
                name, serial: stated.serial, as: decision, by: stated.person,
                because: stated.reason, isConfirmed: stated.isConfirmed)
        } log: { json, outcome in
            // Serial and paymentId identify the attempt and the payment, and can contain as many digits as a card number.
            json.member("serial", stated.serial.logged)
            json.member("decision", word)
            json.member("paymentId", (stated.paid ?? stated.paymentID)?.logged)
            json.member("by", stated.person.withoutCardNumbers.logged)
            json.member("because", stated.reason.withoutCardNumbers.logged)
            json.member("confirmed", stated.isConfirmed)
            json.payment(outcome)
        }
        return ServiceReply(JSONLine { $0.order(outcome) })
    }

    /// Records a person's decision about an operation.
    private func resolve(
        _ operation: ExactText, _ stated: ServiceBody.Decision, at gateway: ServiceAccounts.Gateway
    ) throws(ServiceReply) -> ServiceReply {
        let outcome = try decided(.resolve, name, gateway) {
            () async throws(PaymentError) in
            try await gateway.payments.resolve(
                name, operation: operation, isDone: stated.isDone, by: stated.person,
                because: stated.reason)
        } log: { json, _ in
            json.member("operation", operation.withoutCardNumbers.logged)
            json.member("decision", stated.isDone ? "done" : "refused")
            json.member("by", stated.person.withoutCardNumbers.logged)
            json.member("because", stated.reason.withoutCardNumbers.logged)
        }
        return ServiceReply(
            JSONLine { $0.operation(outcome, operation, on: name, at: gateway.account.gatewayName) }
        )
    }

    /// Records a person's decision that no payment was made for an order that the ledger does not have.
    private func resolve(
        _ order: Order, _ stated: ServiceBody.Decision
    ) throws(ServiceReply) -> ServiceReply {
        guard order.reference == name else {
            throw .fault(
                400, "invalid-body", "The member order.reference is not the reference in the path.",
                member: "order.reference")
        }
        let gateway = try gateway(stated.gateway)
        let outcome = try decided(.resolve, name, gateway) {
            () async throws(PaymentError) in
            try await gateway.payments.resolve(
                lost: order, by: stated.person, because: stated.reason,
                isConfirmed: stated.isConfirmed)
        } log: { json, outcome in
            json.member("decision", "refused")
            json.member("by", stated.person.withoutCardNumbers.logged)
            json.member("because", stated.reason.withoutCardNumbers.logged)
            json.payment(outcome)
        }
        return ServiceReply(JSONLine { $0.order(outcome) })
    }

    /// Records that a payment which the ledger does not have pays an order.
    func adopt() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in
            let stated = try ServiceBody.Adoption(body)
            guard stated.order.reference == name else {
                throw FileError(path: "order.reference", reason: "is not the reference in the path")
            }
            return stated
        }
        let gateway = try gateway(stated.gateway)
        let outcome = try decided(.adopt, name, gateway) {
            () async throws(PaymentError) in
            try await gateway.payments.adopt(
                stated.paymentID, for: stated.order, by: stated.person, because: stated.reason)
        } log: { json, outcome in
            // It identifies the payment, and can contain as many digits as a card number.
            json.member("paymentId", stated.paymentID.logged)
            json.member("by", stated.person.withoutCardNumbers.logged)
            json.member("because", stated.reason.withoutCardNumbers.logged)
            json.payment(outcome)
        }
        return ServiceReply(JSONLine { $0.order(outcome) })
    }

    /// Receives a gateway's message.
    func receive() throws(ServiceReply) -> ServiceReply {
        let message = try body { body throws(FileError) in try ServiceBody.Message(body) }.message
        let gateway = try gateway(name)
        let reply = waiting { await gateway.payments.receive(message) }
        service.audit.record("message", by: peer) { json in
            json.member("gateway", gateway.account.name)
            json.member("answer", reply.status)
            json.member("reference", reply.outcome?.payment?.attempt.orderReference)
            json.member("outcome", reply.outcome?.state.rawValue)
        }
        return ServiceReply(
            JSONLine {
                $0.reply(reply.status, body: reply.body, reply.outcome, reason: reply.reason)
            })
    }
}

// MARK: Before a payment

extension ServiceCall {
    /// Gets a merchant session, with which a page opens the payment sheet.
    func session() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in try ServiceBody.Session(body) }
        switch stated.source {
        case .page(let domain, let displayName):
            return try session(.init(domain: domain, displayName: displayName))
        case .messages(let gateway, let displayName):
            return try session(.init(paymentGateway: gateway, displayName: displayName))
        case .gateway(let name, let url, let token):
            let account = try gateway(name).account
            let bePaid: BePaid
            do throws(CommandFailure) {
                bePaid = try account.sessionGateway()
            } catch {
                throw .fault(422, "no-sessions", error.message, member: "gateway")
            }
            let sender = service.sender.of(account.name)
            return ServiceReply(
                unchanged: try run { () async throws(PaymentError) in
                    try await bePaid.merchantSession(
                        validationURL: url, checkoutToken: token, over: sender)
                })
        }
    }

    /// Lets the process that sends ask Apple, because it has the merchant identity.
    private func session(_ request: SessionRequest) throws(ServiceReply) -> ServiceReply {
        let sender = service.sender
        let response: GatewayResponse
        do throws(GatewayTransportError) {
            response = try waiting({ await sender.session(request) }).get()
        } catch {
            let detail = error.detail.map { ": \($0)" } ?? ""
            throw .fault(
                503, error.code.rawValue, "There is no merchant session\(detail). Try again.")
        }
        guard response.status == 200 else {
            throw .fault(
                response.status, response.header("code")?.description ?? "",
                String(decoding: response.bytes, as: UTF8.self))
        }
        return ServiceReply(unchanged: SensitiveBytes(copying: response.bytes.span))
    }

    /// Begins to add a card to Wallet.
    func addCard() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in try ServiceBody.Card(body) }
        guard let cards = accounts.cards.first(where: { $0.name == stated.gateway })?.cards else {
            throw .fault(
                404, "unknown-gateway",
                "The service has no gateway \(stated.gateway.printable) that adds cards; start paytokend with its file, "
                    + "\(CommandOption.gateway.usage), or name another one.",
                member: "gateway")
        }
        let sender = service.sender
        let outcome = try run { () async throws(PaymentError) in
            try await cards.addCard(stated.card, returnURL: stated.returnURL, over: sender)
        }
        service.audit.record("card", by: peer) { json in
            json.member("card", stated.card.withoutCardNumbers.logged)
            json.member("gateway", stated.gateway)
            json.member("outcome", outcome.state.rawValue)
        }
        return ServiceReply(JSONLine { $0.card(outcome) })
    }
}

// MARK: Tokens

extension ServiceCall {
    /// Verifies a token.
    func verify() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in
            try ServiceBody.Token(body, isDecrypted: false)
        }
        let token = try refusing(stated.token) { () throws(PaymentError) in
            try PaymentError.ofToken { () throws(PaymentTokenError) in
                try accounts.verifier.verify(stated.token, form: .any, agePolicy: .now)
            }
        }
        return ServiceReply(.verified(token))
    }

    /// Decrypts a token.
    func decrypt() throws(ServiceReply) -> ServiceReply {
        let stated = try body { body throws(FileError) in
            try ServiceBody.Token(body, isDecrypted: true)
        }
        if stated.reveal { try require([.reveal], for: "reveal") }
        guard let decryptor = accounts.decryptor else {
            throw .fault(
                503, "no-keys",
                "The service has no keys; start paytokend with \(CommandOption.keys.usage).")
        }
        let result = Result { () throws(PaymentError) in
            let payment = try PaymentError.ofToken { () throws(PaymentTokenError) in
                try decryptor.decrypt(stated.token)
            }
            try stated.order?.check(payment)
            if stated.claim { try claim(payment) }
            return payment
        }
        let payment = try logged("decrypt", result, token: stated.token) { json, payment in
            json.identity(payment?.token.identity)
            json.member("revealed", payment == nil ? nil : stated.reveal)
            json.member("claimed", payment == nil || !stated.claim ? nil : true)
        }
        return ServiceReply(
            .decrypted(payment, isRevealed: stated.reveal, isClaimed: stated.claim))
    }

    private func claim(_ payment: Payment) throws(PaymentError) {
        let ledger = service.ledger
        do throws(LedgerError) {
            try waiting { () async throws(LedgerError) in _ = try await ledger.claim(payment) }
        } catch {
            throw PaymentError(error).about(payment.token.identity)
        }
    }
}

// MARK: The service itself

extension ServiceCall {
    /// That the service runs.
    var health: ServiceReply { ServiceReply(JSONLine { $0.member("status", "ok") }) }

    /// Whether the service can pay, and how it is protected.
    var readiness: ServiceReply {
        var faults: [String] = []
        let now = Date()
        if now < PlausibleTime.earliest || now > PlausibleTime.latest {
            faults.append(ServiceFault.clock)
        }
        if !accounts.keys.isEmpty,
            !accounts.keys.contains(where: { $0.status == .ready && ($0.notAfter ?? now) >= now })
        {
            faults.append("every key awaits its certificate, or its certificate has ended")
        }
        do throws(LedgerError) {
            let ledger = service.ledger
            _ = try waiting { () async throws(LedgerError) in
                try await ledger.openAttempts(limit: 1)
            }
        } catch {
            faults.append(error.reason ?? "the ledger does not answer")
        }
        if UnixSocket(connectingTo: service.sender.path, by: .now + .seconds(1)) == nil {
            faults.append(ServiceFault.sender)
        }
        if service.needsAudit, service.audit.isFailing {
            faults.append(ServiceFault.audit)
        }
        let confinement = service.confinement
        let reload = service.lastReload
        // They leave the service ready, because it can pay at other gateways, and no restart mends them.
        let gatewayFaults = accounts.gateways.compactMap { gateway in
            service.metrics.fault(at: gateway.account.name).map {
                (gateway: gateway.account.name, fault: $0)
            }
        }
        // Which keys are loaded is for operators, for root, and for the service's own user.
        let mayKnowKeys = service.access.isOperator(peer) || peer.user == FileStatus.user
        let line = JSONLine { json in
            json.member("status", faults.isEmpty ? "ready" : "not-ready")
            json.member("faults", faults.isEmpty ? nil : faults.map(\.printable))
            json.member("gateways", accounts.gateways.map(\.account.name))
            if !gatewayFaults.isEmpty {
                json.objects("gatewayFaults", gatewayFaults) { json, fault in
                    json.member("gateway", fault.gateway)
                    json.member("fault", fault.fault.kind.rawValue)
                    json.member("reason", fault.fault.reason?.printable)
                    json.member("since", fault.fault.since)
                }
            }
            json.member("testTrustAnchor", accounts.trustsTestRoot)
            json.member("reloads", reload.count > 0 ? reload.count : nil)
            json.member("reloading", reload.isRunning ? true : nil)
            json.member("reloadFailed", reload.hasFailed ? true : nil)
            if mayKnowKeys {
                json.member("user", FileStatus.user)
                json.member("group", ProcessUser.groupNumber)
                json.objects("keys", accounts.keys.filter { $0.status == .ready }) { json, key in
                    json.member("merchant", key.merchantIdentifier ?? key.merchantIdentifierHash)
                    json.member("publicKeyHash", key.publicKeyHash)
                }
            }
            json.object("protections") { json in
                json.member("noNewPrivileges", confinement.forbidsNewPrivileges)
                json.member("systemCallFilter", confinement.filtersSystemCalls)
                json.member("fileRules", confinement.restrictsFiles)
                json.member("socketRules", confinement.restrictsSockets)
                json.member("lockedMemory", confinement.locksMemory)
                json.member("network", confinement.hasNetwork)
                json.member("device", confinement.hasDevice)
            }
        }
        return ServiceReply(line, status: faults.isEmpty ? 200 : 503)
    }

    var metrics: ServiceReply {
        let now = Date()
        let ledger = service.ledger
        let open = try? waiting { () async throws(LedgerError) in
            try await ledger.openAttempts(limit: Self.listLimit)
        }
        let ages = (open ?? []).map { now.seconds(since: $0.beginning) }
        let ends = accounts.keys.compactMap { key in
            key.notAfter.map { end in
                (
                    labels: [
                        ("merchant", key.merchantIdentifier ?? key.merchantIdentifierHash ?? ""),
                        ("key", key.publicKeyHash),
                    ], value: Int64(end.timeIntervalSince(now).rounded(.down))
                )
            }
        }
        return ServiceReply(
            metrics: service.metrics.text([
                .init(
                    name: "open_attempts", help: "Payments that are not settled, at most 1000.",
                    values: open.map { [([], Int64($0.count))] } ?? []),
                .init(
                    name: "oldest_open_attempt_seconds",
                    help: "Age of the oldest payment that is not settled; 0 without one.",
                    values: open == nil ? [] : [([], ages.max() ?? 0)]),
                .init(
                    name: "key_seconds_left", help: "Time until a key's certificate ends.",
                    values: ends),
                .init(
                    name: "gateway_fault",
                    help: "1 if the last exchange with an account's gateway showed this fault.",
                    values: accounts.gateways.flatMap { gateway in
                        let name = gateway.account.name
                        let fault = service.metrics.fault(at: name)?.kind
                        return GatewayFault.Kind.allCases.map { kind in
                            (
                                labels: [("gateway", String(name)), ("fault", kind.rawValue)],
                                value: Int64(fault == kind ? 1 : 0)
                            )
                        }
                    }),
                .init(
                    name: "reload_failed",
                    help:
                        "1 if keys and gateway files were not loaded anew, and the old ones are used.",
                    values: [([], service.lastReload.hasFailed ? 1 : 0)]),
                .init(
                    name: "audit_lines_waiting",
                    help: "Lines of the audit log that wait to be written.",
                    values: [([], Int64(service.audit.waitingCount))]),
                .init(
                    name: "audit_lines_lost_total", help: "Lines of the audit log that were lost.",
                    type: "counter", values: [([], Int64(service.audit.lostCount))]),
            ]))
    }
}

// MARK: Parts

extension ServiceCall {
    private func body<Body>(
        _ read: (AnswerValue) throws(FileError) -> Body
    ) throws(ServiceReply) -> Body {
        let value: AnswerValue
        do throws(JSONError) {
            value = try AnswerValue(contents)
        } catch {
            throw .fault(400, "not-json", notJSON(error))
        }
        guard value.isObject else {
            throw .fault(400, "invalid-body", "The body must be an object. \(neededObject)")
        }
        do throws(FileError) {
            return try read(value)
        } catch {
            if let part = WrongFile.object(value), part != .gatewayFile {
                let name = part == .token ? "token" : "order"
                guard endpoint.body?.contains(where: { $0.name == name }) != true else {
                    throw .fault(
                        400, "invalid-body",
                        "The body is \(part.rawValue); send an object with it as the member \(name)."
                    )
                }
            }
            let subject = error.path.isEmpty ? "The body" : "The member \(error.path)"
            // A value of a wrong type is often that of another member.
            let member = endpoint.body?.first {
                $0.name == error.path && error.reason.hasPrefix("must be ")
            }
            let help = member.map { ": \($0.help)" } ?? ""
            throw .fault(
                400, "invalid-body", "\(subject) \(error.reason)\(help).",
                member: error.path.isEmpty ? nil : error.path)
        }
    }

    /// Returns what is wrong with a body that is not JSON, and what to send.
    private func notJSON(_ error: JSONError) -> String {
        let fault = "The body is not JSON\(WrongFile.fault(contents, error))"
        guard error.fault != .unexpectedEnd || ContentKind(contents.span) != .json else {
            return "\(fault) Send all of it: Content-Length counts bytes, not characters."
        }
        return "\(fault) \(neededObject)"
    }

    /// What the body must be.
    private var neededObject: String {
        // A token is mandatory unless a stored card stands for it.
        let names = (endpoint.body ?? []).filter { member in
            if case .token = member.kind { true } else { member.isMandatory }
        }.map(\.name)
        return "Send one object" + (names.isEmpty ? ", such as {}." : " with \(names.sentence).")
    }

    /// Returns the gateway that the client names.
    private func gateway(_ name: ExactText?) throws(ServiceReply) -> ServiceAccounts.Gateway {
        guard let gateway = accounts.gateway(name) else {
            let names = accounts.gateways.map(\.account.name)
            throw .fault(
                name == nil ? 400 : 404, "unknown-gateway",
                names.isEmpty
                    ? "The service has no gateway; start paytokend with \(CommandOption.gateway.usage)."
                    : "Name a gateway of this service: \(names.map(\.description).alternatives).",
                member: "gateway")
        }
        return gateway
    }

    /// Returns the gateway of an attempt to pay an order, or of the one that decides about it; any gateway if it has none, which
    /// then reports that.
    ///
    /// - Parameters:
    ///   - serial: The serial of the attempt; nil for the one that decides.
    ///   - isRequired: Whether another gateway, which returns the state as it is recorded, does not suffice.
    /// - Returns: The gateway.
    /// - Throws: The answer if the service does not have it.
    private func gatewayOfOrder(
        _ serial: ExactText? = nil, isRequired: Bool = true
    ) throws(ServiceReply) -> ServiceAccounts.Gateway {
        let ledger = service.ledger
        let attempts = try run { () async throws(PaymentError) in
            do throws(LedgerError) {
                return try await ledger.attempts(of: name)
            } catch {
                throw PaymentError(error)
            }
        }
        let deciding =
            attempts.last { $0.serial == serial } ?? attempts.last { $0.listing == .first }
            ?? attempts.last(where: \.state.isLive) ?? attempts.last { $0.state != .released }
        if let last = deciding ?? attempts.last {
            if let gateway = accounts.gateways.first(where: { $0.has(last) }) { return gateway }
            guard !isRequired else {
                throw .fault(
                    503, "unknown-gateway",
                    "The payment is at \(last.account); start paytokend with the file of this account, too: "
                        + "\(CommandOption.gateway.usage)."
                )
            }
        }
        guard let gateway = accounts.gateways.first else { return try gateway(nil) }
        return gateway
    }

    /// Runs what decides about an order or an operation, and counts and logs the decision.
    ///
    /// - Parameters:
    ///   - kind: The kind of decision.
    ///   - reference: The order.
    ///   - gateway: The gateway.
    ///   - token: The token's text; nil without one.
    ///   - work: Decides.
    ///   - log: Adds further members to the line of the audit log; the outcome is nil after a refusal.
    /// - Returns: The outcome.
    /// - Throws: The answer to a refusal.
    private func decided<Outcome: DecidedOutcome>(
        _ kind: OutcomeKind, _ reference: ExactText, _ gateway: ServiceAccounts.Gateway,
        token: [UInt8]? = nil, _ work: @escaping @Sendable () async throws(PaymentError) -> Outcome,
        log: (inout JSONOutput, Outcome?) -> Void
    ) throws(ServiceReply) -> Outcome {
        let name = gateway.account.name
        let result = Result { () throws(PaymentError) in try waiting(work) }
        return try logged(kind.rawValue, result, token: token) { json, outcome in
            let refusal = outcome?.report?.refusal
            if let outcome {
                service.metrics.countOutcome(kind, name, outcome.word, refusal)
            }
            json.member("reference", reference.logged)
            json.member("gateway", name)
            json.member("outcome", outcome?.word)
            json.member("origin", refusal?.origin.rawValue)
            json.member("code", refusal?.code?.withoutCardNumbers.logged)
            json.member("text", refusal?.text?.withoutCardNumbers.logged)
            json.member("reason", outcome?.reason?.withoutCardNumbers.logged)
            log(&json, outcome)
        }
    }

    /// Logs a decision, and counts a refusal.
    ///
    /// - Parameters:
    ///   - event: The kind of decision.
    ///   - result: The decision.
    ///   - token: The token's text; nil without one.
    ///   - log: Adds members to the line of the audit log; the outcome is nil after a refusal.
    /// - Returns: The outcome.
    /// - Throws: The answer to a refusal.
    private func logged<Outcome>(
        _ event: String, _ result: Result<Outcome, PaymentError>, token: [UInt8]?,
        _ log: (inout JSONOutput, Outcome?) -> Void
    ) throws(ServiceReply) -> Outcome {
        service.audit.record(event, by: peer) { json in
            switch result {
            case .success(let outcome): log(&json, outcome)
            case .failure(let error):
                log(&json, nil)
                json.member("code", error.name)
                json.member("disposition", error.disposition.rawValue)
                json.member("reason", error.reason.map { ExactText($0).withoutCardNumbers.logged })
                json.identity(error.token)
            }
        }
        return try refusing(token) { () throws(PaymentError) in try result.get() }
    }

    /// Runs asynchronous work.
    private func run<Output: Sendable>(
        _ work: @escaping @Sendable () async throws(PaymentError) -> Output
    ) throws(ServiceReply) -> Output {
        try refusing { () throws(PaymentError) in try waiting(work) }
    }

    /// Runs a check, which may be that of a token's text, and counts a refusal.
    private func refusing<Output>(
        _ token: [UInt8]? = nil, _ work: () throws(PaymentError) -> Output
    ) throws(ServiceReply) -> Output {
        do throws(PaymentError) {
            return try work()
        } catch {
            service.metrics.countRefusal(error)
            throw .refused(error, token, isTesting: accounts.trustsTestRoot)
        }
    }
}

/// The outcome of a payment or of an operation.
private protocol DecidedOutcome: Sendable {
    /// The state, as answers name it.
    var word: String { get }
    var report: PaymentReport? { get }
    var reason: ExactText? { get }
}

extension OrderOutcome: DecidedOutcome {
    fileprivate var word: String { state.rawValue }
}

extension OperationOutcome: DecidedOutcome {
    fileprivate var word: String { state.rawValue }
}

extension JSONOutput {
    /// Adds the members of the audit log about an order's payment.
    fileprivate mutating func payment(_ outcome: OrderOutcome?) {
        member("transactionId", outcome?.payment?.transaction.map { "\($0)" })
        member("initiator", outcome?.payment?.initiator?.rawValue)
        member("publicKeyHash", outcome?.token?.publicKeyHash)
        member("isRecorded", outcome?.isRecorded)
    }

    /// Adds which token was decrypted or refused, if that is known.
    fileprivate mutating func identity(_ token: TokenIdentity?) {
        member("transactionId", token?.transactionId)
        member("publicKeyHash", token?.publicKeyHash)
    }
}

extension ExactText {
    /// The beginning of this text, so that a client cannot make the lines of the audit log long: as much as a reference can have.
    fileprivate var logged: ExactText { prefix(255) }
}
