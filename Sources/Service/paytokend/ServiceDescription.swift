internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayServiceHTTP

/// The description of the service for clients, from the endpoints and the declarations of their bodies.
///
/// Source: OpenAPI Initiative, *OpenAPI Specification* 3.1.
enum ServiceDescription {
    private typealias JSON = MemberJSON.JSON

    /// The description, as indented JSON.
    static var text: String {
        let paths = Dictionary(grouping: ServiceEndpoint.all, by: \.path)
        let names = ServiceEndpoint.all.map(\.path).withoutRepetitions
        return MemberJSON.object([
            ("openapi", .string("3.1.0")),
            (
                "info",
                .object([
                    ("title", .string("paytokend")), ("version", .string(Version.number)),
                    (
                        "description",
                        .string(
                            "HTTP/1.1 on a Unix socket. Every request has the header Paytoken-Request: true, and one "
                                + "with a body Content-Type: application/json and Content-Length.")
                    ),
                ])
            ),
            ("servers", .array([.object([("url", .string("http://localhost"))])])),
            (
                "paths",
                .object(
                    names.map { path in
                        (
                            path,
                            .object(
                                (paths[path] ?? []).map {
                                    ($0.method.rawValue.lowercased(), operation($0))
                                })
                        )
                    })
            ),
            ("components", .object([("schemas", .object(schemas))])),
        ]) + "\n"
    }

    private static func operation(_ endpoint: ServiceEndpoint) -> JSON {
        let roles = endpoint.roles.map(\.rawValue).sorted()
        let role = roles.isEmpty ? "" : " Needs the role \(roles.alternatives)."
        let varying = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }
        var members: [(String, JSON)] = [
            ("summary", .string(endpoint.summary)),
            ("description", .string("\(endpoint.summary).\(role)")),
            ("operationId", .string(identifier(endpoint))),
            (
                "parameters",
                .array(
                    varying.map { name in
                        parameter(String(name.dropFirst().dropLast()), in: "path", anyText)
                    }
                        + endpoint.parameters.map { name, meaning in
                            parameter(
                                name, in: "query", anyText, isRequired: false, meaning: meaning)
                        } + [
                            parameter(
                                "Paytoken-Request", in: "header",
                                .object([("const", .string("true"))]))
                        ])
            ),
        ]
        if let body = endpoint.body {
            members.append(
                (
                    "requestBody",
                    .object([
                        ("required", .text("true")),
                        ("content", content(.object(MemberJSON.schema(of: body)))),
                    ])
                ))
        }
        let answers = endpoint.allAnswers.map { status, meaning in
            ("\(status)", answer(meaning, status == 200 ? success(endpoint) : reference("Error")))
        }
        members.append(("responses", .object(answers)))
        return .object(members)
    }

    /// Returns a name such as `postPay` or `getPaymentsReference`, which generators of clients use.
    private static func identifier(_ endpoint: ServiceEndpoint) -> String {
        let words = endpoint.path.split { !$0.isLetter }.filter { $0 != "v" }
        return endpoint.method.rawValue.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func success(_ endpoint: ServiceEndpoint) -> JSON {
        guard endpoint.path != "/metrics" else { return .object([("type", .string("string"))]) }
        let words = endpoint.path.split(separator: "/")
        guard words.count > 1, ["pay", "page", "payments"].contains(words[1]) else {
            return .object([("type", .string("object"))])
        }
        guard endpoint.path != "/v1/payments" else {
            return object(
                [
                    ("payments", array(of: reference("OpenPayment"))), ("next", anyText),
                    ("faults", array(of: anyText)),
                ], required: ["payments"])
        }
        let isOperation = ["capture", "cancel", "refund"].contains(
            words.last.map(String.init) ?? "")
        guard words.last != "resolve" else {
            return .object([("oneOf", .array([reference("Order"), reference("Operation")]))])
        }
        return reference(isOperation ? "Operation" : "Order")
    }

    private static var schemas: [(String, JSON)] {
        [
            (
                "Order",
                object(
                    [
                        ("outcome", choice(OrderOutcome.State.allCases.map(\.rawValue))),
                        ("paymentId", orNull("string")), ("status", orNull("string")),
                        ("captured", orNull("integer")), ("refunded", orNull("integer")),
                        ("isAmountSigned", boolean), ("isAnswered", boolean),
                        ("cause", choice(OrderOutcome.ReturnCause.allCases.map(\.rawValue))),
                    ] + common
                        + texts(
                            "transactionId", "publicKeyHash", "signingTime", "serial",
                            "secondPaymentId", "url")
                        + ["slot", "authorized", "captureRequested"].map { ($0, number) }
                        + [("openOperations", array(of: anyText))],
                    required: ["reference", "outcome"])
            ),
            (
                "OpenPayment",
                object(
                    [
                        ("outcome", choice(OrderOutcome.State.allCases.map(\.rawValue))),
                        ("isTest", boolean), ("paymentId", orNull("string")),
                        ("openOperations", array(of: anyText)),
                    ] + texts("reference", "serial", "gateway", "account")
                        + texts("currency", "since", "reason")
                        + ["slot", "amount", "ageSeconds"].map { ($0, number) },
                    required: ["reference", "serial", "outcome", "gateway", "account", "isTest"])
            ),
            (
                "Operation",
                object(
                    [
                        ("operation", choice(OperationOutcome.State.allCases.map(\.rawValue))),
                        ("status", orNull("string")), ("isRepeated", boolean),
                    ] + common + texts("kind", "name", "paymentId", "operationId"),
                    required: ["operation", "reference"])
            ),
            (
                "Error",
                object(
                    [
                        ("status", .object([("const", .string("error"))])), ("stage", anyText),
                        ("code", anyText), ("disposition", anyText), ("message", anyText),
                        ("advice", anyText), ("member", anyText),
                    ], required: ["status", "stage", "code", "message"])
            ),
        ]
    }

    /// The members of orders and of operations.
    private static var common: [(String, JSON)] {
        texts("reference", "gateway", "currency", "code", "text", "origin", "reason")
            + [("amount", number), ("isRecorded", boolean)]
    }

    private static func texts(_ names: String...) -> [(String, JSON)] {
        names.map { ($0, anyText) }
    }

    private static let boolean = JSON.object([("type", .string("boolean"))])

    private static let anyText = JSON.object([("type", .string("string"))])

    private static let number = JSON.object([("type", .string("integer"))])

    private static func array(of items: JSON) -> JSON {
        .object([("type", .string("array")), ("items", items)])
    }

    private static func orNull(_ type: String) -> JSON {
        .object([("type", .array([.string(type), .string("null")]))])
    }

    private static func choice(_ values: [String]) -> JSON {
        .object([("enum", .array(values.map(JSON.string)))])
    }

    private static func object(_ members: [(String, JSON)], required: [String]) -> JSON {
        .object([
            ("type", .string("object")), ("properties", .object(members)),
            ("required", .array(required.map(JSON.string))),
        ])
    }

    private static func reference(_ name: String) -> JSON {
        .object([("$ref", .string("#/components/schemas/\(name)"))])
    }

    private static func content(_ schema: JSON) -> JSON {
        .object([("application/json", .object([("schema", schema)]))])
    }

    private static func answer(_ meaning: String, _ schema: JSON) -> JSON {
        .object([("description", .string(meaning)), ("content", content(schema))])
    }

    private static func parameter(
        _ name: String, in place: String, _ schema: JSON, isRequired: Bool = true,
        meaning: String? = nil
    ) -> JSON {
        .object(
            [
                ("name", .string(name)), ("in", .string(place)),
                ("required", .text("\(isRequired)")), ("schema", schema),
            ] + (meaning.map { [("description", .string($0))] } ?? []))
    }
}
