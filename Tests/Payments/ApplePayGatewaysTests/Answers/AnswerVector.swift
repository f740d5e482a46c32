import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// A published answer or message, and how it must be read: a line of TestVectors/answers.
struct AnswerVector: Decodable, Sendable, CustomTestStringConvertible {
    /// The head of the answer, or of the request that is a message.
    struct HTTP: Decodable, Sendable {
        let status: Int?
        let method, target: String?
        let headers: [[String]]?

        /// The headers as pairs.
        var pairs: [(name: String, value: String)] { (headers ?? []).map { ($0[0], $0[1]) } }
    }

    /// The order that the answer would be about.
    struct Facts: Decodable, Sendable {
        let reference: String?
        let amount: Int64?
        let currency, paymentId, sessionId: String?
        /// The options of the gateway on which the meaning depends.
        let options: [String: JSONTree]?
    }

    /// The operation that the answer would be about.
    struct Operation: Decodable, Sendable {
        let kind: PaymentOperation.Kind
        let amount: Int64?
        let key: String
    }

    /// The name of the file: the gateway's.
    var gateway = ""
    let id, step: String
    let http: HTTP
    let body: JSONTree
    let order: Facts?
    let operation: Operation?
    /// The expected report, with the names of ``PaymentReport/stated``.
    let report: JSONTree?
    /// The expected state.
    let outcome: String?
    let canBeAsked: Bool?
    /// The values that the next request needs, for a step before the payment.
    let identifiers: [String: String]?
    /// The expected outcome of adding a card to Wallet.
    let card: [String: String]?

    private enum CodingKeys: CodingKey {
        case id, step, http, body, order, operation, report, outcome, canBeAsked, identifiers, card
    }

    var testDescription: String { "\(gateway) \(id)" }

    /// The lines of all gateways, in their order.
    static let all: [AnswerVector] = {
        let folder = TestVectors.directory.appending(path: "answers")
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path())
        let names = (files ?? []).filter { $0.hasSuffix(".jsonl") && $0 != "signatures.jsonl" }
        return names.sorted().flatMap { name -> [AnswerVector] in
            let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return (text ?? "").split(separator: "\n").map { line in
                do {
                    var vector = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
                    vector.gateway = String(name.dropLast(6))
                    return vector
                } catch {
                    preconditionFailure("\(name): \(error) in \(line.prefix(100))")
                }
            }
        }
    }()

    /// The body as text.
    var text: String { Self.text(body) }

    /// Returns a body as text: a string is sent as it is.
    static func text(_ body: JSONTree) -> String {
        if case .string(let text) = body { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: (try? encoder.encode(body)) ?? Data(), as: UTF8.self)
    }

    /// Returns the answer, with another body or another HTTP status.
    func response(_ body: JSONTree? = nil, status: Int? = nil) -> GatewayResponse {
        GatewayResponse(
            status: status ?? http.status ?? 200, headers: http.pairs,
            body: Array((body.map(Self.text) ?? text).utf8))
    }

    /// Returns the payment of the order.
    func attempt() throws -> PaymentAttempt {
        let facts = try #require(order)
        let order = Order(
            reference: ExactText(try #require(facts.reference)), amount: try #require(facts.amount),
            currency: try #require(facts.currency.flatMap { Currency(alphabetic: ExactText($0)) }))
        var attempt = try PaymentAttempt(order, key: "attempt-1")
        attempt.paymentID = facts.paymentId.map { ExactText($0) }
        attempt.sessionID = facts.sessionId.map { ExactText($0) }
        return attempt
    }

    /// Whether the merchant's account is for tests: as the line states it; nil if it does not state it.
    var isTest: Bool? { expected?["isTest"] == nil ? nil : true }

    /// Returns whether the request had an option with this value.
    func has(_ option: String, _ value: JSONTree) -> Bool { order?.options?[option] == value }

    /// The members that the report must state, by name; nil if the line does not contain a report.
    var expected: [String: String]? {
        guard case .object(let members) = report else { return nil }
        var stated: [String: String] = [:]
        func add(_ name: String, _ value: JSONTree) {
            switch value {
            case .object(let members):
                for (inner, value) in members { add("\(name).\(inner)", value) }
            case .string(let text): stated[name] = text
            case .number(let number) where number != 0: stated[name] = "\(number)"
            case .boolean(true): stated[name] = "true"
            default: break
            }
        }
        for (name, value) in members { add(name, value) }
        if stated["meaning"] == nil { stated["meaning"] = "undocumented" }
        return stated
    }
}

extension PaymentOperation.Kind: Decodable {}

extension PaymentReport {
    /// The members that the report states, by the names of TestVectors/answers; 0, false and empty texts count as not stated.
    var stated: [String: String] {
        let amounts = [
            "ordered": ordered, "authorized": authorized, "captureRequested": captureRequested,
            "captured": captured, "refundRequested": refundRequested, "refunded": refunded,
            "operationAmount": operationAmount,
        ]
        let texts: [String: ExactText?] = [
            "status": status, "paymentId": paymentID, "sessionId": sessionID,
            "operationId": operationID, "reference": reference, "currency": currency,
            "address": address.map { ExactText($0.absoluteString) }, "refusal.code": refusal?.code,
            "refusal.text": refusal?.text,
            "refusal.origin": refusal.map { ExactText($0.origin.rawValue) },
        ]
        let flags = [
            "hasChargeback": hasChargeback, "isTest": isTest == true, "fault": fault != nil,
        ]
        return ["about": String(about.rawValue), "meaning": meaning.rawValue]
            .merging(amounts.compactMapValues { $0.flatMap { $0 == 0 ? nil : "\($0)" } }) { $1 }
            .merging(texts.compactMapValues { $0 == "" ? nil : $0?.description }) { $1 }
            .merging(flags.filter(\.value).mapValues { _ in "true" }) { $1 }
    }
}
