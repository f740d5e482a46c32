internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayServiceHTTP
internal import ApplePayWire

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
            (
                "components",
                .object([("schemas", .object(schemas)), ("responses", .object(responses))])
            ),
        ]) + "\n"
    }

    private static func operation(_ endpoint: ServiceEndpoint) -> JSON {
        let roles = endpoint.roles.map(\.rawValue).sorted()
        let role = roles.isEmpty ? "" : " Needs the role \(roles.alternatives)."
        let varying = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }
        var members: [(String, JSON)] = [
            ("summary", .string(endpoint.summary)),
            ("description", .string("\(endpoint.summary).\(role)")),
            ("operationId", .string(endpoint.name)),
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
                        (
                            "content",
                            content(
                                .json, .object(MemberJSON.schema(of: body)),
                                .text(MemberJSON.example(body)))
                        ),
                    ])
                ))
        }
        let own = endpoint.answers.map { ("\($0.status)", answer($0)) }
        let shared = endpoint.sharedAnswers.map { shared in
            (
                "\(shared.status)",
                JSON.object([("$ref", .string("#/components/responses/\(name(of: shared))"))])
            )
        }
        members.append(("responses", .object(own + shared)))
        return .object(members)
    }

    /// The schemas of all answers, each once.
    private static var schemas: [(String, JSON)] {
        let answers = ServiceEndpoint.all.flatMap(\.answers) + ServiceEndpoint.shared
        let bodies = answers.map(\.body) + [.open]
        return Dictionary(bodies.map { ($0.name, $0.schema) }) { first, _ in first }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The answers that several paths give.
    private static var responses: [(String, JSON)] {
        ServiceEndpoint.shared.map { (name(of: $0), answer($0)) }
    }

    private static func name(of shared: ServiceEndpoint.Answer) -> String {
        "Error\(shared.status)"
    }

    private static let anyText = JSON.object([("type", .string("string"))])

    private static func content(
        _ type: ServiceAnswer.ContentType, _ schema: JSON, _ example: JSON
    ) -> JSON {
        .object([(type.rawValue, .object([("schema", schema), ("example", example)]))])
    }

    private static func answer(_ answer: ServiceEndpoint.Answer) -> JSON {
        let body = answer.body
        return .object([
            ("description", .string(answer.meaning)),
            ("content", content(body.contentType, body.reference, body.example)),
        ])
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
