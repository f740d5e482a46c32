internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// Options that Worldline Direct and Worldline Connect share.
enum WorldlineOption {
    /// Whose payment it is, and what signs the request.
    static let account: Set = [
        "--worldline-merchant-id", "--api-key-id", "--secret-api-key-env", "--date",
    ]

    /// What stands in the headers of a payment alone: the key of the attempt, and what signs it.
    static let headers: Set = [
        "--idempotence-key", "--api-key-id", "--secret-api-key-env", "--date",
    ]

    /// What is said of the order besides amount and currency.
    static let order: Set = [
        "--merchant-reference", "--billing-contact", "--shipping-contact", "--address-indicator",
    ]

    /// What a page of Worldline's needs.
    static let hostedCheckout: Set = [
        "--amount", "--currency", "--return-url", "--locale", "--show-result-page",
        "--is-recurring", "--tokens", "--variant", "--authorization-mode",
    ]

    /// The customer of `--billing-contact` and `--shipping-contact`; nil without either.
    static func customer(
        _ arguments: Arguments
    ) throws(RequestFailure) -> Worldline.Customer? {
        let billing = try contact(arguments, "--billing-contact")
        let shipping = try contact(arguments, "--shipping-contact")
        guard billing != nil || shipping?.emailAddress != nil || shipping?.phoneNumber != nil
        else { return nil }
        return Worldline.Customer(billing: billing, shipping: shipping)
    }

    /// The destination of `--shipping-contact`; nil without it.
    static func shipping(
        _ arguments: Arguments
    ) throws(RequestFailure) -> Worldline.Shipping? {
        let indicator = try RequestOption.text(arguments, "--address-indicator")
        guard let contact = try contact(arguments, "--shipping-contact") else {
            guard indicator == nil else {
                throw .command(.usage("--address-indicator goes with --shipping-contact."))
            }
            return nil
        }
        return Worldline.Shipping(contact, addressIndicator: indicator)
    }

    /// The page of the options.
    static func checkout(
        _ arguments: Arguments
    ) throws(RequestFailure) -> Worldline.HostedCheckout {
        var checkout = Worldline.HostedCheckout(
            returnURL: try RequestOption.mandatory(arguments, "--return-url"))
        checkout.locale = try RequestOption.text(arguments, "--locale")
        checkout.showResultPage = try RequestOption.boolean(arguments, "--show-result-page")
        checkout.isRecurring = try RequestOption.boolean(arguments, "--is-recurring")
        checkout.tokens = arguments.all("--tokens")
        checkout.variant = try RequestOption.text(arguments, "--variant")
        checkout.authorizationMode = try RequestOption.choice(arguments, "--authorization-mode")
        checkout.merchantReference = try RequestOption.text(arguments, "--merchant-reference")
        checkout.customer = try customer(arguments)
        checkout.shipping = try shipping(arguments)
        return checkout
    }

    /// `number` or `string`.
    static func eciForm(_ arguments: Arguments) throws(RequestFailure) -> Worldline.ECIForm {
        try RequestOption.choice(arguments, "--eci-form") ?? .number
    }

    /// The request, signed where `--api-key-id` is given.
    static func signed(
        _ arguments: Arguments,
        _ request: () throws(PaymentTokenError) -> GatewayRequest
    ) throws(RequestFailure) -> GatewayRequest {
        guard let identifier = try RequestOption.text(arguments, "--api-key-id") else {
            guard arguments.all("--secret-api-key-env").isEmpty, arguments.all("--date").isEmpty
            else {
                throw .command(
                    .usage("--secret-api-key-env and --date go with --api-key-id."))
            }
            return try RequestOption.said(request)
        }
        guard !arguments.all("--worldline-merchant-id").isEmpty else {
            throw .command(.usage("what is signed needs --worldline-merchant-id."))
        }
        let credentials = Worldline.Credentials(
            apiKeyId: identifier,
            secretAPIKey: try RequestOption.secret(arguments, "--secret-api-key-env"))
        let date = try date(arguments)
        return try RequestOption.said { () throws(PaymentTokenError) in
            try Worldline.authorize(try request(), credentials, date: date)
        }
    }

    /// `--date`, or now.
    private static func date(_ arguments: Arguments) throws(RequestFailure) -> Date {
        guard let text = try RequestOption.text(arguments, "--date") else { return Date() }
        guard let date = TokenOptions.date(text) else {
            throw .command(
                .usage("--date takes a time such as 2026-03-01T12:00:00Z, not \(text)."))
        }
        return date
    }

    private static func contact(
        _ arguments: Arguments,
        _ name: String
    ) throws(RequestFailure) -> PaymentContact? {
        guard let path = try RequestOption.text(arguments, name) else { return nil }
        let json: [UInt8]
        do throws(FileError) {
            json = try FileContents.read(path, limit: 1 << 20).array()
        } catch {
            throw .command(.means("\(error)."))
        }
        do throws(UnreadableJSONError) {
            return try PaymentContact(json: json)
        } catch {
            throw .command(.means("\(name): \(error.description)"))
        }
    }
}
