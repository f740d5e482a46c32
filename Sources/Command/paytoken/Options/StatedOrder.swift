internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

extension CommandOption {
    static let amount = number("--amount", "MINOR", "the order's amount in minor units")
    static let currency = CommandOption(
        "--currency", "ALPHA3", "the order's currency, an ISO 4217 code")
    static let applicationData = CommandOption(
        "--application-data", "BASE64", "the application data of the payment request")
    static let order = CommandOption(
        "--order", "FILE",
        "the whole order as JSON, instead of \([amount, currency, applicationData].sentence)",
        kind: .file)
}

/// The order that the options state; values that they omit are taken from the token.
struct StatedOrder {
    /// The options whose values are compared with a decrypted token.
    static let options =
        [CommandOption.amount, .currency, .applicationData].map {
            $0.described("\($0.summary), compared with a decrypted token's")
        } + [.order]

    /// Whether the options state any part of the order.
    private let isStated: Bool

    private let amount: Int64?
    private let currency: Currency?
    private let applicationData: ApplicationData?
    private let whole: Order?

    init(_ arguments: Arguments) throws(CommandFailure) {
        amount = try arguments.number(.amount)
        currency = try arguments.currency(.currency)
        applicationData = try Self.applicationData(arguments)
        let isInParts = amount != nil || currency != nil || applicationData != nil
        if let path = arguments.text(.order) {
            guard !isInParts else {
                let parts: [CommandOption] = [.amount, .currency, .applicationData]
                throw .usage(
                    "\(CommandOption.order) states the whole order; leave out \(parts.sentence).")
            }
            whole = try OrderFile.order(path)
        } else {
            whole = nil
        }
        isStated = isInParts || whole != nil
    }

    /// Compares a payment with what the options state; does nothing if they state nothing.
    func check(_ payment: Payment) throws(PaymentError) {
        if isStated { try order(for: payment).check(payment) }
    }

    private func order(for payment: Payment) throws(PaymentError) -> Order {
        if let whole { return whole }
        guard let currency = currency ?? payment.data.currency else {
            throw PaymentError(.unknownCurrency, member: "currencyCode")
        }
        return Order(
            reference: "", amount: amount ?? payment.data.amount,
            currency: currency,
            applicationData: applicationData
                ?? payment.applicationData.flatMap(ApplicationData.init(sha256:)),
            merchants: payment.data.authenticationResponses.map {
                MerchantAmount(merchantIdentifier: $0.merchantIdentifier, amount: $0.amount)
            }
        )
    }

    private static func applicationData(
        _ arguments: Arguments
    ) throws(CommandFailure) -> ApplicationData? {
        guard let text = arguments.text(.applicationData) else { return nil }
        guard let applicationData = ApplicationData(base64: text) else {
            throw .usage(
                "\(CommandOption.applicationData) takes base64, as in the payment request; the given text is not "
                    + "base64.")
        }
        return applicationData
    }
}

extension OrderFile {
    /// Reads an order from a file.
    static func order(
        _ path: String, needsReference: Bool = false
    ) throws(CommandFailure) -> Order {
        let text = try FileContents.bytes(of: path, limit: 1 << 18, "an order")
        let value: AnswerValue
        do throws(JSONError) {
            value = try AnswerValue(text)
        } catch {
            throw .usage("\(path) is not an order\(WrongFile.fault(text, error)) \(form)")
        }
        do throws(FileError) {
            return try order(value, needsReference: needsReference)
        } catch {
            if let other = WrongFile.object(value), other != .order {
                throw .usage("\(path) is not an order; it is \(other.rawValue). \(form)")
            }
            let member = error.path.isEmpty ? "the order" : "its member \(error.path.printable)"
            throw .usage("\(path) is not an order: \(member) \(error.reason). \(form)")
        }
    }

    /// The form of an order, for messages.
    private static let form =
        #"An order is JSON such as {"reference":"order-1001","amount":1099,"currency":"EUR"}."#
}
