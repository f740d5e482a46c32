import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayServiceHTTP
import Foundation
import TestVectors
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The endpoints of the service")
struct ServiceEndpointTests {
    /// Returns the methods and paths of the endpoints at a path.
    private func found(_ segments: [String]) -> [String] {
        ServiceEndpoint.all.filter { $0.matches(segments) }.map {
            "\($0.method.rawValue) \($0.path)"
        }
    }

    @Test(
        "are found by the segments of a path",
        arguments: [
            (["v1", "pay"], "POST /v1/pay"), (["v1", "payments"], "GET /v1/payments"),
            (["v1", "payments", "1001"], "GET /v1/payments/{reference}"),
            (["v1", "payments", "a/b"], "GET /v1/payments/{reference}"),
            (["v1", "payments", "a/capture"], "GET /v1/payments/{reference}"),
            (["v1", "payments", "{reference}"], "GET /v1/payments/{reference}"),
            (["v1", "payments", "capture"], "GET /v1/payments/{reference}"),
            (["v1", "payments", "a/b", "capture"], "POST /v1/payments/{reference}/capture"),
            (["v1", "payments", "ü ", "cancel"], "POST /v1/payments/{reference}/cancel"),
            (["v1", "payments", "refund", "refund"], "POST /v1/payments/{reference}/refund"),
            (["v1", "payments", "1", "resolve"], "POST /v1/payments/{reference}/resolve"),
            (["v1", "payments", "1", "adopt"], "POST /v1/payments/{reference}/adopt"),
            (["v1", "changes"], "GET /v1/changes"),
            (["v1", "messages", "bepaid"], "POST /v1/messages/{gateway}"),
            (["v1", "page"], "POST /v1/page"), (["v1", "session"], "POST /v1/session"),
            (["v1", "cards"], "POST /v1/cards"),
            (["v1", "verify"], "POST /v1/verify"), (["v1", "decrypt"], "POST /v1/decrypt"),
            (["healthz"], "GET /healthz"), (["readyz"], "GET /readyz"),
            (["metrics"], "GET /metrics"),
        ])
    func routes(_ segments: [String], _ endpoint: String) {
        #expect(found(segments) == [endpoint])
    }

    @Test(
        "are not found by any other path",
        arguments: [
            [], ["v1"], ["V1", "pay"], ["v1", "Pay"], ["v1/pay"], ["v1", "pay", "x"], ["pay"],
            ["v2", "pay"],
            ["v1", "messages"], ["v1", "messages", "a", "b"], ["v1", "payments", "a", "b"],
            ["v1", "payments", "a", "b", "capture"], ["v1", "payments", "a", "capture", "x"],
            ["v1", "payments", "a", "CAPTURE"], ["v1", "healthz"], ["healthz", "x"],
        ])
    func unknown(_ segments: [String]) {
        #expect(found(segments) == [])
    }

    @Test(
        "are proposed for a path with another version or none, and for one that is misspelled",
        arguments: [
            (["v2", "pay"], "/v1/pay"), (["pay"], "/v1/pay"),
            (["api", "payments", "1"], "/v1/payments/{reference}"),
            (["payments", "1", "refund"], "/v1/payments/{reference}/refund"),
            (["v1", "healthz"], nil), (["v1", "payment"], "/v1/payments"),
            (["health"], "/healthz"), (["v1", "elsewhere"], nil), ([], nil),
        ])
    func meant(_ segments: [String], _ path: String?) throws {
        #expect(ServiceEndpoint.meant(by: segments) == path)
        let proposal = path.map { "; did you mean \($0)?" } ?? "."
        let text = ServiceReply.unknownPath(segments).body.revealText()
        #expect(
            text.contains(
                "The service has no such path\(proposal) `paytokend --describe` lists the paths."))
    }

    @Test("are different ones, and each is found by its own path alone")
    func different() {
        for endpoint in ServiceEndpoint.all {
            let segments = endpoint.path.split(separator: "/").map(String.init)
            #expect(found(segments) == ["\(endpoint.method.rawValue) \(endpoint.path)"])
        }
    }

    @Test("need these roles")
    func roles() {
        let roles = Dictionary(grouping: ServiceEndpoint.all) { endpoint in
            endpoint.roles.map(\.rawValue).sorted().joined(separator: " ")
        }.mapValues { $0.map(\.path) }
        let order = "/v1/payments/{reference}"
        #expect(
            roles == [
                "": ["/healthz", "/readyz", "/metrics"],
                "pay": [
                    "/v1/pay", "/v1/page", "/v1/messages/{gateway}", "/v1/session", "/v1/cards",
                    "/v1/verify",
                ],
                "operate pay": [order], "pay reveal": ["/v1/decrypt"],
                "operate": [
                    "/v1/payments", "/v1/changes", "\(order)/capture", "\(order)/cancel",
                    "\(order)/refund", "\(order)/resolve", "\(order)/adopt",
                ],
            ])
    }

    @Test("have a body if the method is POST, and none otherwise")
    func bodies() {
        for endpoint in ServiceEndpoint.all {
            #expect((endpoint.body != nil) == (endpoint.method == .post), "\(endpoint.path)")
        }
    }
}

@Suite("The description of the service")
struct ServiceDescriptionTests {
    private let description: JSONTree

    init() throws {
        description = try JSONDecoder().decode(
            JSONTree.self, from: Data(ServiceDescription.text.utf8))
    }

    private func operation(_ endpoint: ServiceEndpoint) throws -> JSONTree {
        let method = endpoint.method.rawValue.lowercased()
        return try #require(description.member(at: ["paths", endpoint.path, method]))
    }

    @Test("has all endpoints, and no others")
    func endpoints() {
        let paths = description.member(at: ["paths"])?.members ?? [:]
        let described = paths.flatMap { path, operations in
            operations.members.keys.map { "\($0) \(path)" }
        }
        let declared = ServiceEndpoint.all.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        #expect(described.sorted() == declared.sorted())
        #expect(description.member(at: ["openapi"])?.string == "3.1.0")
        #expect(description.member(at: ["info", "version"])?.string == Version.number)
    }

    @Test("has the schemas of the declared bodies")
    func bodies() throws {
        for endpoint in ServiceEndpoint.all {
            let content = try operation(endpoint).member(at: ["requestBody", "content"])?.members
            guard let body = endpoint.body else {
                #expect(content == nil)
                continue
            }
            let text = MemberJSON.object(MemberJSON.schema(of: body))
            let schema = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
            let example = try JSONDecoder().decode(
                JSONTree.self, from: Data(MemberJSON.example(body).utf8))
            #expect(
                content == ["application/json": .object(["schema": schema, "example": example])])
            #expect(
                schema.members["properties"]?.members.keys.sorted() == body.map(\.name).sorted())
            #expect(schema.members["additionalProperties"] == .boolean(false))
        }
    }

    @Test("has each status with its meaning, a schema and an example, and those of every endpoint")
    func answers() throws {
        for endpoint in ServiceEndpoint.all {
            let answers = try #require(operation(endpoint).members["responses"]).members
            let every = ["400", "403", "405", "408", "411", "413", "417", "431", "503", "505"]
            #expect(
                answers.keys.sorted()
                    == Set(
                        endpoint.answers.map { "\($0.status)" } + every
                            + (endpoint.roles.isEmpty ? [] : ["500"])
                            + (endpoint.method == .get ? [] : ["415"])
                    ).sorted())
            for answer in endpoint.answers {
                let described = answers["\(answer.status)"]
                #expect(described?.members["description"]?.string == answer.meaning)
                let content = described?.members["content"]?.members
                let type =
                    endpoint.path == "/metrics" && answer.status == 200
                    ? "text/plain" : "application/json"
                #expect(content?.count == 1 && content?.keys.first?.hasPrefix(type) == true)
                #expect(content?.values.first?.members.keys.sorted() == ["example", "schema"])
            }
        }
    }

    @Test(
        "has errors with the members that the schema of errors has, under the status that they have"
    )
    func errors() throws {
        let schema = try #require(description.member(at: ["components", "schemas", "Error"]))
        let properties = Set(try #require(schema.members["properties"]).members.keys)
        let required = (schema.members["required"]?.elements ?? []).compactMap(\.string)
        #expect(Set(ServiceEndpoint.shared.map(\.status)).count == ServiceEndpoint.shared.count)
        for answer in ServiceEndpoint.all.flatMap(\.answers) + ServiceEndpoint.shared
        where answer.body.name == "Error" {
            let text = MemberJSON.object([("example", answer.body.example)])
            let example = try JSONDecoder().decode([String: JSONTree].self, from: Data(text.utf8))
            let names = Set(example["example"]?.members.keys.map { $0 } ?? [])
            #expect(names.isSuperset(of: required) && names.isSubset(of: properties), "\(names)")
        }
    }

    @Test("names each operation once, and as before")
    func names() throws {
        #expect(
            try ServiceEndpoint.all.map { try operation($0).members["operationId"]?.string } == [
                "pay", "createPage", "listPayments", "listChanges", "showPayment",
                "capturePayment", "cancelPayment", "refundPayment", "resolvePayment",
                "adoptPayment", "receiveMessage", "getSession", "addCard", "verifyToken",
                "decryptToken", "getHealth", "getReadiness", "getMetrics",
            ])
    }

    @Test("has the roles, the parameters of the path, and the header that every request needs")
    func parameters() throws {
        for endpoint in ServiceEndpoint.all {
            let operation = try operation(endpoint)
            let text = operation.members["description"]?.string ?? ""
            let roles = endpoint.roles.map(\.rawValue).sorted()
            #expect(
                text.hasSuffix(
                    roles.isEmpty ? "." : " Needs the role \(roles.joined(separator: " or "))."))
            let names = (operation.members["parameters"]?.elements ?? []).map {
                ($0.members["in"]?.string ?? "") + " " + ($0.members["name"]?.string ?? "")
            }
            let varying = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(
                names == varying.map { "path \($0.dropFirst().dropLast())" }
                    + endpoint.parameters.map { "query \($0.name)" } + ["header Paytoken-Request"])
        }
    }

    @Test("refers only to components that it contains, and to each")
    func references() throws {
        let components = description.member(at: ["components"])?.members ?? [:]
        var found: Set<String> = []
        func visit(_ tree: JSONTree) {
            for (name, value) in tree.members {
                if name == "$ref", let text = value.string { found.insert(text) }
                visit(value)
            }
            tree.elements.forEach(visit)
        }
        visit(description)
        let contained = components.flatMap { kind, parts in
            parts.members.keys.map { "#/components/\(kind)/\($0)" }
        }
        #expect(found == Set(contained))
    }
}

@Suite("The answers of the service")
struct ServiceReplyTests {
    private func members(_ reply: ServiceReply) throws -> [String: JSONTree] {
        try JSONDecoder().decode([String: JSONTree].self, from: Data(reply.body.revealText().utf8))
    }

    @Test(
        "have the status of who must act",
        arguments: PaymentTokenError.Code.allCases.map { .token(PaymentTokenError($0)) }
            + PaymentError.Code.allCases.map { PaymentError($0) })
    func statuses(_ error: PaymentError) throws {
        let unavailable = [
            "chain/unverified-revocation-list", "key-agreement/key-unavailable",
            "replay/ledger-full", "replay/ledger-unavailable", "replay/window-too-wide",
            "gateway/not-sent", "gateway/invalid-key", "gateway/unsupported-messages",
        ]
        let isUnavailable =
            unavailable.contains(error.name) || error.name.hasSuffix("/library-failure")
        let status = error.code == .noPayment ? 404 : isUnavailable ? 503 : 422
        let reply = ServiceReply.refused(error)
        #expect(reply.status == status)
        #expect(reply.contentType == .json && reply.retryAfter == nil)
        let members = try members(reply)
        let parts = [members["stage"], members["code"]].compactMap { $0?.string }
        #expect(parts.joined(separator: "/") == error.name)
        #expect(members["disposition"]?.string == error.disposition.rawValue)
        #expect(members["message"]?.string == error.description)
        #expect(members["advice"]?.string == error.advice)
    }

    @Test("to a request that cannot be served have the reason, and no control character")
    func faults() throws {
        let reply = ServiceReply.fault(
            400, "invalid-body", "a\u{1B}b", member: "order.amount", retryAfter: 5)
        #expect(reply.status == 400 && reply.retryAfter == 5 && reply.contentType == .json)
        #expect(
            try members(reply) == [
                "status": .string("error"), "stage": .string("request"),
                "code": .string("invalid-body"), "member": .string("order.amount"),
                "message": .string("a\u{1B}b".printable),
            ])
        #expect(!"a\u{1B}b".printable.contains("\u{1B}"))
    }

    @Test("to a request with another method name the one that its path needs")
    func methods() throws {
        for method in ServiceHead.Method.allCases {
            let reply = ServiceReply.wrongMethod(method)
            #expect(reply.status == 405 && reply.allow == [method])
            #expect(
                try members(reply)["message"]?.string
                    == "This path needs the method \(method.rawValue).")
        }
    }

    @Test("to one request too many ask to try again after a second")
    func busy() throws {
        #expect(ServiceReply.busy.status == 503 && ServiceReply.busy.retryAfter == 1)
        #expect(try members(.busy)["code"]?.string == "busy")
    }

    @Test("with metrics are text")
    func metrics() {
        let reply = ServiceReply(metrics: "paytoken_a 1\n")
        #expect(reply.status == 200 && reply.contentType == .metrics)
        #expect(reply.body.revealText() == "paytoken_a 1\n")
    }
}
