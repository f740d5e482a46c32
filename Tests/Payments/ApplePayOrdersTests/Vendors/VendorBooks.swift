import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A payment in the books of a vendor.
struct VendorPayment {
    /// How far the payment has come.
    enum Status {
        /// The vendor waits for the customer, who has to confirm it.
        case open
        case authorized
        case captured
        case declined
        /// The customer did not confirm it in time, or in vain; nothing can be paid any more.
        case expired
    }

    /// A capture or a refund.
    struct Operation {
        enum Kind { case capture, refund }
        let id: String
        let kind: Kind
        let amount: Int64
        let time: Date
        /// The merchant's own reference of the operation, where the vendor has one.
        var reference = ""
        /// Whether the vendor's lists contain it.
        var isListed = true
    }

    let id: String
    /// The merchant's reference, which means nothing to the vendor.
    let reference: String
    /// What the merchant sent in a field of its own, returned as it came.
    var mark: String?
    /// The vendor's object in which it was paid.
    var session: String?
    /// The amount in minor units.
    let amount: Int64
    let currency: String
    /// The card.
    let card: String
    /// Whether another channel made it, such as a card form.
    let isForeign: Bool
    let time: Date
    var status: Status
    /// What was captured at once; captures of an authorization are operations.
    var capturedAtOnce: Int64 = 0
    var operations: [Operation] = []
    /// What the acquirer has paid, where it differs from the amount.
    var acquired: Int64?
    /// What the customer pays on top of the amount.
    var surcharge: Int64?
    var isTest = false

    var captured: Int64 { capturedAtOnce + sum(.capture) }
    var refunded: Int64 { sum(.refund) }

    /// What the customer has lost by it: reserved or captured, and not given back.
    var money: Int64 {
        switch status {
        case .authorized where captured == 0: amount
        case .authorized, .captured: captured - refunded
        case .open, .declined, .expired: 0
        }
    }

    private func sum(_ kind: Operation.Kind) -> Int64 {
        operations.filter { $0.kind == kind }.reduce(0) { $0 + $1.amount }
    }

    /// Returns the operations of a kind that the vendor's lists contain at a time.
    func listed(_ kind: Operation.Kind, at now: Date, lag: Double) -> [Operation] {
        operations.filter { one in
            one.kind == kind && one.isListed
                && (one.kind == .capture || now.timeIntervalSince(one.time) >= lag)
        }
    }
}

/// What a vendor decides about a payment.
enum VendorDecision {
    /// The card pays.
    case accept
    /// The issuer declines; the payment exists.
    case decline
    /// The vendor's documented error about the merchant's request or account; there is no payment.
    case refuse
    /// The customer has to confirm it on a page of the bank.
    case challenge
}

/// What a vendor knows: payments, the answers that it keeps for keys, sessions, and the test's settings.
struct VendorBooks {
    /// An answer that is kept for a key.
    struct Kept {
        let answer: GatewayResponse
        let paymentID: String?
        let time: Date
        /// The body of the request.
        var body = ""
    }

    var payments: [VendorPayment] = []
    /// The kept answers by key.
    var keys: [String: Kept] = [:]
    /// The names of stored cards, by the payments that stored them or were made with them.
    var storedCards: [String: String] = [:]
    /// The orders' objects, such as Dintero's sessions, by identifier.
    var sessions: [String: [String: String]] = [:]
    var now: Date
    /// The decision about the payment that is being requested.
    var decision = VendorDecision.accept
    /// How long the vendor's lists lack a refund, in seconds.
    var refundLag = 0.0
    /// How long the vendor's lists lack a payment, in seconds.
    var paymentLag = 0.0
    /// Whether the vendor finds a payment also by a reference that only looks like its own.
    var normalizes = false
    /// Whether the lists contain new refunds at all.
    var listsRefunds = true
    /// What the acquirer pays of the next payment, where it differs from the amount.
    var acquired: Int64?
    /// Whether the acquirer splits a charge into an authorization and a capture.
    var splitsCharges = false
    /// Whether the vendor still works on an earlier request with the same key.
    var isWorking = false
    /// Whether the vendor refuses a key that comes again with another body.
    var comparesBodies = false
    /// What the customer pays on top of the amount of the payments.
    var surcharge: Int64?
    /// Whether the answer to a refused request is kept for its key.
    var keepsRefusals = true
    /// Whether status words are written in lower case.
    var usesLowerCase = false
    private(set) var count = 0

    init(now: Date) { self.now = now }

    /// Returns the next number of the vendor's.
    mutating func next() -> Int {
        count += 1
        return count
    }

    /// Adds a payment with the decision that was made about it.
    mutating func add(
        id: String, reference: String, mark: String? = nil, session: String? = nil,
        amount: Int64, currency: String = "EUR", card: String = "foreign",
        isForeign: Bool = false, capturesAtOnce: Bool = true, isTest: Bool = false
    ) -> VendorPayment {
        let status: VendorPayment.Status =
            switch decision {
            case .accept: capturesAtOnce ? .captured : .authorized
            case .decline, .refuse: .declined
            case .challenge: .open
            }
        let payment = VendorPayment(
            id: id, reference: reference, mark: mark, session: session, amount: amount,
            currency: currency, card: card, isForeign: isForeign, time: now, status: status,
            capturedAtOnce: status == .captured ? amount : 0, acquired: acquired, isTest: isTest)
        payments.append(payment)
        return payment
    }

    /// Returns the payment with an identifier.
    subscript(id id: String) -> VendorPayment? { payments.first { $0.id == id } }

    /// Changes the payment with an identifier.
    mutating func change(_ id: String, _ body: (inout VendorPayment) -> Void) {
        guard let index = payments.firstIndex(where: { $0.id == id }) else { return }
        body(&payments[index])
    }

    /// Gives back a part of a payment; nil if less was captured.
    ///
    /// No document states that the vendor refuses to give the same amount back twice.
    mutating func refund(
        _ id: String, _ amount: Int64, operation: String, reference: String = ""
    ) -> VendorPayment.Operation? {
        guard let payment = self[id: id], amount > 0, payment.captured >= amount else {
            return nil
        }
        let operation = VendorPayment.Operation(
            id: operation, kind: .refund, amount: amount, time: now, reference: reference,
            isListed: listsRefunds)
        change(id) { $0.operations.append(operation) }
        return operation
    }

    /// Captures a part of an authorization; nil if less is reserved.
    mutating func capture(
        _ id: String, _ amount: Int64, operation: String, reference: String = ""
    ) -> VendorPayment.Operation? {
        guard let payment = self[id: id], payment.status == .authorized, amount > 0,
            payment.amount - payment.captured >= amount
        else { return nil }
        let operation = VendorPayment.Operation(
            id: operation, kind: .capture, amount: amount, time: now, reference: reference)
        change(id) { $0.operations.append(operation) }
        return operation
    }

    /// Returns whether a stored card's name is known; true for nil, which is a payment without one.
    func knows(_ card: String?) -> Bool { card.map(storedCards.values.contains) ?? true }

    /// Returns the payments that the vendor's lists contain, with a reference, the newest first.
    func listed(reference: String) -> [VendorPayment] {
        payments.filter { one in
            (one.reference.utf8.elementsEqual(reference.utf8)
                || normalizes && one.reference == reference)
                && (one.isForeign || now.timeIntervalSince(one.time) >= paymentLag)
        }.reversed()
    }

    /// Returns the answer that is kept for a key; nil if the key is new or was forgotten.
    func kept(_ key: String?, hours: Double) -> Kept? {
        guard let kept = key.flatMap({ keys[$0] }),
            now.timeIntervalSince(kept.time) < hours * 3_600
        else { return nil }
        return kept
    }

    /// Returns whether a request repeats the kept one with another body, and the vendor minds.
    func isOther(_ body: String, than kept: Kept?) -> Bool {
        guard comparesBodies, let kept else { return false }
        return !kept.body.utf8.elementsEqual(body.utf8)
    }

    /// Keeps an answer for a key; one without a payment only where refusals are kept.
    mutating func keep(
        _ answer: GatewayResponse, _ paymentID: String?, for key: String?, body: String = ""
    ) {
        if let key, paymentID != nil || keepsRefusals {
            keys[key] = Kept(answer: answer, paymentID: paymentID, time: now, body: body)
        }
    }
}

/// A request as a vendor's server reads it.
struct VendorRequest {
    let method: String
    let host: String
    let path: [String]
    let query: [String: String]
    let body: String
    private let headers: [(name: String, value: String)]

    init(_ request: GatewayRequest) {
        method = request.method
        host = request.origin
        path = request.path.split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
        body = request.body?.revealText() ?? ""
        headers = request.headers.map { ($0.name.lowercased(), $0.revealValue()) }
    }

    /// Returns a part of the path; an empty one if the path is shorter.
    func segment(_ index: Int) -> String { path.indices.contains(index) ? path[index] : "" }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name.lowercased() }?.value
    }

    /// The body as a JSON object; empty if it is none.
    var json: JSON { JSON(text: body) }

    /// The body as a form (WHATWG URL, application/x-www-form-urlencoded).
    var form: [String: String] {
        var values: [String: String] = [:]
        for pair in body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].replacing("+", with: " ") : ""
            values[String(parts[0])] = value.removingPercentEncoding ?? ""
        }
        return values
    }
}

/// A JSON object that is read by path.
struct JSON {
    private let members: [String: Any]

    init(text: String) {
        members =
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    private func value(_ path: [String]) -> Any? {
        path.reduce(members as Any?) { ($0 as? [String: Any])?[$1] }
    }

    /// Returns the text at a path.
    func text(_ path: String...) -> String? { value(path) as? String }

    /// Returns the whole number at a path.
    func integer(_ path: String...) -> Int64? { (value(path) as? NSNumber)?.int64Value }

    /// Returns the Boolean at a path.
    func boolean(_ path: String...) -> Bool? { (value(path) as? NSNumber)?.boolValue }

    /// Returns the objects in the array at a path.
    func objects(_ path: String...) -> [JSON] {
        (value(path) as? [[String: Any]] ?? []).map(JSON.init)
    }

    /// Returns the texts of the object at a path.
    func texts(_ path: String...) -> [String: String] {
        (value(path) as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
    }

    private init(_ members: [String: Any]) { self.members = members }

    /// Returns the text of an object; members that are nil are left out.
    static func encoded(_ members: [String: Any?]) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: compact(members), options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private static func compact(_ value: Any?) -> Any {
        switch value {
        case let object as [String: Any?]:
            object.compactMapValues { $0 }.mapValues { compact($0) }
        case let array as [Any?]: array.compactMap { $0 }.map { compact($0) }
        case let value?: value
        case nil: NSNull()
        }
    }
}

extension GatewayResponse {
    /// An answer with a JSON object; members that are nil are left out.
    static func json(
        _ status: Int, _ members: [String: Any?],
        headers: [(name: String, value: String)] = []
    ) -> GatewayResponse {
        GatewayResponse(
            status: status, headers: [("Content-Type", "application/json")] + headers,
            body: Array(JSON.encoded(members).utf8))
    }

    /// The page of a proxy, which is not the vendor's.
    static func page(_ status: Int) -> GatewayResponse {
        GatewayResponse(
            status: status, headers: [("Content-Type", "text/html")],
            body: Array("<html><head><title>\(status)</title></head></html>\r\n".utf8))
    }
}
