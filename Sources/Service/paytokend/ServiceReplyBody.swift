internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayServiceHTTP
internal import ApplePayWire

/// The body of an answer, with its schema and an example: the source of the answers' description.
struct ServiceReplyBody: Sendable {
    typealias JSON = MemberJSON.JSON

    /// The name of the schema.
    let name: String
    let schema: JSON
    let example: JSON
    var contentType = ServiceAnswer.ContentType.json

    /// Creates a body whose example is a text of JSON.
    private init(_ name: String, _ schema: JSON, _ example: String) {
        self.name = name
        self.schema = schema
        self.example = .text(example)
    }

    /// Returns the body of an answer to a request that is refused, with this answer as the example.
    static func error(_ reply: ServiceReply) -> ServiceReplyBody {
        ServiceReplyBody("Error", error, String(reply.body.revealText().dropLast()))
    }

    /// A reference to the schema.
    var reference: JSON { .object([("$ref", .string("#/components/schemas/\(name)"))]) }
}

// MARK: Orders

extension ServiceReplyBody {
    /// An order that is paid with a token.
    static let paid = ServiceReplyBody("Order", order, example(more: ",\(identityExample)"))

    /// An order as the ledger and the gateway have it.
    static let state = ServiceReplyBody("Order", order, example())

    /// An order that the customer pays on a page.
    static let page = ServiceReplyBody(
        "Order", order,
        #"{"reference":"order-1001","outcome":"action-required","gateway":"worldline-direct","paymentId":null,"status":null,"#
            + #""amount":1099,"currency":"EUR","captured":null,"refunded":null,"isRecorded":true,"isAmountSigned":false,"#
            + #""isAnswered":true,"serial":"ae6d4872da2b61c57a1e066f27afcf7a","slot":1,"#
            + #""url":"https://payment.example/checkout/1"}"#)

    static let operation = ServiceReplyBody(
        "Operation",
        object(
            [
                ("operation", choice(OperationOutcome.State.allCases)),
                ("status", orNull("string")), ("isRepeated", boolean),
            ] + common + texts("kind", "name", "paymentId", "operationId", "advice"),
            required: ["operation", "reference"]),
        #"{"operation":"done","kind":"refund","reference":"order-1001","name":"refund-1","gateway":"bepaid","#
            + #""operationId":"4-409c0c4c-f","status":"successful","amount":100,"currency":"EUR","isRecorded":true,"#
            + #""isRepeated":false}"#)

    /// The order or the operation about which a person decided.
    static let decided = ServiceReplyBody(
        "Decided", .object([("oneOf", .array([state.reference, operation.reference]))]), example())

    /// A payment that is not settled.
    static let open = ServiceReplyBody(
        "OpenPayment",
        object(
            [
                ("outcome", choice(OrderOutcome.State.allCases)),
                ("isTest", boolean), ("paymentId", orNull("string")),
                ("openOperations", array(of: text)),
            ] + texts("reference", "serial", "gateway", "account")
                + texts("secondPaymentId", "currency", "since", "reason")
                + numbers("slot", "amount", "ageSeconds"),
            required: ["reference", "serial", "outcome", "gateway", "account", "isTest"]),
        #"{"reference":"order-1001","serial":"ae6d4872da2b61c57a1e066f27afcf7a","slot":1,"outcome":"action-required","#
            + #""gateway":"worldline-direct","account":"shop","isTest":false,"paymentId":null,"amount":1099,"#
            + #""currency":"EUR","since":"2026-11-28T09:30:00Z","ageSeconds":60}"#)

    static let payments = ServiceReplyBody(
        "Payments",
        object(
            [
                ("payments", array(of: open.reference)), ("next", text),
                ("faults", array(of: text)),
            ], required: ["payments"]), .object([("payments", .array([open.example]))]))

    static let changes = ServiceReplyBody(
        "Changes",
        object(
            [
                ("orders", array(of: state.reference)), ("cursor", text),
                ("faults", array(of: text)),
            ], required: ["orders", "cursor"]),
        .object([
            ("orders", .array([state.example])),
            ("cursor", .string("2.4b453c2fafa9e7a93dd6e2c874b2d1f3")),
        ]))

    /// The answer for a gateway to its message, and the order that the message is about.
    static let message = ServiceReplyBody(
        "MessageReply",
        object(
            [("status", number), ("body", text), ("paymentStatus", orNull("string"))] + ofOrder,
            required: ["status", "body"]),
        example(status: #""status":200,"body":"","paymentStatus""#))
}

// MARK: Tokens

extension ServiceReplyBody {
    static let verified = ServiceReplyBody(
        "Verified", object(facts, required: ["status"]), "{\(factsExample)}")

    static let decrypted = ServiceReplyBody(
        "Decrypted",
        object(
            facts + [
                ("claimed", boolean), ("paymentData", anyObject),
                ("omittedMembers", array(of: text)), ("advice", text),
            ], required: ["status", "paymentData"]),
        "{\(factsExample),"
            + #""claimed":true,"paymentData":{"applicationPrimaryAccountNumber":"4000••••••••4694","#
            + #""applicationExpirationDate":"491231","currencyCode":"978","transactionAmount":1099,"#
            + #""deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure","paymentData":{"#
            + #""onlinePaymentCryptogram":"(28 characters, masked)","eciIndicator":"7"}}}"#)

    /// An answer of Apple's or of a gateway's.
    static let session = ServiceReplyBody(
        "Session", anyObject,
        #"{"epochTimestamp":1795858200000,"expiresAt":1795861800000,"merchantSessionIdentifier":"SSH1","nonce":"6f1","#
            + #""merchantIdentifier":"merchant.example.one","domainName":"shop.example","displayName":"Shop","#
            + #""signature":"3080"}"#)

    static let card = ServiceReplyBody(
        "Card",
        object(
            [("outcome", choice(CardOutcome.State.allCases))]
                + texts("consentId", "token", "url", "reason"), required: ["outcome"]),
        #"{"outcome":"launch","consentId":"9982a2e6-2378-48e4-9a04-b5e0557e4a42","#
            + #""token":"5d1f85e7-30be-4ce6-8806-9f7afdff64ae","url":"https://consent.example/1"}"#)
}

// MARK: The service itself

extension ServiceReplyBody {
    static let health = ServiceReplyBody(
        "Health", object([("status", constant("ok"))], required: ["status"]), #"{"status":"ok"}"#)

    static let ready = ServiceReplyBody(
        "Readiness", readiness,
        #"{"status":"ready","gateways":["bepaid"],"testTrustAnchor":false,\#(protectionsExample)}"#)

    static let notReady = ServiceReplyBody(
        "NotReady",
        .object([("oneOf", .array([ready.reference, ServiceReplyBody.error(.busy).reference]))]),
        #"{"status":"not-ready","faults":["\#(ServiceFault.sender)"],"gateways":["bepaid"],"testTrustAnchor":false,"#
            + protectionsExample + "}")

    static let metrics = {
        var body = ServiceReplyBody(
            "Metrics", text,
            .string(
                "# HELP paytoken_open_attempts Payments that are not settled, at most 1000.\n"
                    + "# TYPE paytoken_open_attempts gauge\npaytoken_open_attempts 0\n"))
        body.contentType = .metrics
        return body
    }()

    private static let readiness = object(
        [
            ("status", .object([("enum", .array([.string("ready"), .string("not-ready")]))])),
            ("faults", array(of: text)), ("gateways", array(of: text)),
            (
                "gatewayFaults",
                array(
                    of: object(
                        texts("gateway", "fault", "reason", "since"),
                        required: ["gateway", "fault", "since"]))
            ),
            ("keys", array(of: object(texts("merchant", "publicKeyHash"), required: []))),
            ("protections", anyObject),
        ] + ["testTrustAnchor", "reloading", "reloadFailed"].map { ($0, boolean) }
            + numbers("reloads", "user", "group"),
        required: ["status", "gateways", "testTrustAnchor", "protections"])

    private static let protectionsExample =
        #""protections":{"noNewPrivileges":true,"systemCallFilter":true,"fileRules":true,"socketRules":true,"#
        + #""lockedMemory":true,"network":false,"device":false}"#
}

// MARK: Parts

extension ServiceReplyBody {
    private init(_ name: String, _ schema: JSON, _ example: JSON) {
        (self.name, self.schema, self.example) = (name, schema, example)
    }

    private static let order = object(
        ofOrder + [("status", orNull("string"))], required: ["reference", "outcome"])

    /// The members of orders, without the status.
    private static let ofOrder =
        [
            ("outcome", choice(OrderOutcome.State.allCases)), ("paymentId", orNull("string")),
            ("captured", orNull("integer")), ("refunded", orNull("integer")),
            ("isAmountSigned", boolean), ("isAnswered", boolean),
            ("cause", choice(OrderOutcome.ReturnCause.allCases)),
        ] + common + identity + texts("serial", "secondPaymentId", "unanswered", "url", "advice")
        + numbers("slot", "authorized", "captureRequested")
        + [("openOperations", array(of: text))]

    /// The members of orders and of operations.
    private static let common =
        texts("reference", "gateway", "currency", "code", "text", "origin", "reason")
        + [("amount", number), ("isRecorded", boolean)]

    private static let identity = texts("publicKeyHash", "transactionId", "signingTime")

    private static let facts =
        [("status", constant("ok"))] + identity + texts("version", "environment", "agePolicy")
        + [("unwrapped", array(of: text))]

    private static let error = object(
        [
            ("status", constant("error")),
            ("disposition", choice(PaymentTokenError.Disposition.allCases)),
        ] + texts("stage", "code", "message", "advice", "member") + identity,
        required: ["status", "stage", "code", "message"])

    private static let transactionExample =
        #""transactionId":"21e5f9a12992d7f3144652521f93d8e0b315abf94f23cab22bb727b4f6edf578""#

    private static let identityExample =
        #""publicKeyHash":"rbNyXcL2xPoK/tOCz87pYUmK23PYY+dmqVstHWoOoYM=","signingTime":"2026-11-28T09:30:00Z""#

    private static let factsExample =
        #""status":"ok","version":"EC_v1",\#(identityExample),\#(transactionExample),"environment":"production","#
        + #""agePolicy":"received-at 2026-11-28T09:30:01Z","unwrapped":[]"#

    /// Returns an order that is paid; `status` is what precedes the gateway's word.
    private static func example(status: String = #""status""#, more: String = "") -> String {
        #"{"reference":"order-1001","outcome":"paid","gateway":"bepaid","paymentId":"1-cb2023c4-6",\#(status):"successful","#
            + #""amount":1099,"currency":"EUR","captured":1099,"refunded":0,\#(transactionExample),"isRecorded":true,"#
            + #""isAmountSigned":true,"isAnswered":true,"serial":"00c7f650ce306c169e3ecb9e1e3f8d4c","slot":1,"#
            + #""authorized":0,"captureRequested":0\#(more)}"#
    }

    private static let boolean = JSON.object([("type", .string("boolean"))])

    private static let text = JSON.object([("type", .string("string"))])

    private static let number = JSON.object([("type", .string("integer"))])

    private static let anyObject = JSON.object([("type", .string("object"))])

    private static func texts(_ names: String...) -> [(String, JSON)] { names.map { ($0, text) } }

    private static func numbers(_ names: String...) -> [(String, JSON)] {
        names.map { ($0, number) }
    }

    private static func array(of items: JSON) -> JSON {
        .object([("type", .string("array")), ("items", items)])
    }

    private static func orNull(_ type: String) -> JSON {
        .object([("type", .array([.string(type), .string("null")]))])
    }

    private static func constant(_ value: String) -> JSON { .object([("const", .string(value))]) }

    private static func choice<Word: RawRepresentable<String>>(_ words: [Word]) -> JSON {
        .object([("enum", .array(words.map { .string($0.rawValue) }))])
    }

    private static func object(_ members: [(String, JSON)], required: [String]) -> JSON {
        .object([
            ("type", .string("object")), ("properties", .object(members)),
            ("required", .array(required.map(JSON.string))),
        ])
    }
}
