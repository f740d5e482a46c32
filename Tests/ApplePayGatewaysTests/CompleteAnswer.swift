import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

/// An answer in which every member has another value, and all properties of the value that reads it.
struct CompleteAnswer: Sendable, CustomTestStringConvertible {
    let name: String
    let read: Read
    let status: Int
    let body: String
    let properties: String

    var testDescription: String { "\(name) \(status)" }

    init(
        _ name: String, _ read: @escaping Read, _ status: Int, _ body: String, _ properties: String
    ) {
        self.name = name
        self.read = read
        self.status = status
        self.body = body
        self.properties = properties
    }

    /// Returns a line `path: value` for each property that is not nil, secrets included.
    static func lines(_ value: Any, _ path: String = "") -> [String] {
        if let secret = value as? SensitiveBytes { return ["\(path): \(secret.revealText())"] }
        if let raw = value as? any RawRepresentable { return ["\(path): \(raw.rawValue)"] }
        let mirror = Mirror(reflecting: value)
        let children = mirror.children.filter { $0.label != "scale" }
        return switch mirror.displayStyle {
        case .optional: children.flatMap { lines($0.value, path) }
        case .collection:
            children.enumerated().flatMap { lines($0.element.value, "\(path)[\($0.offset)]") }
        case .struct:
            children.flatMap {
                lines($0.value, "\(path)\(path.isEmpty ? "" : ".")\($0.label ?? "")")
            }
        default: ["\(path): \(value)"]
        }
    }

    static let all = worldline + others + rbsAndBePaid + dinteroAndIntergiro

    private static func state(_ id: String, _ status: String, _ output: String) -> String {
        #"{"id":"\#(id)","status":"\#(status)","statusOutput":{"statusCategory":"s-category","#
            + #""statusCode":46,"isAuthorized":false,"isCancellable":true,"isRefundable":false,"#
            + #""errors":[{"code":"s-code"}]},"\#(output)":{"amountOfMoney":{"amount":3000,"#
            + #""currencyCode":"EUR"},"references":{"merchantReference":"s-reference"},"#
            + #""mobilePaymentMethodSpecificOutput":{"authorisationCode":"s-authorization","#
            + #""network":"s-network","paymentProductId":1,"paymentData":{"dpan":"s-dpan","#
            + #""expiryDate":"s-expiry"}}}}"#
    }

    private static func stateLines(_ path: String, _ id: String, _ status: String) -> String {
        """
        \(path).id: \(id)
        \(path).status: \(status)
        \(path).statusCategory: s-category
        \(path).statusCode: 46
        \(path).isAuthorized: false
        \(path).isCancellable: true
        \(path).isRefundable: false
        \(path).errors[0].code: s-code
        \(path).amount: 3000
        \(path).currency: EUR
        \(path).merchantReference: s-reference
        \(path).authorisationCode: s-authorization
        \(path).network: s-network
        \(path).paymentProductId: 1
        \(path).dpan: s-dpan
        \(path).expiryDate: s-expiry
        """
    }

    private static let errors =
        #""errorId":"e-error","errors":[{"errorCode":"e-code","code":"e-old","category":"e-category","#
        + #""id":"e-id","message":"e-message","propertyName":"e-property","httpStatusCode":418,"#
        + #""retriable":true},7,{"code":"e-second"}]"#
    private static let errorLines = """
        errors[0].code: e-code
        errors[0].category: e-category
        errors[0].id: e-id
        errors[0].message: e-message
        errors[0].propertyName: e-property
        errors[0].httpStatusCode: 418
        errors[0].isRetriable: true
        errors[1].code: e-second
        """
    private static let action =
        #""merchantAction":{"actionType":"a-type","redirectData":{"RETURNMAC":"a-mac","#
        + #""redirectURL":"https://a.example/1"}}"#
    private static let refused = #"refused(code: Optional("e-code"), text: Optional("e-message"))"#

    static let worldline: [CompleteAnswer] = [
        .init(
            "Worldline, payment",
            { response throws(UnreadableJSONError) in try Worldline.PaymentAnswer(response) }, 201,
            "{\(action),\(errors),\"payment\":\(state("p-id", "REDIRECTED", "paymentOutput"))}",
            """
            httpStatus: 201
            outcome: actionRequired(https://a.example/1)
            \(stateLines("payment", "p-id", "REDIRECTED"))
            actionType: a-type
            redirectURL: https://a.example/1
            errorId: e-error
            \(errorLines)
            """),
        .init(
            "Worldline, refused payment",
            { response throws(UnreadableJSONError) in try Worldline.PaymentAnswer(response) }, 402,
            "{\(errors),\"paymentResult\":{\(action),"
                + "\"payment\":\(state("p-id", "REJECTED", "paymentOutput"))}}",
            """
            httpStatus: 402
            outcome: \(refused)
            \(stateLines("payment", "p-id", "REJECTED"))
            actionType: a-type
            redirectURL: https://a.example/1
            errorId: e-error
            \(errorLines)
            """),
        .init(
            "Worldline, status",
            { response throws(UnreadableJSONError) in try Worldline.PaymentStatusAnswer(response) },
            200,
            state("p-id", "PAID", "paymentOutput").dropLast()
                + #","operations":[{"id":"o","status":"x"}],"Operations":["#
                + state("o-id", "CAPTURED", "captureOutput") + "],\(errors)}",
            """
            outcome: paid
            \(stateLines("payment", "p-id", "PAID"))
            \(stateLines("operations[0]", "o-id", "CAPTURED"))
            \(errorLines)
            """),
        .init(
            "Worldline, unanswered status",
            { response throws(UnreadableJSONError) in try Worldline.PaymentStatusAnswer(response) },
            404, "{\(errors)}",
            """
            outcome: unknown(reason: "HTTP status 404: the question about the payment was not answered.")
            \(errorLines)
            """),
        .init(
            "Worldline, refund",
            { response throws(UnreadableJSONError) in
                try Worldline.OperationAnswer(response, .refund)
            }, 201, state("r-id", "REFUNDED", "refundOutput").dropLast() + ",\(errors)}",
            """
            outcome: paid
            \(stateLines("operation", "r-id", "REFUNDED"))
            \(errorLines)
            """),
        .init(
            "Worldline, refused refund",
            { response throws(UnreadableJSONError) in
                try Worldline.OperationAnswer(response, .refund)
            }, 400, "{\(errors)}", "outcome: \(refused)\n\(errorLines)"),
        .init(
            "Worldline, new page", Worldline.HostedCheckoutAnswer.init, 200,
            #"{"hostedCheckoutId":"h-id","redirectUrl":"https://h.example/1","#
                + #""partialRedirectUrl":"h-partial","RETURNMAC":"h-mac",\#(errors)}"#,
            """
            httpStatus: 200
            outcome: actionRequired(https://h.example/1)
            hostedCheckoutId: h-id
            redirectURL: https://h.example/1
            partialRedirectURL: h-partial
            returnMAC: h-mac
            errorId: e-error
            \(errorLines)
            """),
        .init(
            "Worldline, refused page", Worldline.HostedCheckoutAnswer.init, 400,
            #"{"hostedCheckoutId":"h-id",\#(errors)}"#,
            """
            httpStatus: 400
            outcome: \(refused)
            hostedCheckoutId: h-id
            errorId: e-error
            \(errorLines)
            """),
        .init(
            "Worldline, page",
            { response throws(UnreadableJSONError) in
                try Worldline.HostedCheckoutStatusAnswer(response)
            }, 200,
            #"{"status":"PAYMENT_CREATED","createdPaymentOutput":{"#
                + #""paymentStatusCategory":"h-category","payment":"#
                + state("p-id", "PENDING_CAPTURE", "paymentOutput") + "},\(errors)}",
            """
            httpStatus: 200
            outcome: authorized
            status: PAYMENT_CREATED
            paymentStatusCategory: h-category
            \(stateLines("payment", "p-id", "PENDING_CAPTURE"))
            errorId: e-error
            \(errorLines)
            """),
        .init(
            "Worldline, unknown page",
            { response throws(UnreadableJSONError) in
                try Worldline.HostedCheckoutStatusAnswer(response)
            }, 404, #"{"status":"h-status",\#(errors)}"#,
            """
            httpStatus: 404
            outcome: unknown(reason: "HTTP status 404: the question about the payment was not answered.")
            status: h-status
            errorId: e-error
            \(errorLines)
            """),
    ]
}
