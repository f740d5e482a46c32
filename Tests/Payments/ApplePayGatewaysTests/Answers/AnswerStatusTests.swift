import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import TestVectors
import Testing

/// The effect of an answer's HTTP status, and of an answer that is not the gateway's.
@Suite("An answer with another HTTP status or body")
struct AnswerStatusTests {
    /// The answers over HTTP, to payments, operations and queries.
    static let vectors = AnswerVector.all.filter {
        $0.step != "message" && $0.step != "launch" && $0.gateway != "intergiro"
    }

    private static let queries: Set = [
        "status", "details", "search", "uid", "hosted-page-status", "session-status", "transaction",
    ]
    private static let preparations: Set = ["login", "session", "operations", "submit"]

    /// The only status of a payment that was made, by gateway.
    private static let documented = ["cybersource": 201, "checkout": 201, "adyen": 200]

    private static let statuses = [
        200, 201, 202, 204, 301, 302, 400, 401, 402, 403, 404, 408, 409, 422, 425, 429, 500, 502,
        503, 504,
    ]
    private static let undecided: Set = [408, 409, 425, 429]

    @Test("has the outcome that its status permits", arguments: vectors)
    func statuses(_ vector: AnswerVector) throws {
        let documented = vector.http.status ?? 200
        let before = try AnswerReading(vector)
        for status in Self.statuses where status != documented {
            let reading = try AnswerReading(vector, status: status)
            if Self.preparations.contains(vector.step) {
                let isSent = status / 100 == 2 && before.state == "pending"
                #expect((reading.state == "pending") == isSent, "\(status)")
            } else if status / 100 == 2 {
                try expectAccepted(reading, before, vector, status, documented)
            } else if Self.queries.contains(vector.step) {
                #expect(reading.state == "unknown", "\(status)")
                // Only the gateway's own error states that there is no payment.
                let isAbsent =
                    status == 404 && Self.findsOne(vector) && reading.report?.fault == nil
                #expect(!isAbsent || documented / 100 == 4, "\(status)")
                #expect(reading.report?.meaning == (isAbsent ? .absent : .undocumented))
                #expect((reading.report?.fault == nil) == isAbsent, "\(status)")
            } else if status / 100 == 4, !Self.undecided.contains(status) {
                expectRefused(reading, before, status, documented)
            } else {
                #expect(reading.state == "unknown" && reading.report?.fault != nil, "\(status)")
            }
        }
    }

    /// Whether the query names one payment, page or session, so that 404 means that there is none.
    private static func findsOne(_ vector: AnswerVector) -> Bool {
        vector.step != "search" && vector.gateway != "rbs"
            && !(vector.gateway == "bepaid" && vector.step == "status")
    }

    /// 2xx: as the body states, unless the gateway documents another status for a payment.
    private func expectAccepted(
        _ reading: AnswerReading, _ before: AnswerReading, _ vector: AnswerVector, _ status: Int,
        _ documented: Int
    ) throws {
        guard documented / 100 == 2 else {
            // An error that looks like a success decides nothing, except by the gateway's own words.
            #expect(["unknown", "refused", before.state].contains(reading.state), "\(status)")
            return
        }
        let isOther = Self.documented[vector.gateway].map { $0 != status } ?? false
        if isOther, before.report?.meaning == .booked, !Self.queries.contains(vector.step) {
            #expect(reading.state == "unknown" && reading.report?.fault != nil, "\(status)")
        } else if vector.gateway == "dintero", status == 202, vector.operation != nil {
            #expect(["pending", before.state].contains(reading.state) && reading.state != "done")
        } else if vector.gateway != "dintero" || documented != 202 {
            #expect(reading.state == before.state, "\(status)")
            #expect(reading.report?.stated == before.report?.stated, "\(status)")
        }
    }

    /// 4xx: refused, unless the body states that something was or may be done.
    private func expectRefused(
        _ reading: AnswerReading, _ before: AnswerReading, _ status: Int, _ documented: Int
    ) {
        #expect(["refused", "unknown"].contains(reading.state), "\(status)")
        let isUnusable = reading.report?.fault != nil || before.state == "unknown"
        #expect(reading.state == "refused" || isUnusable, "\(status)")
        let isSuccess = documented / 100 == 2 && !["refused", "unknown"].contains(before.state)
        if isSuccess { #expect(reading.state == "unknown", "\(status)") }
        if reading.state == "refused" {
            #expect(reading.report?.meaning == .refused, "\(status)")
            #expect(reading.report?.refusal?.code != nil, "\(status)")
        }
    }

    /// Bodies that are not the gateway's: of balancers and proxies, cut off, or too long.
    private static let bodies: [(name: String, text: String)] = [
        ("empty", ""), ("HTML", "<html><h1>Bad gateway</h1></html>"), ("a text", "Not Found"),
        ("an array", "[]"), ("a string", #""PAID""#), ("null", "null"),
        ("deeply nested", String(repeating: #"{"a":"#, count: 10_000)),
        ("33 levels", nested(33)),
        ("more than 1 MiB", #"{"a":""# + String(repeating: "x", count: 1 << 20) + #""}"#),
    ]

    private static func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth - 1) + "{}"
            + String(repeating: "}", count: depth - 1)
    }

    @Test(
        "is unknown if it is not a JSON object of at most 1 MiB and 32 levels",
        arguments: firstOfEachStep)
    func foreign(_ vector: AnswerVector) throws {
        for (name, text) in Self.bodies {
            for status in [200, 201, 400, 403, 500, 502] {
                let reading = try AnswerReading(vector, .string(text), status: status)
                expectNothing(reading, vector, "\(name) \(status)", text, status)
            }
        }
        // Cut off at any byte.
        let text = vector.text
        for count in 1..<text.utf8.count {
            let cut = String(decoding: text.utf8.prefix(count), as: UTF8.self)
            let reading = try AnswerReading(vector, .string(cut))
            expectNothing(reading, vector, "\(count) bytes", cut, 200)
        }
    }

    private func expectNothing(
        _ reading: AnswerReading, _ vector: AnswerVector, _ name: String, _ text: String,
        _ status: Int
    ) {
        if Self.preparations.contains(vector.step) {
            #expect(reading.state == "refused" && reading.reason != nil, "\(name)")
        } else if vector.step == "search", text == "[]", status < 300 {
            // No payment was found.
            #expect(reading.report?.meaning == .absent || reading.report?.fault != nil)
        } else {
            #expect(reading.state == "unknown" && reading.report?.fault != nil, "\(name)")
        }
    }

    /// One answer of each step, which contains at most 1,000 bytes if possible.
    private static let firstOfEachStep: [AnswerVector] = {
        var found: [String: AnswerVector] = [:]
        for vector in vectors where (vector.http.status ?? 0) / 100 == 2 {
            let key = "\(vector.gateway) \(vector.step)"
            if vector.text.utf8.count < found[key]?.text.utf8.count ?? .max { found[key] = vector }
        }
        return found.values.sorted { $0.testDescription < $1.testDescription }
    }()
}
