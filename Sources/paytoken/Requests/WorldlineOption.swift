internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let worldlineMerchantID = CommandOption(
        "--worldline-merchant-id", "ID", "the merchant's identifier in paths")
    static let apiKeyID = CommandOption(
        "--api-key-id", "ID", "the key that signs the request; without it nothing is signed")
    static let secretAPIKey = secret(
        "--secret-api-key-env", "the secret that signs; needs \(apiKeyID)")
    static let signingDate = CommandOption(
        "--date", "TIME", "the time that is signed; needs \(apiKeyID); default: now",
        kind: .time)
    static let idempotenceKey = CommandOption(
        "--idempotence-key", "KEY", "the attempt's key, so that a repetition charges once"
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
    private static let signature: [CommandOption] = [.apiKeyID, .secretAPIKey, .signingDate]
    private static let contacts: [CommandOption] = [
        .billingContact, .shippingContact, .addressIndicator,
    ]

    /// The options for the merchant and the signature of a request.
    static let account = [.worldlineMerchantID] + signature

    /// The options for the merchant and the signature of a payment, which also has an idempotence key; signatures are
    /// headers.
    static let paymentAccount =
        [.worldlineMerchantID] + signature.map(\.inHeader) + [.idempotenceKey]

    /// The options for a hosted page's order, in addition to amount and currency.
    static let pageOrder = [.merchantReference] + contacts

    /// The options for a payment's order, in addition to amount and currency.
    static let paymentOrder = [.merchantReference.reference] + contacts

    /// The options for a hosted page.
    static let hostedCheckout: [CommandOption] = [
        .amount.mandatory, .currency.mandatory, .returnURL.mandatory, .locale, .showResultPage,
        .isRecurring, .tokens, .variant, .authorizationMode,
    ]

    /// Returns the customer of `--billing-contact` and `--shipping-contact`; nil if neither is given.
    static func customer(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Worldline.Customer? {
        let billing = try contact(arguments, .billingContact)
        let shipping = try contact(arguments, .shippingContact)
        guard billing != nil || shipping?.emailAddress != nil || shipping?.phoneNumber != nil
        else { return nil }
        return Worldline.Customer(billing: billing, shipping: shipping)
    }

    /// Returns the destination of `--shipping-contact`; nil if it is not given.
    static func shipping(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Worldline.Shipping? {
        let indicator = arguments.text(.addressIndicator)
        guard let contact = try contact(arguments, .shippingContact) else {
            guard indicator == nil else {
                throw .usage(
                    "\(CommandOption.addressIndicator) needs \(CommandOption.shippingContact).")
            }
            return nil
        }
        return Worldline.Shipping(contact, addressIndicator: indicator)
    }

    /// Returns the hosted page of the options.
    static func checkout(
        _ arguments: Arguments
    ) throws(CommandFailure) -> Worldline.HostedCheckout {
        var checkout = Worldline.HostedCheckout(returnURL: try arguments.required(.returnURL))
        checkout.locale = arguments.text(.locale)
        checkout.showResultPage = try arguments.boolean(.showResultPage)
        checkout.isRecurring = try arguments.boolean(.isRecurring)
        checkout.tokens = arguments.all(.tokens)
        checkout.variant = arguments.text(.variant)
        checkout.authorizationMode = try arguments.choice(.authorizationMode)
        checkout.merchantReference = arguments.text(.merchantReference)
        checkout.customer = try customer(arguments)
        checkout.shipping = try shipping(arguments)
        return checkout
    }

    /// Returns the form of the ECI, `number` or `string`.
    static func eciForm(_ arguments: Arguments) throws(CommandFailure) -> Worldline.ECIForm {
        try arguments.choice(.eciForm) ?? .number
    }

    /// Returns the request, signed if `--api-key-id` is given.
    static func signed(
        _ arguments: Arguments,
        _ request: @autoclosure () throws(PaymentTokenError) -> GatewayRequest
    ) throws(CommandFailure) -> GatewayRequest {
        if arguments.isForCurl {
            try arguments.require(
                [.worldlineMerchantID, .apiKeyID, .secretAPIKey], for: "a request that curl sends")
        }
        let others: [CommandOption] = [.secretAPIKey, .signingDate]
        guard let identifier = arguments.text(.apiKeyID) else {
            guard !arguments.hasAny(others) else {
                throw .usage("\(others.sentence) need \(CommandOption.apiKeyID).")
            }
            return try refusing(try request())
        }
        try arguments.require([.worldlineMerchantID, .secretAPIKey], for: "a signed request")
        let credentials = Worldline.Credentials(
            apiKeyId: identifier, secretAPIKey: try arguments.secret(.secretAPIKey))
        let date = try arguments.time(.signingDate) ?? Date()
        return try refusing(try Worldline.authorize(try request(), credentials, date: date))
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
