internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let worldlineMerchantID = CommandOption(
        "--worldline-merchant-id", "ID", "the merchant's identifier in paths")
    static let apiKeyID = CommandOption(
        "--api-key-id", "ID", "the key that signs the request")
    static let secretAPIKey = secret("--secret-api-key-env", "the secret that signs")
    static let signingDate = CommandOption(
        "--date", "TIME", "the time that is signed; default: now", kind: .time)
    static let idempotenceKey = CommandOption(
        "--idempotence-key", "KEY",
        "the attempt's key, so that a repetition charges once; default: one that is derived from the order's "
            + "reference"
    ).inHeader
    static let billingContact = CommandOption(
        "--billing-contact", "FILE", "Apple's billing contact as JSON, for order.customer",
        kind: .file)
    static let shippingContact = CommandOption(
        "--shipping-contact", "FILE", "Apple's shipping contact as JSON, for order.shipping",
        kind: .file)
    static let addressIndicator = CommandOption(
        "--address-indicator", "NAME",
        "what kind of destination it is; needs \(shippingContact)")
    static let locale = CommandOption("--locale", "LOCALE", "the page's language, such as en_GB")
    static let showResultPage = boolean(
        "--show-result-page", "whether Worldline shows the result")
    static let isRecurring = boolean("--is-recurring", "whether more payments follow")
    static let tokenize = boolean("--tokenize", "whether Worldline keeps the card")
    static let tokens = CommandOption("--tokens", "TOKEN", "a stored card of the customer")
        .repeatable
    static let variant = CommandOption("--variant", "NAME", "which of the merchant's page designs")
    static let authorizationMode = choice(
        "--authorization-mode", of: Worldline.AuthorizationMode.self, "how the amount is authorized"
    )
    static let requiresApproval = boolean(
        "--requires-approval", "whether the payment waits for the merchant's approval")
    static let eciForm = choice(
        "--eci-form", of: Worldline.ECIForm.self, "the JSON type of the ECI; default: number")
    static let preproduction = flag(
        "--preproduction", "address the preproduction server instead of the live one")
    static let paymentID = CommandOption("--payment-id", "ID", "the payment")
    static let hostedCheckoutID = CommandOption("--hosted-checkout-id", "ID", "the page's session")
    static let isFinal = boolean("--is-final", "whether nothing more will be captured")
}

/// Options that Worldline Direct and Worldline Connect share.
enum WorldlineOption {
    private static let contacts: [CommandOption] = [
        .billingContact, .shippingContact, .addressIndicator,
    ]

    /// The options for the merchant and the signature of a request; signatures are headers.
    static let account: [CommandOption] = [
        .worldlineMerchantID.mandatoryToSend, .apiKeyID.mandatoryToSend.inHeader,
        .secretAPIKey.mandatoryToSend.inHeader, .signingDate.inHeader,
    ]

    /// The same options for a payment, whose idempotence key can be stated.
    static let paymentAccount = account + [.idempotenceKey]

    /// The options for a hosted page's order.
    static let pageOrder = CommandOption.wholeOrder(.merchantReference) + contacts

    /// The options for a payment's order, in addition to amount and currency.
    static let paymentOrder =
        [.merchantReference.mandatory(unless: .order).reference] + contacts

    /// The options for a hosted page.
    static let hostedCheckout: [CommandOption] = [
        .returnURL.mandatory, .locale, .showResultPage,
        .isRecurring, .tokens, .variant, .authorizationMode,
    ]

    /// Returns the key that signs.
    static func credentials(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Worldline.Credentials {
        Worldline.Credentials(
            apiKeyId: arguments.requiredToSend(.apiKeyID),
            secretAPIKey: try arguments.secretToSend(.secretAPIKey))
    }

    /// Adds the contacts of `--billing-contact` and `--shipping-contact` to an order.
    static func complete(
        _ order: inout Order,
        _ arguments: Arguments
    ) throws(CommandFailure) {
        order.customer = try contact(arguments, .billingContact)
        order.shipping = try contact(arguments, .shippingContact)
        guard order.shipping != nil || !arguments.has(.addressIndicator) else {
            throw .usage(
                "\(CommandOption.addressIndicator) needs \(CommandOption.shippingContact).")
        }
    }

    /// Returns the order of a hosted page.
    static func pageOrder(_ arguments: Arguments) throws(CommandFailure) -> Order {
        var order = try arguments.order(.merchantReference)
        order.returnURL = try arguments.required(.returnURL)
        try complete(&order, arguments)
        return order
    }

    /// Returns the settings of a hosted page.
    static func page(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Worldline.PageOptions {
        var page = Worldline.PageOptions()
        page.locale = arguments.text(.locale)
        page.showResultPage = try arguments.boolean(.showResultPage)
        page.isRecurring = try arguments.boolean(.isRecurring)
        page.tokens = arguments.all(.tokens)
        page.variant = arguments.text(.variant)
        page.authorizationMode = try arguments.choice(.authorizationMode)
        page.addressIndicator = arguments.text(.addressIndicator)
        return page
    }

    /// Returns the form of the ECI, `number` or `string`.
    static func eciForm(_ arguments: Arguments) throws(CommandFailure) -> Worldline.ECIForm {
        try arguments.choice(.eciForm) ?? .number
    }

    /// Returns the request of a call, signed with the time of `--date`.
    static func request<Outcome>(
        _ arguments: Arguments,
        _ call: GatewayCall<Outcome>
    ) throws(CommandFailure) -> GatewayRequest {
        let date = try arguments.time(.signingDate) ?? Date()
        return try refusing(try call.request(at: date))
    }

    /// Returns a signed status query.
    static func signed(
        _ arguments: Arguments,
        _ request: GatewayRequest
    ) throws(CommandFailure) -> GatewayRequest {
        let credentials = try credentials(arguments)
        let date = try arguments.time(.signingDate) ?? Date()
        return try refusing(try Worldline.authorize(request, credentials, date: date))
    }

    private static func contact(
        _ arguments: Arguments,
        _ option: CommandOption
    ) throws(CommandFailure) -> PaymentContact? {
        guard let path = arguments.text(option) else { return nil }
        let json = try FileContents.bytes(of: path, limit: 1 << 20)
        return try failing("\(path) (\(option))") { () throws(UnreadableJSONError) in
            try PaymentContact(json: json)
        }
    }
}

/// The steps after a payment or a hosted page, which Worldline Direct and Worldline Connect share.
struct WorldlineFollowUp: Sendable {
    /// The platform.
    let platform: Worldline.Platform

    /// The options that select a server.
    let hosts: [CommandOption]

    /// Creates the gateway from the options.
    let gateway: @Sendable (Arguments) throws(CommandFailure) -> any PaymentGateway

    /// Returns the requests of the platform.
    let api: @Sendable (Arguments) throws(CommandFailure) -> Worldline.API

    /// The steps get-payment, get-hosted-checkout, capture, cancel and refund.
    var steps: [GatewayStep] {
        let platform = platform
        return [
            question("get-payment", .paymentID) {
                Worldline.statusReport($0, platform)
            } make: { id, api throws(PaymentTokenError) in
                try api.statusRequest(id, suffix: "")
            },
            question("get-hosted-checkout", .hostedCheckoutID) {
                Worldline.pageStatusReport($0, platform)
            } make: { id, api throws(PaymentTokenError) in
                try api.pageStatusRequest(id)
            },
            operation(.capture, "capture", [.isFinal]),
            operation(.cancellation, "cancel", []),
            operation(.refund, "refund", []),
        ]
    }

    /// Returns a step that asks for something by its identifier.
    func question(
        _ name: String,
        _ option: CommandOption,
        read: @escaping @Sendable (GatewayResponse) -> PaymentReport,
        make:
            @escaping @Sendable (String, Worldline.API) throws(PaymentTokenError) -> GatewayRequest
    ) -> GatewayStep {
        .question(name, WorldlineOption.account + [option.mandatory] + hosts) { response, _ in
            read(response)
        } make: { [api] arguments throws(CommandFailure) in
            let id = try arguments.required(option)
            let api = try api(arguments)
            return try WorldlineOption.signed(arguments, try refusing(try make(id, api)))
        }
    }

    /// Returns a step that captures, cancels or refunds.
    func operation(
        _ kind: PaymentOperation.Kind,
        _ name: String,
        _ options: [CommandOption],
        status: String? = nil
    ) -> GatewayStep {
        .operation(
            kind, name: name, id: .paymentID, WorldlineOption.account + options + hosts,
            status: status,
            answer: .operation(kind) { [platform] in
                Worldline.operationReport($0, of: kind, platform)
            },
            gateway: gateway)
    }
}
